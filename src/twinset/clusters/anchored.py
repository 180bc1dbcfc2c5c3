"""Anchored clusters: greedy by preference, every member within the threshold of its anchor.

The promise that nothing is removed by a chain of resemblances rests on this file and on
``graph.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.clusters.base import Graph, Membership, by_label
from twinset.model import Floats, Ints


@dataclass(frozen=True, slots=True)
class Anchored:
    """Members are held against the preferred document near them: no chaining."""

    def clusters(self, graph: Graph) -> Membership:
        """One cluster for each anchor that has members."""
        edge = _kernels.anchored_edges(graph.kept, graph.earlier, graph.later, graph.score)
        held = np.flatnonzero(edge >= 0)
        edge = edge[held]
        beside = graph.earlier[edge].astype(np.int64)
        is_anchor = np.zeros(graph.count, bool)
        is_anchor[beside] = True
        own = np.flatnonzero(is_anchor)
        anchor = np.concatenate([beside, own])
        score = np.concatenate([graph.score[edge], graph.copies[own]])
        cluster, slot, order = by_label(anchor, np.concatenate([held, own]))
        return Membership(cluster, slot, anchor[order], score[order])


def anchors(graph: Graph) -> tuple[Ints, Floats]:
    """The anchor of every slot (itself where it is one) and the similarity to it.

    That of an anchor to itself is that of its exact copies, which stand behind the same slot.
    """
    edge = _kernels.anchored_edges(graph.kept, graph.earlier, graph.later, graph.score)
    anchor = np.arange(graph.count)
    score = graph.copies.copy()
    held = edge >= 0
    anchor[held] = graph.earlier[edge[held]]
    score[held] = graph.score[edge[held]]
    return anchor, score
