"""Exact similarity join: every pair at or above the threshold, none missed.

Prefix, length and positional filter as in the similarity-join literature [Chaudhuri, Ganti,
Kaushik 2006; Bayardo, Ma, Srikant 2007; Xiao et al. 2008]; the loops are in ``prefix.hpp``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Goal, Groups, Numbers, PrefixLinks, prefix_groups
from twinset.model import FeatureLists
from twinset.plan import Resources


class JoinCandidates(PrefixLinks):
    """Prefix keys, made once all documents are known because rare features come first."""

    def __init__(self, goal: Goal, resources: Resources) -> None:
        self.goal, self.resources = goal, resources

    def prepare(self, features: FeatureLists, threads: int) -> None:
        """Nothing: the store keeps the features."""

    def add(self, prepared: None, documents: Numbers) -> None:
        """Nothing yet: the order of features needs all documents."""

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups:
        """Groups by prefix feature."""
        documents, rule = np.flatnonzero(use).astype(np.uint32), self.joined_by()
        return prefix_groups(
            store, documents, *rule, self.resources, prune=True, counts=self.counts
        )

    def counted(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The features."""
        return features

    def joined_by(self) -> tuple[int, float]:
        """The measure of the plan."""
        return self.goal.measure.number, self.goal.threshold

    def describe(self) -> dict[str, Any]:
        """The kind alone: there is nothing to solve for."""
        return {"kind": "join"}

    def probability(self, similarity: float) -> float:
        """One above the threshold; below it a pair is not sought."""
        least = self.goal.measure.least_jaccard(self.goal.threshold)
        return 1.0 if least is None or similarity >= least else 0.0
