"""Intervals: a share of a number, and a range that holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.96  # 95 %
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and where it lies with 95 % confidence."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    def holds(self, value: float) -> bool:
        """Whether a value lies inside."""
        return self.low - ROUNDING <= value <= self.high + ROUNDING


def wilson(share: float, number: float) -> tuple[float, float]:
    """Wilson's interval of a share that was seen in so many cases."""
    if number <= 0:
        return 0.0, 1.0
    z = Z * Z / number
    middle = (share + z / 2) / (1 + z)
    half = Z * math.sqrt(share * (1 - share) / number + z / (4 * number)) / (1 + z)
    # Rounding must not shut out the share itself.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def estimate(value: float, bounds: Sequence[float], number: float) -> Estimate:
    """A value with bounds from a model, widened by chance."""
    low, _ = wilson(min(value, *bounds), number)
    _, high = wilson(max(value, *bounds), number)
    return Estimate(value, float(low), float(high))
