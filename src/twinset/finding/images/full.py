"""All features: the image that loses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.model import FeatureLists


@dataclass(frozen=True, slots=True)
class Full:
    """Set of all features."""

    shape: ClassVar[str] = "set"
    most_promised: ClassVar[int] = 1

    def image(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The feature lists themselves."""
        return features

    def chance(self, common: int, similarity: float) -> float:
        """Similar documents share a feature for certain; more is not promised."""
        return 1.0 if similarity > 0 and common <= 1 else 0.0
