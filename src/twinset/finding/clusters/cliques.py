"""Maximal cliques [Bron, Kerbosch 1973; Tomita et al. 2006]: all members alike, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.finding.clusters.base import Graph, Membership
from twinset.model import Ragged
from twinset.plan.spec import option


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
