"""An estimate with the range in which it lies."""

from __future__ import annotations

from dataclasses import dataclass

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
