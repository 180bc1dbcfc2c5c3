"""Anchored clusters: greedy by preference, every member within the threshold of its anchor.

The promise that nothing is removed by a chain of resemblances rests on this file and on
``graph.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.finding.clusters.base import Graph, Membership, by_label
from twinset.model import Floats, Ints


@dataclass(frozen=True, slots=True)
class Anchored:
    """Members are held against the preferred document near them: no chaining."""

    def clusters(self, graph: Graph) -> Membership:
        """One cluster for each anchor that has members."""
        edge = _edges(graph)
        inside = edge >= 0
        inside[graph.earlier[edge[inside]]] = True  # the anchors
        slots = np.flatnonzero(inside)
        edge = edge[slots]
        held = edge >= 0
        anchor, score = slots.copy(), graph.copies[slots]
        anchor[held], score[held] = graph.earlier[edge[held]], graph.score[edge[held]]
        cluster, slot, order = by_label(anchor, slots, graph.threads)
        return Membership(cluster, slot, anchor[order], score[order], anchored=True)


def anchors(graph: Graph) -> tuple[Ints, Floats]:
    """The anchor of every slot (itself where it is one) and the similarity to it.

    That of an anchor to itself is that of its exact copies, which stand behind the same slot.
    """
    edge = _edges(graph)
    anchor = np.arange(graph.count)
    score = graph.copies.copy()
    held = edge >= 0
    anchor[held] = graph.earlier[edge[held]]
    score[held] = graph.score[edge[held]]
    return anchor, score


def _edges(graph: Graph) -> Ints:
    """The edge of every slot to its anchor, -1 for one that has none or is one."""
    ends = graph.earlier, graph.later
    return _kernels.anchored_edges(graph.kept, *ends, graph.score, graph.threads)
