"""All features: the image that loses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.images.base import Sized
from twinset.model import FeatureLists


@dataclass(frozen=True, slots=True)
class Full(Sized):
    """Set of all features; size, seed and permutations have no effect."""

    shape: ClassVar[str] = "set"

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The feature lists themselves."""
        return features

    def chance(self, common: int, similarity: float) -> float:
        """Similar documents share a feature for certain."""
        return 1.0 if similarity > 0 and common <= 1 else 0.0
