"""Connected components: everything linked by a chain of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.finding.clusters.base import Graph, Membership, by_label


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
