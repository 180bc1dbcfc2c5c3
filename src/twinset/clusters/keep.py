"""Which copy stays: policies that rank documents, the lowest rank first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from twinset.errors import PlanError
from twinset.model import Floats, Ints
from twinset.spec import option


@dataclass(frozen=True, slots=True)
class First:
    """The copy that was read first."""

    field: ClassVar[str | None] = None

    def rank(self, units: Ints, values: Floats | None) -> Floats | None:
        """None: the order of reading."""
        return None


@dataclass(frozen=True, slots=True)
class Longest:
    """The copy with the most words."""

    field: ClassVar[str | None] = None

    def rank(self, units: Ints, values: Floats | None) -> Floats | None:
        """The most words first."""
        return -units.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Shortest:
    """The copy with the fewest words."""

    field: ClassVar[str | None] = None

    def rank(self, units: Ints, values: Floats | None) -> Floats | None:
        """The fewest words first."""
        return units.astype(np.float64)


@dataclass(frozen=True, slots=True)
class ByField:
    """The copy with the largest or smallest number or date in a field: FIELD:max or FIELD:min."""

    field: str = option(
        "", "Field of the input that holds a number or an ISO date; use dots for nested fields."
    )
    way: Literal["max", "min"] = option(
        "max", "Keep the largest (latest) or the smallest (earliest) value."
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return [] if self.field else ["name a field, as in date:max"]

    @classmethod
    def from_text(cls, text: str) -> ByField | None:
        """``FIELD:max`` or ``FIELD:min``; None for anything else."""
        field, _, way = text.rpartition(":")
        return cls(field, "max" if way == "max" else "min") if way in ("max", "min") else None

    def as_text(self) -> str:
        """``FIELD:max`` or ``FIELD:min``, where that can be read again."""
        return f"{self.field}:{self.way}" if self.field == self.field.strip() else ""

    def rank(self, units: Ints, values: Floats | None) -> Floats | None:
        """By the numbers or dates; documents without one come last."""
        if values is None or np.isnan(values).all():
            raise PlanError(
                [
                    f"no document has a number or a date in the field '{self.field}', which keep "
                    f"'{self.as_text()}' asks for"
                ]
            )
        ranked = values if self.way == "min" else -values
        return np.where(np.isnan(ranked), np.inf, ranked)


Keep = First | Longest | Shortest | ByField
