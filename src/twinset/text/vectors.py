"""Documents as sparse vectors of weighted terms, and their tf-idf vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Floats, Ints, Ragged
from twinset.text.statistics import Statistics
from twinset.text.terms import TermCounts, idf


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """One vector per document: its terms, each once, and parallel to them their weights."""

    terms: Ragged[Any]
    weights: Floats

    @classmethod
    def concatenate(cls, parts: Sequence[WeightedTerms]) -> WeightedTerms:
        """The documents of several batches, one after the other."""
        terms = Ragged.concatenate([part.terms for part in parts], np.uint64)
        return cls(terms, np.concatenate([np.empty(0), *(part.weights for part in parts)]))

    @property
    def features(self) -> NDArray[Any]:
        """The terms of all documents, one after the other."""
        return self.terms.values

    @property
    def offsets(self) -> Ints:
        """Where the terms of each document begin."""
        return self.terms.offsets

    def sums(self, power: int = 1) -> Floats:
        """The sum of the weights of each document, or of their squares with power 2."""
        weights = self.weights if power == 1 else self.weights * self.weights
        return self.terms.like(weights).sums()

    def take(self, documents: NDArray[np.uint32]) -> WeightedTerms:
        """The vectors of these documents, in this order."""
        places = self.terms.places(documents)
        terms = places.like(self.features[places.values])
        return WeightedTerms(terms, self.weights[places.values])

    def scaled(self) -> WeightedTerms:
        """The vectors scaled to length one."""
        length = np.sqrt(self.sums(power=2))
        return WeightedTerms(self.terms, self.weights / length[self.terms.owners()])

    def sorted(self) -> WeightedTerms:
        """The terms of each document in ascending order."""
        order = np.lexsort((self.features, self.terms.owners()))
        return WeightedTerms(self.terms.like(self.features[order]), self.weights[order])

    def numbered(self) -> tuple[WeightedTerms, int]:
        """The terms numbered from 0 in ascending order, as joins want them; and their number."""
        names, numbers = np.unique(self.features, return_inverse=True)
        terms = self.terms.like(numbers.reshape(-1).astype(np.uint32))
        return WeightedTerms(terms, self.weights), len(names)


@dataclass(frozen=True, slots=True)
class CollectedTerms:
    """The terms of documents as numbers, in order of first appearance, with their tf.

    By number there are the hash, the df and the idf of each term. A number is of no term where its
    df is 0.
    """

    terms: Ragged[np.uint32]
    tf: NDArray[np.int32]
    names: Features
    df: NDArray[np.uint32]
    idf: Floats

    def by_tf(self, *, sublinear: bool) -> Floats:
        """What a term weighs beside its idf, by its tf."""
        tf = np.arange(int(self.tf.max(initial=0)) + 1, dtype=float)
        return np.concatenate([[0.0], 1 + np.log(tf[1:])]) if sublinear else tf


class TermCollector:
    """Numbers the terms of documents as they come, so that their hashes need not be kept."""

    def __init__(self) -> None:
        self._table = _kernels.TermTable()
        self._terms: list[Ragged[np.uint32]] = []
        self._tf: list[NDArray[np.int32]] = []

    def add(self, counts: TermCounts, threads: int) -> None:
        """Take in the documents of a batch."""
        terms = counts.terms
        numbers = self._table.add(np.ascontiguousarray(terms.flat), threads)
        self._terms.append(Ragged(numbers, terms.offsets - terms.offsets[0]))
        self._tf.append(counts.tf)

    def finish(self, known: Statistics | None = None) -> CollectedTerms:
        """All documents; df are their own unless statistics are ``known``."""
        names, df = self._table.all()
        self._table = _kernels.TermTable()
        terms = Ragged.concatenate(self._terms, np.uint32)
        self._terms.clear()
        tf = np.concatenate([np.empty(0, np.int32), *self._tf])
        self._tf.clear()
        if known is None:
            rarity = idf(df.astype(np.int64), int((terms.lengths > 0).sum()))
        else:
            rarity = idf(known.counts(names)[0], known.documents)
        return CollectedTerms(terms, tf, names, df, rarity)


def tfidf_vectors(counts: TermCounts, *, sublinear: bool = False) -> tuple[WeightedTerms, int]:
    """tf (or 1+log tf) times idf, scaled to length one, with terms numbered in ascending order.

    df are those of the documents themselves; the number of different terms comes second.
    """
    tf = counts.tf.astype(float)
    numbered, dimensions = WeightedTerms(counts.terms, tf).numbered()
    df = np.bincount(numbered.features, minlength=dimensions)
    rarity = idf(df, int((counts.terms.lengths > 0).sum()))
    weights = (1 + np.log(tf) if sublinear else tf) * rarity[numbered.features]
    return WeightedTerms(numbered.terms, weights).scaled().sorted(), dimensions
