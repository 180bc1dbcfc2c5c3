"""Clusters by the plan's kind, carried over from leaders to all documents, and who is removed.

The weakest pair of a cluster is exact where that is affordable: all pairs of a cluster of up to
`WHOLE` members are compared, a larger one against its first member only, which is enough to notice
most chains. Both bounds are fixed, so the answer does not depend on the machine. Where a method or
a check has decided, the similarity of a pair that they did not admit is not known: neither is the
weakest of its cluster then, which is chained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.clusters.base import ClustersOfPairs, Graph
from twinset.finding.clusters.of_pairs import anchors
from twinset.model import Clusters, Floats, Ints, offsets_of
from twinset.run.copies import Classes
from twinset.run.pairing import Paired, Score

WHOLE = 40
"""Members up to which all pairs of a cluster are compared."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """Clusters of documents, and whether the search for them came to its end.

    They are in the order of ``first``, a document of each cluster or of what it is connected with;
    those with the same one have to do with each other, and so their order does not depend on other
    documents. Clusters out of pairs go by preference, those out of images by the numbers of the
    documents. The last ``alone`` ones are equal documents that have no pair but themselves, in an
    order of their own.
    """

    clusters: Clusters
    complete: bool
    first: Ints
    alone: int


def cluster_pairs(kind: ClustersOfPairs, paired: Paired, classes: Classes) -> Clustered:
    """Run the plan's kind of cluster and add the classes that have no pair but themselves."""
    grouped, leaders, threads = kind.clusters(paired.graph), paired.leaders, paired.graph.threads
    alone = classes.size[leaders] > 1
    alone[grouped.slot] = False
    lone = np.flatnonzero(alone)
    lone = lone[~classes.only_references(leaders[lone])]
    number = np.concatenate([grouped.cluster, _next(grouped.cluster) + np.arange(len(lone))])
    slot = np.concatenate([grouped.slot, lone])
    nothing = np.full(len(lone), -1)
    anchor = np.concatenate([grouped.anchor, lone if grouped.anchored else nothing])
    own = paired.graph.copies[lone] if grouped.anchored else np.full(len(lone), np.nan)
    score = np.concatenate([grouped.score, own])
    weakest, chained = weakest_pairs(number, leaders[slot], paired.score, paired.threshold)
    # Equal files score 1, which a count that is the threshold may be above.
    chained[number[len(grouped.slot) :][classes.by_bytes[leaders[lone]]]] = False
    member, row = classes.members(leaders[slot])
    order = _kernels.sorted_order(number[row].astype(np.uint32), member.astype(np.uint32), threads)
    row = row[order]
    held = anchor[row]
    clusters = Clusters(
        number[row],
        member[order],
        np.where(held >= 0, leaders[np.maximum(held, 0)], -1) if len(row) else held,
        score[row],
        weakest,
        chained,
    )
    first = leaders[slot[offsets_of(np.bincount(number))[:-1]]]
    return Clustered(clusters, grouped.complete, first, len(lone))


def removal(
    graph: Graph, leaders: Ints, classes: Classes, kept: NDArray[np.bool_]
) -> tuple[Ints, Floats]:
    """For each document the one it is removed for (itself when it stays) and their similarity.

    Whatever the kind of cluster, only a document within the threshold of one that stays goes.
    """
    anchor, score = anchors(graph)
    number = np.arange(len(classes.leader))
    target, similarity = number.copy(), np.ones(len(number))
    member, row = classes.members(leaders)
    target[member] = leaders[anchor[row]]
    similarity[member] = score[row]
    target[kept] = number[kept]
    return target, similarity


def _next(cluster: Ints) -> int:
    return int(cluster[-1]) + 1 if len(cluster) else 0


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
    parts = list(_pairs_inside(sizes, starts))
    left, right = (np.concatenate([rows[side].ravel() for _, *rows in parts]) for side in (0, 1))
    scores = score(documents[left], documents[right])
    lowest: NDArray[np.float64] = np.full(len(sizes), np.inf)
    done = 0
    for which, rows, _ in parts:
        values = scores[done : done + rows.size].reshape(rows.shape)
        lowest[which] = values.min(axis=1)  # NaN if one of them is
        done += rows.size
    return lowest, ~(lowest >= threshold)


def _pairs_inside(sizes: Ints, starts: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Clusters of one size, and for each a line of pairs of rows to compare.

    These are all pairs of a small cluster, the first against each of a large one, and a cluster of
    one row against itself, which stands for copies.
    """
    for size in (np.flatnonzero(np.bincount(sizes)[1:]) + 1).tolist():
        which = np.flatnonzero(sizes == size)
        if size == 1:
            i = j = np.zeros(1, int)
        elif size <= WHOLE:
            i, j = np.triu_indices(size, 1)
        else:
            i, j = np.zeros(size - 1, int), np.arange(1, size)
        begins = starts[which][:, None]
        yield which, begins + i, begins + j
