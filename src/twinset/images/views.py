"""Documents seen in several ways, each a list of features with weights.

Raveena, Nandini 2014: the words of greatest tf-idf of a document, or of each of its sentences,
united. Beside them whole texts, word pairs, character grams, shingles, numbers and the length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Floats, Ints
from twinset.plan.shared import sentence_top, shingle, stop, text_top
from twinset.text import stopwords
from twinset.text.arrow import Texts
from twinset.text.terms import Counted, Frequencies, Kind, terms
from twinset.text.tokens import Cleaning, Distinct, Tokens

# The view, and the kind of term whose df weighs it: none where features are not weighed.
VIEWS: dict[str, Kind | None] = {
    "words": "word",
    "sentences": "word",
    "text": "word",
    "pairs": "pair",
    "grams": "gram",
    "shingles": None,
    "numbers": None,
    "length": None,
}


@dataclass(frozen=True, slots=True)
class Lists:
    """Features of each document, rising, each once, with their weights."""

    features: Features
    weights: Floats
    offsets: Ints

    @classmethod
    def joined(cls, parts: list[Lists]) -> Lists:
        """The documents of several batches, one after the other."""
        sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(part.offsets) for part in parts)])
        return cls(
            np.concatenate([np.empty(0, np.uint64), *(part.features for part in parts)]),
            np.concatenate([np.empty(0), *(part.weights for part in parts)]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )

    def of(self, documents: NDArray[np.uint32]) -> Lists:
        """The lists of these documents, in this order."""
        sizes = np.diff(self.offsets)[documents]
        ends = np.cumsum(sizes)
        rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            self.offsets[:-1][documents] - (ends - sizes), sizes
        )
        offsets = np.concatenate([[0], ends]).astype(np.int64)
        return Lists(self.features[rows], self.weights[rows], offsets)

    def sums(self, values: Floats) -> Floats:
        """The sum of values, one a feature, over each document."""
        document = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.bincount(document, values, minlength=len(self.offsets) - 1).astype(float)


@dataclass(frozen=True, slots=True)
class Views:
    """Which views are taken, and their sizes.

    ``text_top`` words of a document by tf-idf (words), ``sentence_top`` of each sentence
    (sentences); words of the lists ``stop`` are not among them. ``shingle`` is the number of words
    in a row.
    """

    names: tuple[str, ...]
    text_top: int = text_top()
    sentence_top: int = sentence_top()
    shingle: int = shingle()
    stop: str = stop("en+ru")

    def faults(self) -> list[str]:
        """Lists of stop words that are unknown."""
        return stopwords.faults(self.stop)

    def kinds(self) -> list[Kind]:
        """The kinds of terms whose frequencies are needed."""
        wanted = {VIEWS[name] for name in self.names}
        return [kind for kind in get_args(Kind) if kind in wanted]

    def of(
        self, texts: Texts, frequencies: dict[Kind, Frequencies], threads: int
    ) -> tuple[dict[str, Lists], Tokens]:
        """The documents of a batch in every view, and their words."""
        tokens = Cleaning(self.stop, 0).tokens(texts, threads, sentences=True, keep_stopped=True)
        made = {name: self._view(name, tokens, frequencies) for name in self.names}
        return made, tokens

    def _view(self, name: str, tokens: Tokens, frequencies: dict[Kind, Frequencies]) -> Lists:
        kind = VIEWS[name]
        if kind is None:
            return self._plain(name, tokens)
        if name not in ("words", "sentences"):
            return _weighed(terms(tokens, kind), frequencies[kind], tokens.threads)
        words = tokens.distinct(entries=True)
        counted = Counted(words.hashes, words.tf, words.offsets)
        weights = words.tf * frequencies[kind].idf(words.hashes, tokens.threads)
        weights[tokens.stopped[words.first] > 0] = 0.0
        chosen = self._heaviest(words, weights, by_sentence=name == "sentences")
        chosen &= weights > 0
        return _sorted(_only(counted, chosen), weights[chosen])

    def _heaviest(self, words: Distinct, weights: Floats, by_sentence: bool) -> NDArray[np.bool_]:
        """Which distinct words are among the heaviest of their document, or of a sentence."""
        marked = np.zeros(len(weights), bool)
        if not by_sentence:
            marked[words.items.heaviest(weights, self.text_top).item] = True
            return marked
        tokens = words.tokens
        bounds = np.append(tokens.sentence_first, len(tokens.hashes)).astype(np.int64)
        first, _, offsets, _ = _kernels.distinct(tokens.hashes, bounds, False, tokens.threads)
        item, _ = _kernels.heaviest(
            tokens.bytes,
            tokens.starts[first],
            tokens.ends[first],
            offsets,
            np.ascontiguousarray(weights[words.entry[first]]),
            np.empty(0, np.uint64),
            self.sentence_top,
            tokens.threads,
        )
        marked[words.entry[first[item]]] = True
        return marked

    def _plain(self, name: str, tokens: Tokens) -> Lists:
        if name == "shingles":
            features, offsets = tokens.shingles(self.shingle)
            return Lists(features, np.ones(len(features)), offsets)
        if name == "length":
            there = tokens.lengths > 0
            offsets = np.concatenate([[0], np.cumsum(there)]).astype(np.int64)
            length = tokens.lengths[there].astype(float)
            return Lists(np.zeros(len(length), np.uint64), length, offsets)
        words = tokens.distinct()
        counted = Counted(words.hashes, words.tf, words.offsets)
        numbers = _only(counted, _with_digit(words))
        return _sorted(numbers, np.ones(len(numbers.hashes)))


def _weighed(counted: Counted, frequencies: Frequencies, threads: int) -> Lists:
    return _sorted(counted, counted.tf * frequencies.idf(counted.hashes, threads))


def _only(counted: Counted, chosen: NDArray[np.bool_]) -> Counted:
    before = np.concatenate([[0], np.cumsum(chosen)]).astype(np.int64)
    return Counted(counted.hashes[chosen], counted.tf[chosen], before[counted.offsets])


def _sorted(counted: Counted, weights: Floats) -> Lists:
    document = np.repeat(np.arange(len(counted.offsets) - 1), np.diff(counted.offsets))
    order = np.lexsort((counted.hashes, document))
    return Lists(counted.hashes[order], weights[order], counted.offsets)


def _with_digit(words: Distinct) -> NDArray[np.bool_]:
    """Which words hold a digit from 0 to 9."""
    data = words.tokens.bytes
    digits = np.concatenate([[0], np.cumsum((data >= ord("0")) & (data <= ord("9")))])
    items = words.items
    found: NDArray[np.bool_] = digits[items.stops] > digits[items.starts]
    return found
