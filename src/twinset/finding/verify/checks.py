"""What checks the pairs of a method when the plan asks for it: ``edit:0.8``, ``jaccard:0.8``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.verify.measures import Containment, Cosine, Dice, Jaccard, Measure, Overlap
from twinset.finding.verify.texts import TextKind
from twinset.plan import Shingling
from twinset.plan.spec import option

LEAST = "Minimum similarity, inclusive; by default that of the plan."


@dataclass(frozen=True, slots=True)
class NoCheck:
    """No check: the pairs of the method are the result."""


@dataclass(frozen=True, slots=True)
class EditCheck:
    """Edit similarity of the texts, 2·LCS/(|a|+|b|).

    Cleaned words are without stop words and words of up to three letters; the raw text has its
    punctuation.
    """

    threshold: float | None = option(None, LEAST, above=0, most=1)
    text: TextKind = option(
        "words",
        "What is compared: all words in lower case, the cleaned words of the papers, or the raw "
        "text.",
    )


@dataclass(frozen=True, slots=True)
class SetCheck(Shingling):
    """A set measure over the shingles of the texts."""

    threshold: float | None = option(None, LEAST, above=0, first=True)
    measure: ClassVar[Measure] = Jaccard()

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        too_high = self.threshold is not None and self.threshold > self.measure.most
        return [f"threshold must be at most 1, not {self.threshold:g}"] if too_high else []


@dataclass(frozen=True, slots=True)
class JaccardCheck(SetCheck):
    """Jaccard similarity of the shingles."""


@dataclass(frozen=True, slots=True)
class ContainmentCheck(SetCheck):
    """Containment of the shingles of the smaller text in the other."""

    measure: ClassVar[Measure] = Containment()


@dataclass(frozen=True, slots=True)
class DiceCheck(SetCheck):
    """Dice similarity of the shingles."""

    measure: ClassVar[Measure] = Dice()


@dataclass(frozen=True, slots=True)
class CosineCheck(SetCheck):
    """Cosine similarity of the shingles."""

    measure: ClassVar[Measure] = Cosine()


@dataclass(frozen=True, slots=True)
class OverlapCheck(SetCheck):
    """Number of shared shingles."""

    measure: ClassVar[Measure] = Overlap()


Check = NoCheck | EditCheck | SetCheck
