"""Clusters out of verified pairs: anchored, connected components, maximal cliques.

The promise that nothing is removed by a chain of resemblances rests on `Anchored` and on
``graph.hpp``. Cliques: Bron, Kerbosch 1973; Tomita et al. 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.finding.clusters.base import Graph, Membership, by_label
from twinset.model import Floats, Ints, Ragged
from twinset.plan.spec import option


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


@dataclass(frozen=True, slots=True)
class Components:
    """Transitive closure: the weakest notion; the report says which components chained."""

    def clusters(self, graph: Graph) -> Membership:
        """One cluster for each component of two and more slots."""
        root = _kernels.component_roots(graph.count, graph.earlier, graph.later)
        inside = np.bincount(root, minlength=graph.count)[root] > 1
        cluster, slot, _ = by_label(root[inside], np.flatnonzero(inside), graph.threads)
        nothing = np.full(len(slot), -1)
        return Membership(cluster, slot, nothing, np.full(len(slot), np.nan))


@dataclass(frozen=True, slots=True)
class Cliques:
    """Every pair inside is within the threshold; a document may be in several cliques.

    A search that was cut by its bounds says so in the manifest.
    """

    limit: int = option(1_000_000, "Greatest number of cliques.", least=1)
    work: int = option(2_000_000_000, "Greatest number of steps of the search.", least=1)

    def clusters(self, graph: Graph) -> Membership:
        """One cluster for each maximal clique."""
        offsets, members, complete = _kernels.maximal_cliques(
            graph.count, graph.earlier, graph.later, self.limit, self.work
        )
        cluster, slot = Ragged(members, offsets).owners(), members.astype(np.int64)
        nothing = np.full(len(slot), -1)
        return Membership(cluster, slot, nothing, np.full(len(slot), np.nan), complete)
