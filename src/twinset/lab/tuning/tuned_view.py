"""What a view is worth at its best threshold, as estimates with the range in which they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinset.lab.evaluation.measures import wilson
from twinset.lab.tuning.views import TermView

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


@dataclass(frozen=True, slots=True)
class TunedView:
    """A view with the threshold of its best F1."""

    view: TermView
    threshold: float
    precision: Estimate
    recall: Estimate
    f1: float
    pairs_found: float


def estimate(value: float, bounds: Sequence[float], number: float) -> Estimate:
    """A value with bounds from a model, widened by chance."""
    low, _ = wilson(min(value, *bounds), number)
    _, high = wilson(max(value, *bounds), number)
    return Estimate(value, float(low), float(high))
