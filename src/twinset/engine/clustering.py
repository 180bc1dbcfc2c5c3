"""Clusters of leaders, by the plan's kind, carried over to all documents of their classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset.clusters.anchored import anchors
from twinset.clusters.base import Graph
from twinset.engine.classes import Classes
from twinset.engine.pairing import Paired
from twinset.engine.weakest import weakest_pairs
from twinset.model import Clusters, Floats, Ints


@dataclass(frozen=True, slots=True)
class Clustered:
    """Clusters of documents, and whether the search for them came to its end."""

    clusters: Clusters
    complete: bool


def cluster(kind: Any, paired: Paired, classes: Classes) -> Clustered:
    """Run the plan's kind of cluster and add the classes that have no pair but themselves."""
    found, leaders = kind.clusters(paired.graph), paired.leaders
    alone = classes.size[leaders] > 1
    alone[found.slot] = False
    lone = np.flatnonzero(alone)
    number = np.concatenate([found.cluster, _next(found.cluster) + np.arange(len(lone))])
    slot = np.concatenate([found.slot, lone])
    anchored = bool((found.anchor >= 0).any()) or not len(found.slot)
    anchor = np.concatenate([found.anchor, lone if anchored else np.full(len(lone), -1)])
    own = paired.graph.copies[lone] if anchored else np.full(len(lone), np.nan)
    score = np.concatenate([found.score, own])
    weakest, chained = weakest_pairs(number, leaders[slot], paired.score, paired.threshold)
    member, row = classes.members(leaders[slot])
    order = np.lexsort((member, number[row]))
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
    return Clustered(clusters, found.complete)


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
