"""How many features the members of a cluster share at least.

Documents with equal feature sets stand for each other, so that a compact list of pairs (one
document a class) gives the same numbers as a full one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.model import spread
from twinset.model.columns import numbers
from twinset.report.facts import decided

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.model import Floats, Ints
    from twinset.report.results import Results


class _Known(NamedTuple):
    """Known pairs by class numbers, left <= right."""

    left: Ints
    right: Ints
    shared: Ints

    def shared_of(self, left: Ints, right: Ints) -> Ints:
        """The features that the documents of these classes share; -1 where it is not known."""
        width = int(max(side.max(initial=0) for side in (self.right, left, right))) + 1
        keys, first = np.unique(self.left * width + self.right, return_index=True)
        pairs = np.minimum(left, right) * width + np.maximum(left, right)
        place = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
        return np.where(keys[place] == pairs, self.shared[first[place]], -1)


# How many features two documents share, from their similarity and sizes: the measures turned round.
SHARED: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "jaccard": lambda score, a, b: score * (a + b) / (1 + score),
    "dice": lambda score, a, b: score * (a + b) / 2,
    "cosine": lambda score, a, b: score * np.sqrt(a * b),
    "containment": lambda score, a, b: score * np.minimum(a, b),
    "overlap": lambda score, a, b: score,
}


def all_shared(results: Results) -> dict[int, int]:
    """Cluster -> how many features all its members share, where the kind of cluster knows it."""
    if "shared" not in results.clusters.column_names:
        return {}
    columns = (numbers(results.clusters[name]).tolist() for name in ("cluster", "shared"))
    return dict(zip(*columns, strict=True))


def least_shared(results: Results) -> dict[int, int]:
    """Cluster -> the fewest features that a member shares with its anchor.

    Where there is no anchor, the fewest that a known pair inside shares; clusters without one are
    left out.
    """
    if len(results.clusters) == 0:
        return {}
    ids = results.documents["id"]
    cluster = np.asarray(numbers(results.clusters["cluster"]), dtype=np.int64)
    member = _numbers(results.clusters["id"], ids)
    anchor = _numbers(results.clusters["anchor"], ids)
    measure = results.manifest["plan"].get("measure", "jaccard")
    # The score of a judge or of a method says nothing about shared features.
    reversible = measure in SHARED and decided(results.manifest)["by"] == "measure"
    held = anchor >= 0
    free = ~np.isin(cluster, cluster[held])
    held &= anchor != member
    sizes = numbers(results.documents["features"]).astype(np.int64)
    if reversible and not free.any():
        return _least(cluster[held], _reversed(results, measure, member, anchor, held, sizes))
    class_of = _classes(results.documents)
    known = _known(results, ids, class_of, sizes)
    if reversible:
        shared = _reversed(results, measure, member, anchor, held, sizes)
    else:
        shared = known.shared_of(class_of[member[held]], class_of[anchor[held]])
    there = shared >= 0
    smallest = _least(cluster[held][there], shared[there])
    return smallest | _least(*_inside(known, cluster[free], class_of[member[free]]))


def _reversed(
    results: Results,
    measure: str,
    member: Ints,
    anchor: Ints,
    held: NDArray[np.bool_],
    sizes: Ints,
) -> Ints:
    """The features shared with the anchor, from the score of the plan's measure."""
    score = numbers(results.clusters["score"])[held]
    pairs = sizes[member[held]].astype(np.float64), sizes[anchor[held]].astype(np.float64)
    return np.rint(SHARED[measure](score, *pairs)).astype(np.int64)


def _numbers(column: pa.ChunkedArray, ids: pa.ChunkedArray) -> Ints:
    """Row numbers of ids, -1 for null."""
    import pyarrow.compute as pc

    places = pc.index_in(column, value_set=ids, skip_nulls=True)
    return np.asarray(numbers(places, missing=-1), dtype=np.int64)


def _classes(documents: pa.Table) -> Ints:
    """For every document the number of the one that represents its class."""
    representative = _numbers(documents["same_as"], documents["id"])
    return np.where(representative < 0, np.arange(len(documents)), representative)


def _known(results: Results, ids: pa.ChunkedArray, class_of: Ints, features: Ints) -> _Known:
    """The listed pairs and, for each class, the pair of two of its documents."""
    sides = [class_of[_numbers(results.pairs[side], ids)] for side in ("left", "right")]
    classes = np.unique(class_of)
    shared = np.asarray(numbers(results.pairs["shared"]), dtype=np.int64)
    return _Known(
        np.append(np.minimum(*sides), classes),
        np.append(np.maximum(*sides), classes),
        np.append(shared, features[classes]),
    )


def _inside(known: _Known, cluster: Ints, member: Ints) -> tuple[Ints, Ints]:
    """(cluster, shared) for each known pair inside a cluster; clusters may overlap."""
    width = int(known.right.max()) + 1
    keys, copies = np.unique(
        member * (int(cluster.max(initial=0)) + 1) + cluster, return_counts=True
    )
    member, cluster = np.divmod(keys, int(cluster.max(initial=0)) + 1)
    first = np.searchsorted(member, known.left, side="left")
    many = np.searchsorted(member, known.left, side="right") - first
    pair, place = spread(many)
    row = first[pair] + place
    inhabited = np.sort(cluster * width + member)
    present = np.isin(cluster[row] * width + known.right[pair], inhabited)
    # A class is a pair with itself only where two of its documents are members.
    present &= (known.left[pair] != known.right[pair]) | (copies[row] > 1)
    return cluster[row][present], known.shared[pair[present]]


def _least(clusters: Ints, shared: Ints) -> dict[int, int]:
    order = np.lexsort((shared, clusters))
    numbers, first = np.unique(clusters[order], return_index=True)
    return dict(zip(numbers.tolist(), shared[order][first].tolist(), strict=True))
