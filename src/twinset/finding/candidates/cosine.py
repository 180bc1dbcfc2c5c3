"""Pairs of weighted terms by the cosine of their vectors, or by how much of one is in the other.

What a term weighs in a containment is its idf in whole numbers of 1/1024: their sums are exact in
any order, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import ENDLESS, Numbers
from twinset.model import Floats
from twinset.text.vectors import CollectedTerms, WeightedTerms

STEPS = 1024
NO_MARKS: NDArray[np.uint8] = np.empty(0, np.uint8)


def near_vectors(
    vectors: WeightedTerms, dimensions: int, threshold: float, threads: int
) -> tuple[Numbers, Numbers]:
    """Every pair of unit vectors whose cosine reaches the threshold, none left out."""
    left, right, *_ = _kernels.cosine_pairs(
        vectors.features,
        vectors.weights,
        vectors.offsets,
        dimensions,
        threshold,
        np.empty(0, np.uint32),
        np.empty(0, np.uint64),
        NO_MARKS,
        0.0,
        NO_MARKS,
        ENDLESS,
        threads,
    )
    return left, right


@dataclass(frozen=True, slots=True)
class CosinePairs:
    """Pairs of rows, left < right, with their cosine, and what it took to find them.

    ``share`` is what one row has of the other, by idf; it is empty where nobody has asked for it.
    """

    left: Numbers
    right: Numbers
    cosine: Floats
    share: Floats
    compared: int
    absorbed: int
    not_enumerated: int


@dataclass(frozen=True, slots=True)
class CosineJoin:
    """Documents, each once, whose tf-idf vectors are joined by cosine or containment.

    ``rarity`` is what each term weighs in a containment.
    """

    terms: CollectedTerms
    documents: Numbers
    rarity: Numbers
    threads: int

    @classmethod
    def of(cls, terms: CollectedTerms, documents: Numbers, *, threads: int) -> CosineJoin:
        """Of these documents, in this order."""
        rarity = np.maximum(np.rint(terms.idf * STEPS), 1.0).astype(np.uint32)
        return cls(terms, documents, rarity, threads)

    def pairs(
        self,
        threshold: float,
        contained: float,
        least: int,
        kept: NDArray[np.uint8],
        dense: int,
        *,
        sublinear: bool,
    ) -> CosinePairs:
        """Every pair of rows that holds, sorted by its right and then its left row.

        It holds if its cosine reaches ``threshold``, or if the terms of one row, ``least`` or more,
        have at least the share ``contained`` of their idf in common with the other. A row that is
        a pair with an earlier one of ``dense`` pairs is not compared with all others; ``kept`` rows
        are, and come first.
        """
        terms = self.terms
        eligible = (terms.terms.lengths[self.documents] >= least).astype(np.uint8)
        found = _kernels.tfidf_pairs(
            terms.terms.values,
            terms.tf,
            terms.terms.offsets,
            self.documents,
            terms.by_tf(sublinear=sublinear),
            terms.names,
            terms.idf,
            self.rarity,
            terms.df,
            threshold,
            eligible,
            contained,
            kept,
            dense,
            self.threads,
        )
        return CosinePairs(*found)
