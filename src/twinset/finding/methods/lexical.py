"""Lexical image: the words of middling frequency, as a set.

Ignatov, Kuznetsov et al., on lexical and syntactic images with frequent closed sets: the words
whose frequency lies in an interval, stop words removed; documents with many common words are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from twinset.finding.candidates.base import Goal
from twinset.finding.candidates.join import JoinCandidates
from twinset.finding.methods.base import MEASURED, About, SetSearch, Survey
from twinset.finding.methods.keys import Cleaned, checked, disordered
from twinset.model import FeatureLists, Ints
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.statistics import Statistics, WordSurvey
from twinset.text.tokens import sorted_set


@dataclass(frozen=True, slots=True)
class Lexical(Cleaned):
    """Sets of words, compared exactly by the plan's measure (``--measure overlap`` counts them).

    A word belongs to the image if its count in the collection, relative to that of the most
    frequent word, lies from ``low`` to ``high``.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    low: float = option(
        0.00001, "Minimum count of a word, relative to the most frequent word.", least=0, most=1
    )
    high: float = option(
        0.5, "Maximum count of a word, relative to the most frequent word.", least=0, most=1
    )
    about: ClassVar[About] = About(
        paper="Ignatov, Kuznetsov et al. (lexical images, ROMIP collection)",
        needs="collection statistics (cf)",
        cost="linear in practice, quadratic at worst; two passes",
        use="reordered or lightly rewritten documents: the order of words does not matter",
        avoid="documents on one narrow subject, which share words without sharing text",
        published="none as a pair method; in the paper it feeds closed sets",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        return Cleaned.faults(self) + disordered(self.low, self.high)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> LexicalSearch:
        """Begin a run."""
        return LexicalSearch(self, goal, resources, known)


class LexicalSearch(SetSearch):
    """A join of the images."""

    def __init__(
        self, method: Lexical, goal: Goal, resources: Resources, known: Statistics | None
    ) -> None:
        super().__init__(self, JoinCandidates(goal, resources), goal)
        self.method, self.resources = method, resources
        self.statistics = checked(known, method.cleaning())

    @property
    def has_links(self) -> bool:  # type: ignore[override]
        """As soon as the statistics are there."""
        return self.statistics is not None

    def surveys(self) -> Iterator[Survey]:
        """Word counts."""
        if self.statistics is None:
            survey = WordSurvey(self.method.cleaning(), self.resources.threads)
            yield survey
            self.statistics = survey.finish()

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted hashes of the words inside the interval."""
        assert self.statistics is not None
        tokens = self.method.cleaning().tokens(texts, threads)
        words = tokens.distinct()
        _, cf = self.statistics.counts(words.hashes, threads)
        most = max(int(self.statistics.cf.max(initial=1)), 1)
        inside = (cf >= self.method.low * most) & (cf <= self.method.high * most)
        return sorted_set(words.terms.where(inside), threads), tokens.lengths
