"""The weakest pair of each cluster, exactly where that is affordable.

All pairs of a cluster of up to `WHOLE` members are compared; a larger one is compared against its
first member only, which is enough to notice most chains. Both bounds are fixed, so the answer does
not depend on the machine. Where a method or a check has decided, the similarity of a pair that they
did not admit is not known: neither is the weakest of its cluster then, which is chained.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.engine.pairing import Score
from twinset.model import Floats, Ints, offsets_of

WHOLE = 40


def weakest_pairs(
    cluster: Ints, documents: Ints, score: Score, threshold: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """The lowest similarity inside each cluster, NaN where it is not known, and which are chained.

    Rows are sorted by cluster. One is chained where a pair does not reach the threshold.
    """
    if not len(cluster):
        return np.empty(0), np.empty(0, bool)
    sizes = np.bincount(cluster)
    starts = offsets_of(sizes)[:-1]
    left, right, owner = _pairs_inside(sizes, starts)
    scores = score(documents[left], documents[right])
    lowest: NDArray[np.float64] = np.full(len(sizes), np.inf)
    np.minimum.at(lowest, owner, scores)  # NaN if one of them is
    alone = sizes == 1
    first = documents[starts[alone]]
    lowest[alone] = score(first, first)
    return lowest, ~(lowest >= threshold)


def _pairs_inside(sizes: Ints, starts: Ints) -> tuple[Ints, Ints, Ints]:
    """Row pairs to compare: all of a small cluster, first against each of a large one."""
    lefts, rights, owners = [], [], []
    for size in np.unique(sizes):
        if size < 2:
            continue
        which = np.flatnonzero(sizes == size)
        i, j = (
            np.triu_indices(size, 1)
            if size <= WHOLE
            else (np.zeros(size - 1, int), np.arange(1, size))
        )
        lefts.append((starts[which][:, None] + i).ravel())
        rights.append((starts[which][:, None] + j).ravel())
        owners.append(np.repeat(which, len(i)))
    if not lefts:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing
    return np.concatenate(lefts), np.concatenate(rights), np.concatenate(owners)
