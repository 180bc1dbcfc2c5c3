"""SpotSigs: what follows stop words, because navigation and advertisements have few of them.

Theobald, Siddharth, Paepcke: SpotSigs: robust and efficient near duplicate detection in large web
collections (SIGIR 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.finding.candidates.base import Goal
from twinset.finding.candidates.join import JoinCandidates
from twinset.finding.methods.base import MEASURED, About, SetSearch
from twinset.finding.methods.keys import Cleaned
from twinset.model import FeatureLists, Ints, Ragged
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.stopwords import hashes_of, is_own, lists, stop_words
from twinset.text.tokens import Cleaning


@dataclass(frozen=True, slots=True)
class SpotSignatures:
    """Each antecedent with ``chain`` words after it that are no stop words, ``distance`` apart."""

    cleaning: Cleaning
    antecedents: tuple[str, ...] = ()
    chain: int = 2
    distance: int = 1

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted signatures of each document, and its number of words."""
        tokens = self.cleaning.tokens(texts, threads, keep_stopped=True)
        antecedent = tokens.stopped
        if self.antecedents:
            listed = np.isin(tokens.hashes, hashes_of(sorted(self.antecedents)))
            antecedent = (listed & (tokens.stopped > 0)).astype(np.uint8)
        values, offsets = _kernels.spot_signatures(
            tokens.hashes,
            antecedent,
            tokens.stopped,
            tokens.offsets,
            self.chain,
            self.distance,
            threads,
        )
        return Ragged(values, offsets), tokens.lengths


@dataclass(frozen=True, slots=True)
class SpotSigs(Cleaned):
    """Sets of stop words with the next ``chain`` other words, compared exactly by the measure.

    The ``antecedents`` are all stop words, or some of them joined by + (is+the+said); the words
    after one are taken ``distance`` apart. A document without stop words has no signature.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    antecedents: str = option(
        "", "Stop words that begin a spot, joined by +; empty: all stop words."
    )
    chain: int = option(
        2, "Number of words that follow the stop word in a spot.", least=1, most=100
    )
    distance: int = option(
        1, "Distance in words from one word of a spot to the next.", least=1, most=100
    )
    about: ClassVar[About] = About(
        paper="Theobald, Siddharth, Paepcke 2008",
        cost="linear in practice, quadratic at worst",
        use="news and blog pages: the text among navigation and advertisements",
        avoid="languages without a list of stop words, tables, titles, source code",
        needs="stop words of the language",
        published="SIGIR 2008: F .92 to .94 on Gold Set news pages at a Jaccard threshold of .44",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        faults = Cleaned.faults(self)
        if self.stop == "none":
            faults.append("without stop words there are no spots: name languages in stop")
        elif self.antecedents and not faults and not any(map(is_own, lists(self.stop))):
            strange = set(self._antecedents()) - set(stop_words(self.stop))
            faults += [f"the antecedent '{word}' is no stop word" for word in sorted(strange)]
        return faults

    def _antecedents(self) -> tuple[str, ...]:
        return tuple(filter(None, self.antecedents.split("+")))

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        features = SpotSignatures(self.cleaning(), self._antecedents(), self.chain, self.distance)
        return SetSearch(features, JoinCandidates(goal, resources), goal)
