"""Intervals: a share of a number, and a range that holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinset.lab.evaluation.measures import wilson

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


def estimate(value: float, bounds: Sequence[float], number: float) -> Estimate:
    """A value with bounds from a model, widened by chance."""
    low, _ = wilson(min(value, *bounds), number)
    _, high = wilson(max(value, *bounds), number)
    return Estimate(value, float(low), float(high))
