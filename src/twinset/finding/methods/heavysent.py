"""Heavy Sent: the sentences of greatest BM25 weight (A5).

Zelenkov, Segalovich 2007, section 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset.finding.methods.base import About
from twinset.finding.methods.heaviest import HeaviestSentences
from twinset.finding.methods.tfidf import bm25
from twinset.model import Floats
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Tokens


@dataclass(frozen=True, slots=True)
class HeavySent(HeaviestSentences):
    """A5: the two sentences with the largest sum of A2 weights.

    ``k`` and ``b`` are the parameters of BM25.
    """

    k: float = option(
        2.0, "BM25: how much repetitions of a word count; larger means more.", least=0
    )
    b: float = option(
        0.75, "BM25: how much the length of a document counts, from 0 to 1.", least=0, most=1
    )
    counts: ClassVar[bool] = True
    sentences: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A5",
        named="Heavy Sent",
        needs="collection statistics (df, dl_avg) and sentences",
        cost="linear, two passes",
        use="like longsent, if the long sentences are boilerplate",
        avoid="tables and lists without full stops",
        published="ROMIP: recall .62, precision .86, F .72",
    )

    def weights(self, tokens: Tokens, statistics: Statistics) -> Floats:
        """The sum of the weights of all words of the sentence, each time they occur."""
        if not len(tokens.sentence_first):
            return np.empty(0)
        words = tokens.distinct(entries=True)
        weight = bm25(words, statistics, self.k, self.b)
        sums: Floats = np.add.reduceat(weight[words.entry], tokens.sentence_first)
        return sums
