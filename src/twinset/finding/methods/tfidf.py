"""TF·IDF: the heaviest words by Okapi BM25 (A2).

Zelenkov, Segalovich 2007, section 4.3; the weight is that of Robertson et al. (TREC-3, 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestWords
from twinset.model import Floats
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.terms import saturated_tf
from twinset.text.tokens import Distinct


def bm25(words: Distinct, statistics: Statistics, k: float, b: float) -> Floats:
    """tf/(k(1-b+b·dl/dl_avg)+tf) · log((N-df+0.5)/(df+0.5)); negative for frequent words."""
    relative_length = words.dl / statistics.average_length
    rarity = statistics.frequencies.idf(words.hashes, words.tokens.threads, "probabilistic")
    return saturated_tf(words.tf, relative_length, k, b) * rarity


@dataclass(frozen=True, slots=True)
class TFIDF(HeaviestWords):
    """A2: the six words with the largest BM25 weights.

    ``k`` and ``b`` are the parameters of BM25: how much repetitions count, and how much the length
    counts. A word that is in more than half of the documents has a negative weight and is used only
    if there are not six better words.
    """

    k: float = option(
        2.0, "BM25: how much repetitions of a word count; larger means more.", least=0
    )
    b: float = option(
        0.75, "BM25: how much the length of a document counts, from 0 to 1.", least=0, most=1
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A2",
        named="TF*IDF",
        needs="collection statistics (df, dl_avg)",
        cost="linear, two passes",
        use="if precision matters more than recall",
        avoid="documents that differ in rare words (names, dates, typing errors), which weigh most",
        published="ROMIP: recall .54, precision .96, F .69",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """BM25."""
        return bm25(words, statistics, self.k, self.b)
