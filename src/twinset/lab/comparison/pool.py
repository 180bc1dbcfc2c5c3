"""The pool: the union of the pairs of all methods, whole or as a weighted sample.

Each row is a pair with the methods that found it (a bit each) and a weight. A pool that is small
enough is written out, and every weight is 1. Of a larger one, a sample is drawn from the pairs of
each method; a pair that k methods found can be drawn k times and so weighs 1/k of the pairs that
its draw stands for. Sums over rows are then unbiased for sums over the pool (a multiplicity
estimator, as for samples from overlapping frames).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.lab.evaluation.pair_set import Bools, PairSet
from twinset.model import Floats, Ints, offsets_of

Bits = NDArray[np.uint64]
WHOLE = 10_000_000  # pairs of all methods together that are written out at most


@dataclass(frozen=True)
class Pool:
    """``left < right``; ``stratum`` is the method whose sample a row comes from, -1 for none.

    ``drawn`` are the methods of whose pairs only a sample is here.
    """

    left: Ints
    right: Ints
    found_by: Bits
    weight: Floats
    stratum: Ints
    drawn: frozenset[int] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether every pair is here."""
        return bool((self.stratum < 0).all())

    def __len__(self) -> int:
        return len(self.left)

    def by(self, method: int) -> Bools:
        """Which rows a method found."""
        rows: Bools = (self.found_by >> np.uint64(method)) & np.uint64(1) != 0
        return rows

    def alone(self) -> Ints:
        """The only method that found each row; -1 where there are several or none."""
        bits = self.found_by
        single = (bits != 0) & (bits & (bits - np.uint64(1)) == 0)
        method = np.log2(np.maximum(bits, np.uint64(1)).astype(float))
        return np.where(single, method, -1).astype(np.int64)

    def weights_alone(self, methods: int) -> Floats:
        """For each method, how many pairs it alone found."""
        alone = self.alone()
        return np.array([self.weight[alone == method].sum() for method in range(methods)])


def make_pool(methods: Sequence[PairSet], most: int, seed: int) -> Pool:
    """All pairs if there are at most ``most``, otherwise a sample of about as many."""
    documents = methods[0].documents if methods else 0
    if sum(method.count() for method in methods) <= WHOLE:
        lists = [_keys(method) for method in methods]
        keys = np.unique(np.concatenate([np.empty(0, np.int64), *lists]))
        if len(keys) <= most:
            found_by = np.zeros(len(keys), np.uint64)
            for bit, own in enumerate(lists):
                found_by[np.searchsorted(keys, own)] |= np.uint64(1 << bit)
            left, right = keys // max(documents, 1), keys % max(documents, 1)
            return Pool(left, right, found_by, np.ones(len(keys)), np.full(len(keys), -1))
    return _sampled(methods, most // max(len(methods), 1), seed)


def _keys(method: PairSet) -> Ints:
    parts = [left * method.documents + right for left, right in method.chunks()]
    return np.sort(np.concatenate([np.empty(0, np.int64), *parts]))


def _sampled(methods: Sequence[PairSet], each: int, seed: int) -> Pool:
    parts, drawn = [], set()
    for number, method in enumerate(methods):
        left, right = sample_pairs(method, each, np.random.default_rng([seed, number]))
        stands_for = method.count() / max(len(left), 1)
        if stands_for > 1:
            drawn.add(number)
        parts.append((left, right, np.full(len(left), stands_for), np.full(len(left), number)))
    left, right, represented, stratum = (np.concatenate(part) for part in zip(*parts, strict=True))
    found_by = methods_of_pairs(methods, left, right)
    weight = represented / _count_bits(found_by, len(methods))
    return Pool(left, right, found_by, weight, stratum.astype(np.int64), frozenset(drawn))


def methods_of_pairs(methods: Sequence[PairSet], left: Ints, right: Ints) -> Bits:
    """Which methods found each pair, one bit per method."""
    found_by = np.zeros(len(left), np.uint64)
    for bit, method in enumerate(methods):
        found_by |= method.contains(left, right).astype(np.uint64) << np.uint64(bit)
    return found_by


def _count_bits(bits: Bits, methods: int) -> Ints:
    total = np.zeros(len(bits), np.int64)
    for bit in range(methods):
        total += ((bits >> np.uint64(bit)) & np.uint64(1)).astype(np.int64)
    return total


def sample_pairs(pairs: PairSet, size: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """About ``size`` different pairs drawn evenly, or all pairs if there are no more."""
    total = pairs.count()
    drawn = np.arange(total) if total <= size else np.unique(random.integers(0, total, size))
    inside = np.flatnonzero(pairs.within & (pairs.size > 1))
    own = pairs.size[inside] * (pairs.size[inside] - 1) // 2
    between = pairs.size[pairs.first] * pairs.size[pairs.second]
    begins = offsets_of(np.concatenate([own, between]))
    unit = np.searchsorted(begins[1:], drawn, side="right")
    offset = drawn - begins[unit]
    order = np.argsort(pairs.block, kind="stable")
    start = offsets_of(pairs.size)[:-1]
    left, right = np.empty(len(drawn), np.int64), np.empty(len(drawn), np.int64)
    within = unit < len(inside)
    base = start[inside[unit[within]]]
    row, column = _triangle(offset[within])
    left[within], right[within] = order[base + row], order[base + column]
    edge = unit[~within] - len(inside)
    width = pairs.size[pairs.second[edge]]
    left[~within] = order[start[pairs.first[edge]] + offset[~within] // np.maximum(width, 1)]
    right[~within] = order[start[pairs.second[edge]] + offset[~within] % np.maximum(width, 1)]
    return np.minimum(left, right), np.maximum(left, right)


def _triangle(number: Ints) -> tuple[Ints, Ints]:
    """The number-th pair (row, column), column < row, counted row by row."""
    row = ((1 + np.sqrt(1 + 8 * number.astype(float))) / 2).astype(np.int64)
    row -= row * (row - 1) // 2 > number  # the root may be off by one
    row += row * (row + 1) // 2 <= number
    return row, number - row * (row - 1) // 2
