"""The numbers of a comparison: recall, precision and F; Dice correlation; coverage together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.lab.comparison.pool import Bits, Pool
from twinset.lab.evaluation.measures import f1, wilson
from twinset.lab.evaluation.pair_set import Bools, PairSet, count_common
from twinset.lab.evaluation.sides import Side
from twinset.lab.evaluation.truth import Truth
from twinset.model import Floats

Interval = tuple[float, float]
REPLICATES = 400
BEST = 10  # combinations of each size in the table


@dataclass(frozen=True)
class Score:
    """A method by one yardstick; intervals are of 95 %, and None where nothing was estimated."""

    recall: float
    precision: float
    recall_interval: Interval | None = None
    precision_interval: Interval | None = None

    @property
    def f(self) -> float:
        """The harmonic mean of recall and precision."""
        return f1(self.precision, self.recall)


def scores_by_truth(truth: Truth, methods: Sequence[PairSet]) -> list[Score]:
    """Counted, not estimated: as `evaluate` counts a report."""
    scores = []
    for pairs in methods:
        side = Side(pairs, pairs.block, np.ones(pairs.documents, bool))
        numbers = truth.agreement(side).numbers
        scores.append(Score(numbers.recall, numbers.precision))
    return scores


def scores_by_pool(pool: Pool, good: Bools, methods: int) -> list[Score]:
    """The papers' protocol: precision by the judge, recall against all good pairs of the pool."""
    total = float(pool.weight[good].sum())
    intervals = None if pool.whole else _recall_intervals(pool, good, methods)
    scores = []
    for method in range(methods):
        rows = pool.by(method)
        hits = float(pool.weight[good & rows].sum())
        own = rows if pool.whole else pool.stratum == method
        count, right = int(own.sum()), int((good & own).sum())
        scores.append(
            Score(
                hits / total if total else 1.0,
                right / count if count else 1.0,
                None if intervals is None else intervals[method],
                wilson(right / max(count, 1), count) if method in pool.drawn else None,
            )
        )
    return scores


def _recall_intervals(pool: Pool, good: Bools, methods: int) -> list[Interval]:
    """By the bootstrap: each method's sample is drawn again, with repetition."""
    recalls = np.empty((REPLICATES, methods))
    rows, weight, stratum, count = _kinds(pool, good)
    hits = np.stack([(rows >> np.uint64(m)) & np.uint64(1) for m in range(methods)], axis=1) != 0
    random = np.random.default_rng(20_07)
    for replicate in range(REPLICATES):
        times = np.zeros(len(rows))
        for number in np.unique(stratum):
            here = np.flatnonzero(stratum == number)
            if number not in pool.drawn:  # all its pairs are in the pool
                times[here] = count[here]
                continue
            times[here] = random.multinomial(count[here].sum(), count[here] / count[here].sum())
        mass = times * weight  # weight is 0 for pairs that are not good
        recalls[replicate] = mass @ hits / mass.sum() if mass.sum() else 1.0
    low, high = np.quantile(recalls, [0.025, 0.975], axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _kinds(pool: Pool, good: Bools) -> tuple[Bits, Floats, NDArray[np.int64], Floats]:
    """Rows with the same sample, methods and verdict as one row, with their number."""
    weight = np.where(good, pool.weight, 0.0)
    table = np.stack([pool.stratum.astype(np.uint64), pool.found_by, weight.view(np.uint64)])
    kinds, count = np.unique(table, axis=1, return_counts=True)
    return (
        kinds[1],
        np.ascontiguousarray(kinds[2]).view(np.float64),
        kinds[0].astype(np.int64),
        count.astype(float),
    )


def dice_matrix(methods: Sequence[PairSet]) -> Floats:
    """2|A∩B|/(|A|+|B|) of every two methods; 1 where both found nothing."""
    count = [method.count() for method in methods]
    matrix = np.ones((len(methods), len(methods)))
    for a, b in itertools.combinations(range(len(methods)), 2):
        both = count[a] + count[b]
        common = count_common(methods[a], methods[b]) if count[a] and count[b] else 0
        matrix[a, b] = matrix[b, a] = 2 * common / both if both else 1.0
    return matrix


@dataclass(frozen=True)
class Combination:
    """Methods together, and the share of the good pairs that at least one of them found."""

    methods: tuple[int, ...]
    coverage: float


def best_combinations(found_by: Bits, weight: Floats, methods: int) -> list[Combination]:
    """The best single methods, pairs and triples, the best first; ties in the order of methods.

    ``found_by`` and ``weight`` are of the good pairs alone.
    """
    kinds, kind = np.unique(found_by, return_inverse=True)
    mass = np.bincount(kind.reshape(-1), weight, len(kinds)).astype(float)
    total = mass.sum()
    best: list[Combination] = []
    for size in (1, 2, 3):
        combinations = [
            Combination(group, _covered(kinds, mass, group) / total if total else 1.0)
            for group in itertools.combinations(range(methods), size)
        ]
        best += sorted(combinations, key=lambda each: (-each.coverage, each.methods))[:BEST]
    return best


def _covered(kinds: Bits, mass: Floats, group: Sequence[int]) -> float:
    bits = np.uint64(sum(1 << method for method in group))
    return float(mass[kinds & bits != 0].sum())
