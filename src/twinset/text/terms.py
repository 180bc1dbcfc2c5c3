"""Terms and their weights: how often a term occurs (tf), in how many documents (df), how rare.

A term is the 64-bit hash of a word, a run of words or a run of characters. `TermCounts` has the
terms of documents with their tf, `Frequencies` the df of a collection. The formulas that weigh
them are here and nowhere else: `idf` has the published versions by name; `augmented_tf`,
`saturated_tf` and `residual_idf` belong to single methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged
from twinset.plan import Unit
from twinset.text.arrow import Texts
from twinset.text.tokens import WHOLE, Tokens

Kind = Literal["word", "pair", "gram"]
IdfVariant = Literal["smooth", "plain", "probabilistic", "normalised"]
GRAM = 5
MOST = 1 << 16
_MERGE_AT = 1 << 23

_IDF: dict[str, Callable[[Ints, int], Floats]] = {
    "smooth": lambda df, n: np.log((1 + n) / (1 + df)) + 1,
    "plain": lambda df, n: -np.log(df / n),
    "probabilistic": lambda df, n: np.log((n - df + 0.5) / (df + 0.5)),
    "normalised": lambda df, n: np.log(n / df) / np.log(n),
}


def idf(df: Ints, documents: int, variant: IdfVariant = "smooth") -> Floats:
    """The inverse document frequency of terms that are in ``df`` of N documents.

    * smooth: log((1+N)/(1+df))+1, positive for every term, for vectors [Salton, Buckley 1988];
    * plain: -log(df/N) [Spärck Jones 1972];
    * probabilistic: log((N-df+0.5)/(df+0.5)), negative for a term that is in more than half of
      the documents: the part of BM25 that is not tf [Robertson et al. 1995];
    * normalised: log(N/df)/log(N), from 0 to 1, for two documents and more [Chowdhury et al. 2002].
    """
    n = max(documents, 1)
    return _IDF[variant](np.minimum(df, n), n)


def residual_idf(df: Ints, cf: Ints, documents: int) -> Floats:
    """RIDF: plain idf beyond what cf occurrences, strewn at random, lead to [Church, Gale 1995]."""
    n = max(documents, 1)
    residual: Floats = idf(df, n, "plain") + np.log(-np.expm1(-cf / n))
    return residual


def augmented_tf(tf: NDArray[np.int32], tf_max: NDArray[np.int32]) -> Floats:
    """tf from 0.5 to 1, by the most frequent term of the document [Salton, Buckley 1988]."""
    return 0.5 + 0.5 * tf / tf_max


def saturated_tf(tf: NDArray[np.int32], relative_length: Floats, k: float, b: float) -> Floats:
    """tf as BM25 has it, ever less for each repetition [Robertson et al. 1995].

    ``relative_length`` is the length of the document over the average one.
    """
    return tf / (k * (1 - b + b * relative_length) + tf)


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The distinct terms of each document, in order of first appearance, with their counts."""

    terms: FeatureLists
    tf: NDArray[np.int32]

    @classmethod
    def of(cls, terms: FeatureLists, threads: int) -> TermCounts:
        """Count terms that are given as often as they occur."""
        first, tf, offsets, _ = _kernels.distinct(terms.values, terms.offsets, False, threads)
        return cls(Ragged(terms.values[first], offsets), tf)

    @classmethod
    def concatenate(cls, parts: Sequence[TermCounts]) -> TermCounts:
        """The documents of several batches, one after the other."""
        terms = Ragged.concatenate([part.terms for part in parts], np.uint64)
        return cls(terms, np.concatenate([np.empty(0, np.int32), *(part.tf for part in parts)]))

    def __len__(self) -> int:
        return len(self.terms)

    def where(self, chosen: NDArray[np.bool_]) -> TermCounts:
        """Only the chosen terms of each document."""
        return TermCounts(self.terms.where(chosen), self.tf[chosen])


def runs(tokens: Tokens, length: int, unit: Unit) -> FeatureLists:
    """Runs of words, characters or sentences as often as they occur, in order.

    Sentences must be among the tokens where they are the unit.
    """
    if unit == "sentence":
        return tokens.sentence_runs(length)
    return tokens.grams(length) if unit == "char" else tokens.shingles(length, unique=False)


def terms_of(tokens: Tokens, kind: Kind) -> FeatureLists:
    """The terms of a kind, in order; a document too short for one is one term as a whole."""
    if kind == "word":
        return tokens.words
    return runs(tokens, GRAM, "char") if kind == "gram" else runs(tokens, 2, "word")


@dataclass(frozen=True)
class Frequencies:
    """In how many of ``documents`` documents a term occurs.

    ``hashes`` are sorted. Counts up to ``rare`` may have been left out to fit into a small file:
    a term that is not listed counts as ``rare``.
    """

    hashes: Features
    df: Ints
    documents: int
    rare: int = 1

    @cached_property
    def _places(self) -> _kernels.HashPlaces:
        return _kernels.HashPlaces(self.hashes)

    def places(self, hashes: Features, threads: int = 1) -> Ints:
        """The row of each term; -1 for an unknown one."""
        return self._places.find(np.ascontiguousarray(hashes), threads)

    def of(self, hashes: Features, threads: int = 1) -> Ints:
        """df of these terms."""
        if not len(self.hashes):
            return np.full(len(hashes), self.rare, np.int64)
        rows = self.places(hashes, threads)
        return np.where(rows >= 0, np.maximum(self.df[rows], self.rare), self.rare)

    def idf(self, hashes: Features, threads: int = 1, variant: IdfVariant = "smooth") -> Floats:
        """`idf` of these terms."""
        return idf(self.of(hashes, threads), self.documents, variant)

    def frequent(self, most: int = MOST) -> Frequencies:
        """Only the most frequent terms, as many as fit; those that tie with a left out one go."""
        listed = self.df > self.rare
        rare = self.rare
        if int(listed.sum()) > most:
            rare = int(np.sort(self.df)[-most - 1])
            listed = self.df > rare
        return Frequencies(self.hashes[listed], self.df[listed], self.documents, rare)


class TermSurvey:
    """Counts the documents of each term, for several kinds of terms in one pass."""

    def __init__(self, kinds: Iterable[Kind], threads: int) -> None:
        self.threads = threads
        self._parts: dict[Kind, list[tuple[Features, Ints]]] = {kind: [] for kind in kinds}
        self._documents = 0

    def add(self, texts: Texts) -> None:
        """Count the terms of a batch."""
        tokens = WHOLE.tokens(texts, self.threads)
        self._documents += int((tokens.lengths > 0).sum())
        for kind, parts in self._parts.items():
            distinct = TermCounts.of(terms_of(tokens, kind), self.threads).terms.values
            hashes, df = np.unique(distinct, return_counts=True)
            parts.append((hashes, df.astype(np.int64)))
            if sum(len(part[0]) for part in parts[1:]) > _MERGE_AT:
                parts[:] = [_merged(parts)]

    def finish(self) -> dict[Kind, Frequencies]:
        """The counts of all batches."""
        return {
            kind: Frequencies(*_merged(parts), self._documents)
            for kind, parts in self._parts.items()
        }


def _merged(parts: list[tuple[Features, Ints]]) -> tuple[Features, Ints]:
    hashes = np.concatenate([np.empty(0, np.uint64), *(part[0] for part in parts)])
    df = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
    order = np.argsort(hashes, kind="stable")
    hashes, df = hashes[order], df[order]
    if not len(hashes):
        return hashes, df
    first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    return hashes[first], np.add.reduceat(df, first)
