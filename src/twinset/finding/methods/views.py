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
from twinset.model import Floats
from twinset.plan.shared import sentence_top, shingle, stop, text_top
from twinset.text import stopwords
from twinset.text.arrow import Texts
from twinset.text.terms import Frequencies, Kind, TermCounts, terms_of
from twinset.text.tokens import Cleaning, Distinct, Tokens, one_key
from twinset.text.vectors import WeightedTerms

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
        """Lists of stop words that are unknown, and files, which a model would need beside it."""
        return stopwords.faults(self.stop) + [
            f"a model takes stop words from the shipped lists: leave '{name}' out of stop"
            for name in filter(stopwords.is_own, stopwords.lists(self.stop))
        ]

    def kinds(self) -> list[Kind]:
        """The kinds of terms whose frequencies are needed."""
        needed = {VIEWS[name] for name in self.names}
        return [kind for kind in get_args(Kind) if kind in needed]

    def of(
        self, texts: Texts, frequencies: dict[Kind, Frequencies], threads: int
    ) -> tuple[dict[str, WeightedTerms], Tokens]:
        """The documents of a batch in every view, and their words."""
        tokens = Cleaning(self.stop, 0).tokens(texts, threads, sentences=True, keep_stopped=True)
        views = {name: self._view(name, tokens, frequencies) for name in self.names}
        return views, tokens

    def _view(
        self, name: str, tokens: Tokens, frequencies: dict[Kind, Frequencies]
    ) -> WeightedTerms:
        kind = VIEWS[name]
        if kind is None:
            return self._plain(name, tokens)
        if name not in ("words", "sentences"):
            counts = TermCounts.of(terms_of(tokens, kind), tokens.threads)
            weights = counts.tf * frequencies[kind].idf(counts.terms.values, tokens.threads)
            return WeightedTerms(counts.terms, weights).sorted()
        words = tokens.distinct(entries=True)
        weights = words.tf * frequencies[kind].idf(words.hashes, tokens.threads)
        weights[tokens.stopped[words.first] > 0] = 0.0
        chosen = self._heaviest(words, weights, by_sentence=name == "sentences")
        chosen &= weights > 0
        return WeightedTerms(words.terms.where(chosen), weights[chosen]).sorted()

    def _heaviest(self, words: Distinct, weights: Floats, by_sentence: bool) -> NDArray[np.bool_]:
        """Which distinct words are among the heaviest of their document, or of a sentence."""
        marked = np.zeros(len(weights), bool)
        if not by_sentence:
            marked[words.items.heaviest(weights, self.text_top).numbers.values] = True
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

    def _plain(self, name: str, tokens: Tokens) -> WeightedTerms:
        """A view whose features are not weighed by their df."""
        if name == "shingles":
            shingles = tokens.shingles(self.shingle)
            return WeightedTerms(shingles, np.ones(len(shingles.values)))
        if name == "length":
            there = tokens.lengths > 0
            only = one_key(np.zeros(len(tokens), np.uint64), there)
            return WeightedTerms(only, tokens.lengths[there].astype(float))
        words = tokens.distinct()
        numbers = words.terms.where(tokens.with_digit()[words.first])
        return WeightedTerms(numbers, np.ones(len(numbers.values))).sorted()
