"""Features whose permuted hash is divisible by m [Manber 1994; Broder 1997]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import _kernels
from twinset.finding.images.base import Sized
from twinset.model import FeatureLists, Ragged
from twinset.plan.spec import option


@dataclass(frozen=True, slots=True)
class Mod(Sized):
    """Set of about one in ``size`` features; a short document may have none."""

    size: int = option(
        25,
        "Keep every n-th value on average: those whose hash is divisible by this number.",
        least=1,
        most=65536,
    )
    shape: ClassVar[str] = "set"

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """A sorted list of the values divisible by ``size`` for each feature list."""
        least = (self.size, self.seed, self.matrix, threads)
        return Ragged(*_kernels.mod(features.values, features.offsets, *least))

    def chance(self, common: int, similarity: float) -> float:
        """One shared value is nearly sure for long documents; more is not promised."""
        return 1.0 if similarity > 0 and common <= 1 else 0.0
