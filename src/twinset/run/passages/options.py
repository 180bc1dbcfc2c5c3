"""Which stretches of text are spans, and which are passages that two sides share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from twinset.plan.shared import shingle
from twinset.plan.spec import checked_values, option

if TYPE_CHECKING:
    from typing_extensions import Self

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
        return checked_values(
            cls(usual.least if least is None else least, usual.unit if unit is None else unit)
        )


@dataclass(frozen=True, slots=True)
class ReuseOptions:
    """Which stretches of two documents are one passage."""

    least: int = option(
        20,
        "Number of words that a passage has at least, on both sides; a shorter document has to "
        "stand there whole.",
        group="Passages",
        metavar="N",
        least=1,
        most=1_000_000,
    )
    threshold: float = option(
        0.7,
        "Edit similarity that a passage reaches at least, inclusive: 0 to 1.",
        group="Passages",
        short="-t",
        above=0,
        most=1,
    )
    shingle: int = shingle(group="Passages")
    gap: int = option(
        20,
        "Number of words up to which a passage may go on differently between two equal runs.",
        group="Passages",
        metavar="N",
        least=0,
        most=10_000,
    )
    frequent: int = option(
        1000,
        "Begin no passage with a shingle that stands in more documents than this on both sides.",
        group="Passages",
        metavar="N",
        least=1,
        most=1_000_000_000,
    )

    @classmethod
    def make(cls, **given: Any) -> Self:
        """Options that are checked; None means the default."""
        return checked_values(
            cls(**{name: value for name, value in given.items() if value is not None})
        )


@dataclass(frozen=True, slots=True)
class ItemOptions(ReuseOptions):
    """Which items of test sets stand in training text."""

    portion: float = option(
        0.5,
        "With --set: share of its question, as --least words, that makes an item a part found.",
        group="Passages",
        metavar="SHARE",
        above=0,
        most=1,
    )
    parts: tuple[str, ...] = option(
        (),
        "With --set: fields of an item, the question first, then what goes with it: "
        "question,choices,answer.",
        group="Input",
        metavar="FIELDS",
    )
