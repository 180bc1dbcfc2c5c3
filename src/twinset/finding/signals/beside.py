"""What a report knows beside the texts of two documents: other pairs, and words of other documents.

A report does not keep the neighbours of its documents. It lists pairs with their scores, and its
documents can be read again: a sample of them says which words are rare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.signals.standing import SLACK
from twinset.model import Floats, Ints
from twinset.text.terms import idf
from twinset.text.tokens import WHOLE

SAMPLE = 256
"""Documents that are looked at for how rare a word is."""
SAMPLE_CHARACTERS = 1 << 20
LEAST_SAMPLE = 20
"""Documents without which nothing is said of rare words."""


@dataclass(frozen=True, slots=True)
class ListedScores:
    """The score of a listed pair, and those of the other listed pairs of each of its documents."""

    score: float
    others: tuple[Floats, Floats]

    @classmethod
    def of(
        cls, scores: Floats, with_left: NDArray[np.bool_], with_right: NDArray[np.bool_]
    ) -> ListedScores | None:
        """From all scores and the rows that hold either document; None for a pair not listed."""
        own = np.flatnonzero(with_left & with_right)
        if len(own) != 1:
            return None
        others = scores[with_left & ~with_right], scores[with_right & ~with_left]
        return cls(float(scores[own[0]]), others)

    def outstanding(self) -> tuple[float, int]:
        """By how many deviations it stands out from the others of an end, and how many these are.

        Of the two ends the one from which it stands out further counts.
        """
        ends = [scores for scores in self.others if len(scores)]
        deviations = [
            ((self.score - float(scores.mean())) / (float(scores.std()) + SLACK), len(scores))
            for scores in ends
        ]
        return max(deviations, default=(0.0, 0))

    def as_similar(self) -> int:
        """Other documents that are listed with an end as at least as similar to it."""
        return max(int((scores >= self.score).sum()) for scores in self.others)


@dataclass(frozen=True, slots=True)
class WordSample:
    """In how many of some documents each word is; ``words`` are hashes, ascending."""

    documents: int
    words: NDArray[np.uint64]
    df: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordSample | None:
        """From texts, as many as the bound of characters allows; None where these are too few."""
        ends = np.cumsum([len(text) for text in texts])
        few = texts[: int(np.searchsorted(ends, SAMPLE_CHARACTERS, "right"))]
        if len(few) < LEAST_SAMPLE:
            return None
        hashes = [
            np.unique(words) for words in WHOLE.tokens(pa.array(few, pa.large_string()), 1).words
        ]
        words, df = np.unique(np.concatenate(hashes), return_counts=True)
        return cls(sum(1 for own in hashes if len(own)), words, df)

    def rarity(self, words: NDArray[np.uint64]) -> float:
        """The mean idf of these words, as a share of that of a word of one document alone."""
        df = np.ones(len(words), np.int64)
        if len(self.words):
            place = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            df = np.where(self.words[place] == words, self.df[place], 1)
        rarest = float(idf(np.array([1]), self.documents)[0])
        return float(idf(df, self.documents).mean()) / rarest


def sampled(documents: int) -> Ints:
    """Numbers of documents spread evenly over all."""
    step = max(documents / SAMPLE, 1.0)
    numbers: Ints = np.arange(0, documents, step).astype(np.int64)[:SAMPLE]
    return numbers
