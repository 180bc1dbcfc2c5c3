"""Views of documents that are worth trying: what they are compared by, and how near they come.

A view is a set of shingles with the Jaccard similarity or the containment, or the same shingles
weighted by tf-idf (1 + log tf) with the cosine, which looks past passages that many documents have
in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import starmap
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.candidates.base import ENDLESS
from twinset.candidates.cosine import NO_MARKS, CosineJoin
from twinset.methods.exact import Exact
from twinset.methods.minhash import MinHash
from twinset.methods.tfidfcosine import TfidfCosine
from twinset.model import Features, Floats, Ints
from twinset.plan import Method, Unit
from twinset.text.terms import Frequencies, TermCounts, runs
from twinset.text.tokens import WHOLE
from twinset.text.vectors import TermCollector, WeightedTerms, tfidf_vectors

# Pairs below these are background in every collection; they only cost room.
_LEAST = {"jaccard": 0.08, "cosine": 0.15, "containment": 0.3}
_NAMES = {"jaccard": "Jaccard", "cosine": "tf-idf cosine", "containment": "containment"}
_FORMULAS = {"cosine": 0, "jaccard": 1, "containment": 2}  # the kernel's
# Shingles in all, beyond which the same share of each document's is taken: similarities stay, up to
# sampling error.
MOST_TERMS = 4_000_000
LETTERS = 5  # characters of a word with what follows it, roughly
PORTION = 4_000_000  # characters that are cut into shingles at a time
MIX = np.uint64(0x9E3779B97F4A7C15)
LEAST_TERMS = TfidfCosine().least_terms
ROUNDING = 1e-9
Compared = Literal["jaccard", "cosine", "containment"]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Pairs of documents and how similar they are, left < right."""

    left: Ints
    right: Ints
    score: Floats

    def reaching(self, threshold: float) -> Neighbours:
        """The pairs that reach a threshold."""
        rows = self.score >= threshold - ROUNDING
        return Neighbours(self.left[rows], self.right[rows], self.score[rows])


@dataclass(frozen=True, slots=True)
class TermView:
    """Shingles of ``length`` words or characters, and what two documents are compared by."""

    unit: Unit
    length: int
    measure: Compared = "jaccard"
    contained: float = 0.0
    """The share of one document in the other that makes any two a pair, for a cosine; 0: none."""

    @property
    def weighted(self) -> bool:
        """Whether shingles count by tf-idf, and not as a set."""
        return self.measure == "cosine"

    @property
    def name(self) -> str:
        """In words, for tables."""
        units = {"word": "words", "char": "characters", "sentence": "sentences"}[self.unit]
        whole = f" or {self.contained:.0%} contained" if self.contained else ""
        return f"{self.length} {units}, {_NAMES[self.measure]}{whole}"

    @property
    def least(self) -> float:
        """The lowest similarity that is looked at."""
        return _LEAST[self.measure]

    def options(self, threshold: float) -> dict[str, Any]:
        """The options of a plan that compares documents this way."""
        method: Method = MinHash(shingle=self.length, unit=self.unit)
        if self.weighted:
            method = TfidfCosine(
                length=self.length, unit=self.unit, sublinear=True, contained=self.contained
            )
        if self.measure == "containment":
            exact = Exact(shingle=self.length, unit=self.unit)
            return {"method": exact, "measure": "containment", "threshold": threshold}
        return {"method": method, "threshold": threshold}

    def rate(self, texts: list[str]) -> float:
        """The share of shingles to take, so that there are not too many of these texts."""
        units = sum(map(len, texts)) / (1 if self.unit == "char" else LETTERS)
        return min(1.0, MOST_TERMS / max(units, 1))

    def terms(self, texts: list[str], threads: int, rate: float = 1.0) -> TermCounts:
        """The shingles of texts, or those whose hashes are low enough to be in the share."""
        return TermCounts.concatenate(
            [self._terms(portion, threads, rate) for portion in _portions(texts)]
        )

    def _terms(self, texts: list[str], threads: int, rate: float) -> TermCounts:
        tokens = WHOLE.tokens(pa.array(texts, pa.large_string()), threads)
        counts = TermCounts.of(runs(tokens, self.length, self.unit), threads)
        if rate >= 1:
            return counts
        mixed = (counts.terms.values * MIX) >> np.uint64(32)
        return counts.where(mixed < np.uint64(rate * 2**32))

    def neighbours(self, counts: TermCounts, threads: int) -> Neighbours:
        """Every pair of documents whose similarity is not negligible."""
        if self.weighted:
            vectors, dimensions = tfidf_vectors(counts, sublinear=True)
        else:
            sets = WeightedTerms(counts.terms, np.ones(len(counts.tf)))
            vectors, dimensions = sets.numbered()
        left, right, score = _kernels.inverted_pairs(
            vectors.features,
            vectors.weights,
            vectors.offsets,
            dimensions,
            _FORMULAS[self.measure],
            self.least,
            threads,
        )
        near = Neighbours(left.astype(np.int64), right.astype(np.int64), score)
        return self._with_contained(near, counts, threads) if self.contained else near

    def _with_contained(self, near: Neighbours, counts: TermCounts, threads: int) -> Neighbours:
        """The pairs with those of which one lies in the other, which hold at any threshold."""
        documents = np.arange(len(counts), dtype=np.uint32)
        terms = TermCollector()
        terms.add(counts, threads)
        join = CosineJoin.of(terms.finish(), documents, threads=threads)
        rules = 1.0, self.contained, LEAST_TERMS
        pairs = join.pairs(*rules, NO_MARKS, ENDLESS, sublinear=True)
        inside = pairs.share >= self.contained
        left, right = (side[inside].astype(np.int64) for side in (pairs.left, pairs.right))
        keys = np.concatenate(
            [near.left << 32 | near.right, np.minimum(left, right) << 32 | np.maximum(left, right)]
        )
        scores = np.concatenate([near.score, np.ones(len(left))])
        order = np.lexsort((-scores, keys))
        keys, scores = keys[order], scores[order]
        first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        keys = keys[first]
        return Neighbours(keys >> 32, keys & 0xFFFFFFFF, scores[first])

    def scores(self, first: TermCounts, second: TermCounts, among: TermCounts) -> Floats:
        """The similarity of document i of the first to document i of the second.

        Terms are weighed by their frequency in the collection ``among``.
        """
        if not self.weighted:
            sets = zip(first.terms, second.terms, strict=True)
            ratio = _jaccard if self.measure == "jaccard" else _containment
            return np.array(list(starmap(ratio, sets)))
        hashes, df = np.unique(among.terms.values, return_counts=True)
        frequencies = Frequencies(hashes, df, len(among), rare=0)
        ones, others = (_vectors(counts, frequencies) for counts in (first, second))
        cosines = np.array(list(starmap(_cosine, zip(ones, others, strict=True))))
        if not self.contained:
            return cosines
        inside = [
            _inside(a, b, frequencies) >= self.contained
            for a, b in zip(first.terms, second.terms, strict=True)
        ]
        return np.where(inside, 1.0, cosines)


def _portions(texts: list[str]) -> Iterator[list[str]]:
    """Texts in portions that leave room for their shingles."""
    portion: list[str] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += len(text)
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _jaccard(a: Features, b: Features) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / max(len(a) + len(b) - shared, 1)


def _containment(a: Features, b: Features) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / max(min(len(a), len(b)), 1)


def _inside(a: Features, b: Features, frequencies: Frequencies) -> float:
    """How much of one document is in the other, by idf; 0 of documents with few terms."""
    common = float(frequencies.idf(np.intersect1d(a, b, assume_unique=True)).sum())
    wholes = [frequencies.idf(terms).sum() for terms in (a, b) if len(terms) >= LEAST_TERMS]
    return max((common / float(whole) for whole in wholes), default=0.0)


def _vectors(counts: TermCounts, frequencies: Frequencies) -> Iterator[tuple[Features, Floats]]:
    """The terms of each document with their weights, scaled to length one."""
    weights = (1 + np.log(counts.tf)) * frequencies.idf(counts.terms.values)
    scaled = WeightedTerms(counts.terms, weights).scaled()
    return zip(scaled.terms, scaled.terms.like(scaled.weights), strict=True)


def _cosine(vector: tuple[Features, Floats], other_vector: tuple[Features, Floats]) -> float:
    (terms, weights), (other_terms, other_weights) = vector, other_vector
    _, here, there = np.intersect1d(terms, other_terms, assume_unique=True, return_indices=True)
    return min(float(weights[here] @ other_weights[there]), 1.0)
