"""I-Match: the document's words inside a lexicon of middling rarity, as one key.

Chowdhury, Frieder, Grossman, McCabe: Collection statistics for fast duplicate document detection
(ACM TOIS 2002). The paper sums the sorted words up by SHA-1; any hash of the set gives the same
groups, and here it is one of 64 bits that needs no sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Cleaned, Signature, disordered
from twinset.model import FeatureLists, Ragged
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Distinct, Tokens


@dataclass(frozen=True, slots=True)
class IMatch(Signature):
    """The set of words of a document that are neither rare nor common in the collection.

    The lexicon is the words whose normalised IDF, log(N/df)/log(N), lies from ``low`` to ``high``.
    A document with fewer than ``least`` of them has no key.
    """

    low: float = option(
        0.1, "Minimum normalised IDF, log(N/df)/log(N), of a word of the lexicon.", least=0, most=1
    )
    high: float = option(0.9, "Maximum normalised IDF of a word of the lexicon.", least=0, most=1)
    least: int = option(
        5, "Minimum number of lexicon words that a document needs to get a key.", least=1
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Chowdhury, Frieder, Grossman, McCabe 2002",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="short and reordered documents: the order of words does not matter",
        avoid="documents that differ in one word of the lexicon: use lexrand",
        published="none in the source paper; see lexrand",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        return Cleaned.faults(self) + disordered(self.low, self.high)

    def inside(self, words: Distinct, statistics: Statistics) -> NDArray[np.uint8]:
        """1 where a word belongs to the lexicon; in a collection of one document none does."""
        if statistics.documents < 2:
            return np.zeros(len(words.first), np.uint8)
        rarity = statistics.frequencies.idf(words.hashes, words.tokens.threads, "normalised")
        inside: NDArray[np.uint8] = ((rarity >= self.low) & (rarity <= self.high)).astype(np.uint8)
        return inside

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has enough words of the lexicon."""
        words = tokens.distinct()
        inside = self.inside(words, statistics)
        return Ragged(
            *_kernels.lexicon_keys(
                words.hashes, words.offsets, inside, 0, 0.0, 0, self.least, tokens.threads
            )
        )
