"""Methods whose one key is made of a document's heaviest words or sentences.

Zelenkov, Segalovich: Comparative analysis of near-duplicate detection methods of Web documents
(RCDL 2007), sections 4.2 to 4.6 and 4.11. TF is after Park, Pennock, Giles, Krovetz (SIGIR 2002),
the weight of TF·IDF is the BM25 of Robertson et al. (TREC-3, 1995), RIDF is of Church, Gale:
Poisson mixtures (1995), and Opt Freq is M. Maslov's (Yandex).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from twinset.finding.methods.base import About
from twinset.finding.methods.keys import Signature
from twinset.model import FeatureLists, Floats
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.terms import augmented_tf, residual_idf, saturated_tf
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


@dataclass(frozen=True, slots=True)
class TF(HeaviestWords):
    """A1: the six most frequent words of a document; needs no collection statistics."""

    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A1",
        named="TF",
        cost="linear, one pass",
        use="a quick first look at long documents; tolerates changes of less frequent words",
        avoid="short documents, where many words occur once and ties decide",
        published="ROMIP: recall .60, precision .94, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """tf."""
        return words.tf.astype(float)


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


@dataclass(frozen=True, slots=True)
class TFRIDF(HeaviestWords):
    """A3: the six words with the most surprising distribution over documents."""

    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A3",
        named="TF*RIDF",
        needs="collection statistics (df, cf)",
        cost="linear, two passes",
        use="if topical words matter: those that are concentrated in few documents, not just rare",
        avoid="small collections, where cf says little",
        published="ROMIP: recall .59, precision .95, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """(0.5+0.5 tf/tf_max) · (-log(df/N) + log(1-exp(-cf/N)))."""
        df, cf = statistics.counts(words.hashes, words.tokens.threads)
        return augmented_tf(words.tf, words.tf_max) * residual_idf(df, cf, statistics.documents)


@dataclass(frozen=True, slots=True)
class OptFreq(HeaviestWords):
    """A10: the six words closest to the best frequency for a search: 10 in a million documents.

    ``optimal`` is the inverse document frequency, as a natural logarithm, with the largest weight.
    """

    optimal: float = option(
        11.5, "Inverse document frequency with the largest weight, as a natural logarithm.", above=0
    )
    counts: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A10",
        named="Opt Freq",
        needs="collection statistics (df)",
        cost="linear, two passes",
        use="large collections, where very rare words are typing errors",
        avoid="collections far below a million documents: no word is as rare as the optimum",
        published="ROMIP: recall .59, precision .94, F .73",
    )

    def weights(self, words: Distinct, statistics: Statistics) -> Floats:
        """(0.5+0.5 tf/tf_max) · IDF_opt: sqrt(IDF/11.5) below the optimum, 11.5/IDF above it."""
        idf = statistics.frequencies.idf(words.hashes, words.tokens.threads, "plain")
        below = np.sqrt(idf / self.optimal)
        above = self.optimal / np.maximum(idf, self.optimal)
        return augmented_tf(words.tf, words.tf_max) * np.where(idf < self.optimal, below, above)


@dataclass(frozen=True, slots=True)
class LongSent(HeaviestSentences):
    """A4: the two sentences with the most words; the best recall of the methods with one key."""

    sentences: ClassVar[bool] = True
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A4",
        named="Long Sent",
        needs="sentences",
        cost="linear, one pass",
        use="recall from a single key per document",
        avoid="pages whose longest sentence is boilerplate, and lists or tables without full stops",
        published="ROMIP: recall .84, precision .80, F .82",
    )

    def weights(self, tokens: Tokens, statistics: Statistics) -> Floats:
        """Words of the sentence."""
        return tokens.sentence_words.astype(float)


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
