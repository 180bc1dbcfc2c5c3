"""Pairs of weighted terms by the cosine of their vectors, or by how much of one is in the other.

What a term weighs in a containment is its idf in whole numbers of 1/1024: their sums are exact in
any order, on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.candidates.base import Numbers
from twinset.model import Features, Floats, Ints
from twinset.text.vectors import WeightedTerms

STEPS = 1024


@dataclass(frozen=True, slots=True)
class CosinePairs:
    """Pairs of rows, left < right, with their cosine and the containment of one in the other.

    ``share`` is empty where no containment was asked for.
    """

    left: Numbers
    right: Numbers
    cosine: Floats
    share: Floats


@dataclass(frozen=True, slots=True)
class CosineJoin:
    """Unit vectors over terms of the given idf, joined by cosine or containment.

    A pair holds if its cosine reaches ``threshold``, or if the terms of one document have at least
    ``contained`` of their idf in common with the other. That one has at least ``least`` terms.
    """

    vectors: WeightedTerms
    rarity: Floats
    threads: int

    def pairs(self, threshold: float, contained: float = 0.0, least: int = 1) -> CosinePairs:
        """Every pair that holds, sorted by its right and then its left row."""
        left, right, cosine = _kernels.cosine_pairs(
            *self._lists(), len(self.rarity), threshold, self.threads
        )
        if not contained:
            return CosinePairs(left, right, cosine, np.empty(0))
        inside = _kernels.contained_pairs(
            self.vectors.features,
            self._weights(),
            self.vectors.offsets,
            contained,
            least,
            self.threads,
        )
        keys = _keys(left, right)
        more = _keys(*inside[:2])
        more = more[~np.isin(more, keys)]
        a, b = more.astype(np.uint32), (more >> np.uint64(32)).astype(np.uint32)
        order = np.argsort(np.concatenate([keys, more]), kind="stable")
        left, right = np.concatenate([left, a])[order], np.concatenate([right, b])[order]
        cosine = np.concatenate([cosine, self.cosines(a, b)])[order]
        return CosinePairs(left, right, cosine, self.shares(left, right))

    def cosines(self, left: Numbers, right: Numbers) -> Floats:
        """The cosine of each pair of rows, as the join computes it."""
        features, weights, offsets = self._lists()
        terms = features.astype(np.uint64)
        _, product, _ = _kernels.overlaps(terms, weights, offsets, left, right, self.threads)
        return np.minimum(product, 1.0)

    def shares(self, left: Numbers, right: Numbers) -> Floats:
        """The greater of the two containments of each pair of rows."""
        weights = self._weights()[self.vectors.features].astype(float)
        terms = self.vectors.features.astype(np.uint64)
        offsets = self.vectors.offsets
        _, _, common = _kernels.overlaps(terms, weights, offsets, left, right, self.threads)
        sums = self.vectors.terms.like(weights).sums()
        share: Floats = common / np.maximum(np.minimum(sums[left], sums[right]), 1.0)
        return share

    def _lists(self) -> tuple[Numbers, Floats, Ints]:
        return self.vectors.features, self.vectors.weights, self.vectors.offsets

    def _weights(self) -> Numbers:
        return np.maximum(np.rint(self.rarity * STEPS), 1.0).astype(np.uint32)


def _keys(left: Numbers, right: Numbers) -> Features:
    keys: Features = right.astype(np.uint64) << np.uint64(32) | left.astype(np.uint64)
    return keys
