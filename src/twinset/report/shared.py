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
from twinset.report.numbered import FoundNumbers, KnownNumbers, numbers_of

if TYPE_CHECKING:
    from twinset.model import Floats, Ints
    from twinset.report.results import Results


_UNKNOWN = np.iinfo(np.int64).max


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


def shared_counts(results: Results) -> Ints:
    """For every number of a cluster the count that ``duplicates.txt`` has behind its ids.

    It is how many features all its members share, where the kind of cluster knows it, and else the
    fewest that a member shares with its anchor; 0 where nothing is known.
    """
    cluster = numbers(results.clusters["cluster"])
    counts = np.zeros(int(cluster.max(initial=-1)) + 1, np.int64)
    if "shared" in results.clusters.column_names:
        counts[cluster] = numbers(results.clusters["shared"])
        return counts
    least = _least_shared(results)
    known = least != _UNKNOWN
    counts[known] = least[known]
    return counts


def least_shared(results: Results) -> dict[int, int]:
    """Cluster -> the fewest features that a member shares with its anchor.

    Where there is no anchor, the fewest that a known pair inside shares; clusters without one are
    left out.
    """
    least = _least_shared(results)
    known = np.flatnonzero(least != _UNKNOWN)
    return dict(zip(known.tolist(), least[known].tolist(), strict=True))


def _least_shared(results: Results) -> Ints:
    """The same by the numbers of the clusters."""
    cluster = np.asarray(numbers(results.clusters["cluster"]), dtype=np.int64)
    least = np.full(int(cluster.max(initial=-1)) + 1, _UNKNOWN)
    if not len(cluster):
        return least
    number = numbers_of(results)
    member, anchor = number.member, number.anchor
    measure = results.manifest["plan"].get("measure", "jaccard")
    # The score of a judge or of a method says nothing about shared features.
    reversible = measure in SHARED and decided(results.manifest)["by"] == "measure"
    held = anchor >= 0
    has_anchor = np.zeros(len(least), bool)
    has_anchor[cluster[held]] = True
    free = ~has_anchor[cluster]
    held &= anchor != member
    sizes = numbers(results.documents["features"])
    if reversible:
        shared = _reversed(results, measure, member, anchor, held, sizes)
        np.minimum.at(least, cluster[held], shared)
        if not free.any():
            return least
    class_of = number.leader
    known = _known(results, number, sizes)
    if not reversible:
        shared = known.shared_of(class_of[member[held]], class_of[anchor[held]])
        there = shared >= 0
        np.minimum.at(least, cluster[held][there], shared[there])
    np.minimum.at(least, *_inside(known, cluster[free], class_of[member[free]]))
    return least


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


def _known(results: Results, number: KnownNumbers | FoundNumbers, features: Ints) -> _Known:
    """The listed pairs and, for each class, the pair of two of its documents."""
    class_of = number.leader
    sides = class_of[number.left], class_of[number.right]
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
