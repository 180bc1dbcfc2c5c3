"""n minimal elements in one permutation [Broder 1997; Kuznetsov et al.]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.images.base import Sized
from twinset.model import FeatureLists, Ragged
from twinset.plan.spec import option


@dataclass(frozen=True, slots=True)
class Bottom(Sized):
    """Set of the ``size`` smallest permuted features; all features if there are fewer."""

    size: int = option(100, "Number of smallest values to keep.", least=1, most=65536)
    shape: ClassVar[str] = "set"

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of at most ``size`` values for each feature list."""
        least = (self.size, self.seed, self.matrix, threads)
        return Ragged(*_kernels.bottom(features.values, features.offsets, *least))

    def chance(self, common: int, similarity: float) -> float:
        """Of the ``size`` least features of the union a binomial share is common [Broder 1997]."""
        return at_least(common, self.size, similarity)


def at_least(count: int, trials: int, chance: float) -> float:
    """P(X >= count) for X binomial(trials, chance)."""
    if count <= 0 or chance >= 1.0:
        return 1.0
    if chance <= 0.0:
        return 0.0
    whole = math.lgamma(trials + 1)
    terms = (
        whole
        - math.lgamma(k + 1)
        - math.lgamma(trials - k + 1)
        + k * math.log(chance)
        + (trials - k) * math.log1p(-chance)
        for k in range(count, trials + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))
