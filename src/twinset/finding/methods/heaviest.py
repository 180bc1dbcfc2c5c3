"""What the methods that take a document's heaviest words or sentences have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset.finding.methods.keys import Signature
from twinset.model import FeatureLists, Floats
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Checksum, Distinct, Tokens

DIGITS = 12  # weights that differ by rounding alone are equal


@dataclass(frozen=True, slots=True)
class HeaviestWords(Signature):
    """The ``words`` heaviest words, joined in alphabetical order, make one key by ``checksum``.

    ``checksum`` is crc32 as in the paper or hash64. With crc32 different documents share a key by
    chance: n documents have about n²/2³³ such pairs, 116 in a million documents.
    """

    words: int = option(6, "Number of heaviest words that form the key.", least=1, most=1000)
    checksum: Checksum = option(
        "crc32", "Checksum used as the key: crc32 as in the paper, or hash64."
    )

    one_key: ClassVar[bool] = True

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """The weight of each distinct word of each document."""
        raise NotImplementedError

    def signature(self, tokens: Tokens, statistics: Statistics) -> list[list[str]]:
        """The chosen words of each document, heaviest first, for people and tests."""
        words = tokens.distinct()
        weights = np.round(self.weights(words, statistics), DIGITS)
        return words.items.heaviest(weights, self.words).texts()

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has words."""
        words = tokens.distinct()
        weights = np.round(self.weights(words, statistics), DIGITS)
        return words.items.heaviest(weights, self.words).keys(self.checksum)


@dataclass(frozen=True, slots=True)
class HeaviestSentences(Signature):
    """The ``count`` heaviest sentences, joined in alphabetical order, make one key by ``checksum``.

    Equal sentences count once. ``checksum`` is crc32 as in the paper or hash64; with crc32 about
    n²/2³³ pairs of n documents share a key by chance, 116 in a million documents.
    """

    count: int = option(2, "Number of heaviest sentences that form the key.", least=1, most=1000)
    checksum: Checksum = option(
        "crc32", "Checksum used as the key: crc32 as in the paper, or hash64."
    )

    one_key: ClassVar[bool] = True

    def weights(self, tokens: Tokens, statistics: Statistics) -> Floats:
        """The weight of each sentence."""
        raise NotImplementedError

    def signature(self, tokens: Tokens, statistics: Statistics) -> list[list[str]]:
        """The chosen sentences of each document, heaviest first, for people and tests."""
        weights = np.round(self.weights(tokens, statistics), DIGITS)
        return tokens.sentences.heaviest(weights, self.count).texts()

    def keys(self, tokens: Tokens, statistics: Statistics) -> FeatureLists:
        """One key for each document that has words."""
        weights = np.round(self.weights(tokens, statistics), DIGITS)
        return tokens.sentences.heaviest(weights, self.count).keys(self.checksum)
