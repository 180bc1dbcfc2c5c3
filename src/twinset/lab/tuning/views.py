"""Views of documents that are worth trying: what they are compared by, and how near they come.

A view is a set of shingles with the Jaccard similarity, or the same shingles weighted by tf-idf
with the cosine, which looks past passages that many documents have in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.images.tfidf import Vectors, Weighted
from twinset.methods.minhash import MinHash
from twinset.methods.tfidfcosine import TfidfCosine
from twinset.model import Features, Floats, Ints
from twinset.plan import Method, Unit
from twinset.text.tokens import WHOLE

# Pairs below these are background in every collection; they only cost room.
LEAST_JACCARD = 0.08
LEAST_COSINE = 0.15
# Shingles in all, beyond which the same share of each document's is taken: similarities stay, up to
# sampling error.
MOST_TERMS = 4_000_000
LETTERS = 5  # characters of a word with what follows it, roughly
PORTION = 4_000_000  # characters that are cut into shingles at a time
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Pairs of documents and how similar they are, left < right."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, slots=True)
class Terms:
    """The distinct shingles of each document and how often they occur."""

    hashes: Features
    tf: NDArray[np.int32]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class View:
    """Shingles of ``length`` words or characters, as sets or weighted."""

    unit: Unit
    length: int
    weighted: bool = False

    @property
    def name(self) -> str:
        """In words, for tables."""
        units = {"word": "words", "char": "characters"}[self.unit]
        return f"{self.length} {units}, {'tf-idf cosine' if self.weighted else 'Jaccard'}"

    @property
    def least(self) -> float:
        """The lowest similarity that is looked at."""
        return LEAST_COSINE if self.weighted else LEAST_JACCARD

    def options(self, threshold: float) -> dict[str, Any]:
        """The options of a plan that compares documents this way."""
        method: Method = MinHash(shingle=self.length, unit=self.unit)
        if self.weighted:
            method = TfidfCosine(length=self.length, unit=self.unit)
        return {"method": method, "threshold": threshold}

    def rate(self, texts: list[str]) -> float:
        """The share of shingles to take, so that there are not too many of these texts."""
        units = sum(map(len, texts)) / (1 if self.unit == "char" else LETTERS)
        return min(1.0, MOST_TERMS / max(units, 1))

    def terms(self, texts: list[str], threads: int, rate: float = 1.0) -> Terms:
        """The shingles of texts, or those whose hashes are low enough to be in the share."""
        parts = [self._terms(part, threads, rate) for part in _portions(texts)]
        sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(part.offsets) for part in parts)])
        return Terms(
            np.concatenate([np.empty(0, np.uint64), *(part.hashes for part in parts)]),
            np.concatenate([np.empty(0, np.int32), *(part.tf for part in parts)]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )

    def _terms(self, texts: list[str], threads: int, rate: float) -> Terms:
        tokens = WHOLE.tokens(pa.array(texts, pa.large_string()), threads)
        made = (
            tokens.grams(self.length)
            if self.unit == "char"
            else tokens.shingles(self.length, unique=False)
        )
        first, tf, offsets, _ = _kernels.distinct(*made, False, threads)
        return _sampled(Terms(made[0][first], tf, offsets), rate)

    def neighbours(self, terms: Terms, threads: int) -> Neighbours:
        """Every pair of documents whose similarity is not negligible."""
        if self.weighted:
            vectors = weigh(terms)
            arrays = (vectors.terms, vectors.weights, vectors.offsets, vectors.dimensions)
        else:
            names, term = np.unique(terms.hashes, return_inverse=True)
            ones = np.ones(len(term))
            arrays = (term.astype(np.uint32), ones, terms.offsets, len(names))
        left, right, score = _kernels.inverted_pairs(
            *arrays, not self.weighted, self.least, threads
        )
        return Neighbours(left.astype(np.int64), right.astype(np.int64), score)

    def scores(self, first: Terms, second: Terms, among: Terms) -> Floats:
        """The similarity of document i of the first to document i of the second."""
        if not self.weighted:
            return np.array([_jaccard(*sets) for sets in _documents(first, second)])
        names, df = np.unique(among.hashes, return_counts=True)
        ones, others = (_unit(terms, names, df, len(among)) for terms in (first, second))
        return np.array(
            [
                _cosine(a, x, b, y)
                for ((a, b), x, y) in zip(
                    _documents(first, second),
                    np.split(ones, first.offsets[1:-1]),
                    np.split(others, second.offsets[1:-1]),
                    strict=True,
                )
            ]
        )


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


def _sampled(terms: Terms, rate: float) -> Terms:
    if rate >= 1:
        return terms
    kept = (terms.hashes * MIX) >> np.uint64(32) < np.uint64(rate * 2**32)
    before = np.concatenate([[0], np.cumsum(kept)])
    return Terms(terms.hashes[kept], terms.tf[kept], before[terms.offsets].astype(np.int64))


def weigh(terms: Terms) -> Weighted:
    """Vectors of length one by tf-idf."""
    vectors = Vectors()
    vectors.add(terms.hashes, terms.tf, terms.offsets)
    return vectors.weighted(None, sublinear=False)


def _documents(first: Terms, second: Terms) -> list[tuple[Features, Features]]:
    ones = np.split(first.hashes, first.offsets[1:-1])
    others = np.split(second.hashes, second.offsets[1:-1])
    return list(zip(ones, others, strict=True))


def _jaccard(a: Features, b: Features) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / max(len(a) + len(b) - shared, 1)


def _unit(terms: Terms, names: Features, df: Ints, documents: int) -> Floats:
    """Weights scaled to length one, with the frequencies of a known collection."""
    if len(names):
        place = np.minimum(np.searchsorted(names, terms.hashes), len(names) - 1)
        known = np.where(names[place] == terms.hashes, df[place], 0)
    else:
        known = np.zeros(len(terms.hashes), np.int64)
    weight = terms.tf * (np.log((1 + documents) / (1 + known)) + 1)
    document = np.repeat(np.arange(len(terms)), np.diff(terms.offsets))
    norm = np.sqrt(np.bincount(document, weight * weight, minlength=len(terms)))
    scaled: Floats = weight / norm[document]
    return scaled


def _cosine(a: Features, x: Floats, b: Features, y: Floats) -> float:
    _, at, bt = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    return min(float(x[at] @ y[bt]), 1.0)
