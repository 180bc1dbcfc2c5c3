"""tf-idf vectors of length one, as lists of terms and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.model import Features, Floats, Ints
from twinset.text.statistics import Statistics
from twinset.text.terms import inverse


@dataclass(frozen=True, slots=True)
class Weighted:
    """Vectors as lists: terms (numbers below ``dimensions``, rising) and their weights."""

    terms: NDArray[np.uint32]
    weights: Floats
    offsets: Ints
    dimensions: int

    def of(self, documents: NDArray[np.uint32]) -> Weighted:
        """The vectors of these documents, in this order."""
        sizes = np.diff(self.offsets)[documents]
        ends = np.cumsum(sizes)
        rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            self.offsets[:-1][documents] - (ends - sizes), sizes
        )
        offsets = np.concatenate([[0], ends]).astype(np.int64)
        return Weighted(self.terms[rows], self.weights[rows], offsets, self.dimensions)


class Vectors:
    """Counts of terms, gathered batch by batch."""

    def __init__(self) -> None:
        self._hashes: list[Features] = []
        self._tf: list[NDArray[np.int32]] = []
        self._sizes: list[Ints] = []

    def add(self, hashes: Features, tf: NDArray[np.int32], offsets: Ints) -> None:
        """Take in the distinct terms of a batch."""
        self._hashes.append(hashes)
        self._tf.append(tf)
        self._sizes.append(np.diff(offsets))

    def weighted(self, known: Statistics | None, sublinear: bool) -> Weighted:
        """tf (or 1+log tf) times log((1+N)/(1+df))+1, scaled to length one."""
        sizes = np.concatenate([np.empty(0, np.int64), *self._sizes])
        tf = np.concatenate([np.empty(0, np.int32), *self._tf]).astype(float)
        hashes = np.concatenate([np.empty(0, np.uint64), *self._hashes])
        names, term, df = np.unique(hashes, return_inverse=True, return_counts=True)
        n = int((sizes > 0).sum())
        if known is not None:
            df, n = known.counts(names)[0], known.documents
        idf = inverse(df, n)
        document = np.repeat(np.arange(len(sizes)), sizes)
        weight = (1 + np.log(tf) if sublinear else tf) * idf[term]
        norm = np.sqrt(np.bincount(document, weight * weight, minlength=len(sizes)))
        order = np.lexsort((term, document))
        weights = (weight / norm[document])[order]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return Weighted(term[order].astype(np.uint32), weights, offsets, len(names))
