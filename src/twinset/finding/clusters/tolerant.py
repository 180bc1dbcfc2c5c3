"""Clusters that tolerate noise: around closed sets, between components and cliques.

The core of a cluster is a closed set: documents A and the features B that all of them share. The
cluster is A and every document that has at least a share alpha of B. Clusters inside others are
left out, and of equal ones the core with the most features is named. With alpha 1 the clusters are
the maximal closed sets. ``docs/explanation/tolerant-clusters.md`` has the definition, what follows
from it, and where it helps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.clusters.base import Explanation, SharedSets
from twinset.finding.clusters.closed import (
    DRAWN,
    Closed,
    ClosedClusters,
    false_clusters,
    false_sentence,
    features_in_words,
    notes,
)
from twinset.finding.clusters.closed_sets import ClosedSets, Context
from twinset.finding.clusters.lattice import ComponentLattice
from twinset.model import Floats, Ints, Ragged
from twinset.model.columns import column
from twinset.plan.spec import counted, option


@dataclass(frozen=True, slots=True)
class TolerantSets:
    """Clusters around cores; row ``i`` of ``members`` is a cluster, ``core[i]`` its closed set.

    ``fit`` has, for each member, the features of the core that it has; ``support`` is the number of
    features of the core, ``shared`` how many of these all members have. ``cut`` marks clusters that
    may lack tolerated documents.
    """

    members: Ragged[np.int32]
    fit: NDArray[np.int32]
    core: Ints
    support: NDArray[np.int32]
    shared: NDArray[np.int32]
    cut: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.core)

    @property
    def shares(self) -> Floats:
        """For each member its share of the features of the core, from alpha to 1."""
        return self.fit / self.support[self.members.owners()]

    def quality(self) -> Floats:
        """The share of ones in the table of members and features of the core, from alpha to 1."""
        if not len(self):
            return np.empty(0)
        ones = np.add.reduceat(self.fit.astype(np.int64), self.members.offsets[:-1])
        quality: Floats = ones / (self.members.lengths * self.support.astype(np.int64))
        return quality

    def weakest(self) -> Floats:
        """The least share of the core that a member has."""
        if not len(self):
            return np.empty(0)
        least: Floats = np.minimum.reduceat(self.shares, self.members.offsets[:-1])
        return least


@dataclass(frozen=True, slots=True)
class Tolerant(Closed):
    """Closed sets, and with each the documents that have most of the features its members share.

    The options are those of closed sets, which are the cores of the clusters.
    """

    alpha: float = option(
        0.8,
        "Share of the core's features that every member has; 1 gives the closed sets.",
        above=0,
        most=1,
    )

    def around(
        self, context: Context, cores: ClosedSets, chosen: Ints, threads: int
    ) -> TolerantSets:
        """The clusters around these cores; the same for any number of threads."""
        alpha = Fraction(str(self.alpha))
        sets = cores.members.take(chosen)
        offsets, members, fit, support, shared, cut, largest = _kernels.tolerant_clusters(
            context.values,
            context.offsets,
            cores.least,
            sets.values,
            sets.offsets,
            alpha.numerator,
            alpha.denominator,
            self.max_members,
            threads,
        )
        kept = np.flatnonzero(largest)
        rows = Ragged(members, offsets)
        return TolerantSets(
            rows.take(kept),
            rows.like(fit).take(kept).values,
            chosen[kept],
            support[kept],
            shared[kept],
            cut[kept] != 0,
        )

    def find_clusters(self, context: Context, threads: int) -> TolerantClusters:
        """The cores as in a search for closed sets, and what they tolerate."""
        sets = self.find(context, threads)
        cores = ClosedClusters(self, context, sets, false_clusters(context, sets, threads))
        return TolerantClusters(self, cores, self.around(context, sets, cores.chosen, threads))

    def facts(self, figures: Mapping[str, float], image: str) -> dict[str, Any]:
        """The figures and what they say, for the manifest."""
        count, tolerated = figures["sets"], figures["tolerated"]
        mean = round(figures["quality"] / count, 6) if count else None
        return {
            **Closed.facts(self, figures, image),
            "kind": "tolerant",
            "cores": self.kind,
            "alpha": self.alpha,
            "mean_quality": mean,
            "quality": ""
            if mean is None
            else (
                f"their quality, the share of the core's features that a member has, is "
                f"{mean:.3f} on average; {tolerated:,} "
                f"membership{' is' if tolerated == 1 else 's are'} tolerated"
            ),
            "false_clusters": false_sentence(figures, "core"),
            "notes": [*notes(figures, "core"), *_cut_note(int(figures["cut_clusters"]))],
        }

    @staticmethod
    def explain(facts: Mapping[str, Any]) -> Explanation:
        """In words what `facts` has written."""
        count = facts["sets"]
        return Explanation(
            noun="tolerant clusters",
            clusters=(
                f"{count:,} tolerant cluster{'' if count == 1 else 's'}, whose members have at "
                f"least {facts['alpha']:g} of the features that the documents of a core share, "
                f"which are at least {features_in_words(facts)}"
            ),
            sentences=tuple(
                text
                for text in (facts["quality"], facts["false_clusters"], *facts["notes"])
                if text
            ),
            stricter="a larger alpha, k or share",
            unlisted_from=facts["k"],
            tables=("components", "cores"),
        )


def _cut_note(cut: int) -> list[str]:
    if not cut:
        return []
    has, hold = ("has", "it holds its") if cut == 1 else ("have", "they hold their")
    return [
        f"{counted(cut, 'cluster')} {has} more candidates than are compared (20,000 for each "
        f"core) or came after the bound on memory was met: {hold} core, and may lack tolerated "
        "documents (max_members raises the bound on memory)"
    ]


@dataclass(frozen=True)
class TolerantClusters:
    """The clusters of a run and the closed sets that are their cores."""

    kind: Tolerant
    cores: ClosedClusters
    clusters: TolerantSets

    @property
    def complete(self) -> bool:
        """Whether no bound has cut the search."""
        return self.cores.complete and not self.clusters.cut.any()

    @cached_property
    def quality(self) -> Floats:
        """Of each cluster."""
        return self.clusters.quality()

    def shared_sets(self) -> SharedSets:
        """The clusters, with what all members of each share and with their quality."""
        members = self.clusters.members
        return SharedSets(
            members.like(members.values.astype(np.int64)),
            self.clusters.shared.astype(np.int64),
            self.quality,
        )

    def figures(self) -> dict[str, float]:
        """Numbers for the manifest."""
        known = self.cores.figures()
        return {
            **known,
            "sets": len(self.clusters),
            "core_sets": known["sets"],
            "tolerated": int((~self._in_core()).sum()),
            "quality": float(self.quality.sum()),
            "cut_clusters": int(self.clusters.cut.sum()),
        }

    def _in_core(self) -> NDArray[np.bool_]:
        """For each member whether it is of the core."""
        clusters, sets = self.clusters, self.cores.sets.members
        inside = np.zeros(len(clusters.members.values), bool)
        full = np.flatnonzero(clusters.fit == clusters.support[clusters.members.owners()])
        owner = clusters.members.owners()[full]
        cores = sets.take(clusters.core)
        width = len(self.cores.context) + 1
        keys = cores.owners() * width + cores.values
        wanted = owner * width + clusters.members.values[full]
        inside[full] = np.isin(wanted, keys)
        return inside

    def tables(self, ids: pa.Array) -> dict[str, pa.Table]:
        """The report on false clusters, and one row per cluster with its core and its quality."""
        clusters = self.clusters
        outside = np.flatnonzero(~self._in_core())
        counts = np.bincount(clusters.members.owners()[outside], minlength=len(clusters))
        names = ids.take(column(clusters.members.values[outside].astype(np.int64)))
        bounds = column(np.r_[0, np.cumsum(counts)].astype(np.int64))
        cores = pa.table(
            {
                "cluster": column(np.arange(len(clusters))),
                "documents": column(clusters.members.lengths),
                "core": column(self.cores.sets.members.lengths[clusters.core]),
                "features": column(clusters.support.astype(np.int64)),
                "quality": column(self.quality),
                "weakest": column(clusters.weakest()),
                "tolerated": pa.LargeListArray.from_arrays(bounds, names),
            }
        )
        return {**self.cores.tables(ids), "cores": cores}

    def lattices(self, ids: pa.Array, most: int = DRAWN) -> list[ComponentLattice]:
        """The lattices of the cores."""
        return self.cores.lattices(ids, most)
