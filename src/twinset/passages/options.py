"""Which stretches of text are spans."""

from __future__ import annotations

from typing import Literal

from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.spec import faults_of, option

SpanUnit = Literal["word", "char", "byte"]


@dataclass(frozen=True, slots=True)
class SpanOptions:
    """Which stretches are spans."""

    least: int = option(
        50,
        "Number of units that a repeated stretch has at least.",
        group="Spans",
        metavar="N",
        least=1,
        most=1_000_000,
    )
    unit: SpanUnit = option(
        "word",
        "What is counted and compared: words as find compares them, or characters or bytes as they "
        "are.",
        group="Spans",
    )

    @classmethod
    def make(cls, least: int | None = None, unit: SpanUnit | None = None) -> SpanOptions:
        """Options that are checked; None means the default."""
        usual = cls()
        made = cls(usual.least if least is None else least, usual.unit if unit is None else unit)
        if faults := faults_of(made):
            raise PlanError(faults)
        return made
