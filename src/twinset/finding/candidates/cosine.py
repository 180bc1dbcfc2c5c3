"""Pairs of weighted terms by the cosine of their vectors, or by how much of one is in the other.

What a term weighs in a containment is its idf in whole numbers of 1/1024: their sums are exact in
any order, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import ENDLESS, LinkKeys, Numbers
from twinset.model import FeatureLists, Floats, Ints
from twinset.plan import Resources
from twinset.text.statistics import RunSurvey
from twinset.text.vectors import CollectedTerms, WeightedTerms

STEPS = 1024
NO_MARKS: NDArray[np.uint8] = np.empty(0, np.uint8)
ROUNDING = 1e-12  # of the join: a pair at the threshold reaches it
PARTS = 1 << 40
"""Whole numbers that the weights of a document are divided into: they add up in any order."""
SLACK = 1e-6  # of a share of the weight: what rounding to parts may take from it


def rarities(idf: Floats) -> Numbers:
    """What terms weigh in a containment."""
    return np.maximum(np.rint(idf * STEPS), 1.0).astype(np.uint32)


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
        return cls(terms, documents, rarities(terms.idf), threads)

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


def rarest(terms: FeatureLists, rarity: Floats, mass: Floats, share: float) -> FeatureLists:
    """The rarest terms of each document, so that all others have less than a share of its mass.

    Where the common terms of two documents have that share of the mass of either, one of them is
    among the rarest of both: the least rare of the rarest of the one lies before that of the other.
    """
    owners = terms.owners()
    order = np.lexsort((terms.values, -rarity, owners))
    parts = np.rint(mass / terms.like(mass).sums()[owners] * PARTS).astype(np.int64)[order]
    after = np.append(np.cumsum(parts[::-1])[::-1], 0)
    rest = after[:-1] - after[terms.offsets[1:] - terms.offsets[0]][owners]
    return terms.like(terms.values[order]).where(rest >= (share - SLACK) * PARTS)


class TermLinks(LinkKeys):
    """What decides on pairs by weighed terms: with df that are known it may be asked about any two.

    Its links, of the documents that were extracted last, are complete.
    """

    method: Any
    resources: Resources

    def counter(self) -> RunSurvey:
        """Counts the df of a collection."""
        method = self.method
        return RunSurvey(method.cleaning(), method.length, method.unit, self.resources.threads)

    def decided(self, left: Ints, right: Ints, least: float | None) -> Floats:
        """The scores of pairs of extracted documents, NaN for those that are none.

        ``least`` stands in place of the threshold; nothing can be extracted afterwards.
        """
        raise NotImplementedError
