"""How many features the members of a cluster share at least.

Documents with equal feature sets stand for each other, so that a compact list of pairs (one
document a class) gives the same numbers as a full one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from twinset.columns import numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from twinset.model import Floats, Ints
    from twinset.report.folder import Results


class _Known(NamedTuple):
    """Known pairs by class numbers, left <= right."""

    left: Ints
    right: Ints
    shared: Ints


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
    held = (anchor >= 0) & (measure in SHARED)
    free = ~np.isin(cluster, cluster[held])
    held &= anchor != member
    score = numbers(results.clusters["score"])[held]
    sizes = numbers(results.documents["features"]).astype(np.int64)
    pairs = sizes[member[held]].astype(np.float64), sizes[anchor[held]].astype(np.float64)
    shared = np.rint(SHARED[measure](score, *pairs)).astype(np.int64) if held.any() else score
    found = _least(cluster[held], shared)
    if free.any():
        class_of = _classes(results.documents)
        known = _known(results, ids, class_of, sizes)
        found |= _least(*_inside(known, cluster[free], class_of[member[free]]))
    return found


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
    pair = np.repeat(np.arange(len(many)), many)
    row = first[pair] + np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    inhabited = np.sort(cluster * width + member)
    present = np.isin(cluster[row] * width + known.right[pair], inhabited)
    # A class is a pair with itself only where two of its documents are members.
    present &= (known.left[pair] != known.right[pair]) | (copies[row] > 1)
    return cluster[row][present], known.shared[pair[present]]


def _least(clusters: Ints, shared: Ints) -> dict[int, int]:
    order = np.lexsort((shared, clusters))
    found, first = np.unique(clusters[order], return_index=True)
    return dict(zip(found.tolist(), shared[order][first].tolist(), strict=True))
