"""Recall, precision and F of every method, by the pool or by a truth, with intervals if sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.lab.comparison.pool import Pool
from twinset.lab.evaluation.clusterings import f1
from twinset.lab.evaluation.intervals import wilson
from twinset.lab.evaluation.measures import Contest
from twinset.lab.evaluation.pair_set import Relation
from twinset.lab.evaluation.sides import Listing, Side
from twinset.model import Floats

Bools = NDArray[np.bool_]
Interval = tuple[float, float]
REPLICATES = 400


@dataclass(frozen=True)
class Score:
    """A method by one yardstick; intervals are of 95 % and None where nothing was estimated."""

    recall: float
    precision: float
    recall_interval: Interval | None = None
    precision_interval: Interval | None = None

    @property
    def f(self) -> float:
        """The harmonic mean of recall and precision."""
        return f1(self.precision, self.recall)


def by_truth(
    methods: Sequence[Relation],
    truth: Side,
    ignored: Relation | None,
    judged: Listing | None = None,
) -> list[Score]:
    """Counted, not estimated; where there are ``judged`` pairs no others count."""
    scores = []
    for pairs in methods:
        found = Side(pairs, pairs.block, np.ones(pairs.documents, bool))
        numbers = Contest(truth, found, ignored, judged).numbers()
        scores.append(Score(numbers.recall, numbers.precision))
    return scores


def by_pool(pool: Pool, good: Bools, methods: int) -> list[Score]:
    """The papers' protocol: precision by the judge, recall against all good pairs of the pool."""
    total = float(pool.weight[good].sum())
    intervals = None if pool.whole else _recall_intervals(pool, good, methods)
    scores = []
    for method in range(methods):
        there = pool.by(method)
        hit = float(pool.weight[good & there].sum())
        own = there if pool.whole else pool.stratum == method
        count, right = int(own.sum()), int((good & own).sum())
        scores.append(
            Score(
                hit / total if total else 1.0,
                right / count if count else 1.0,
                None if intervals is None else intervals[method],
                wilson(right / max(count, 1), count) if method in pool.drawn else None,
            )
        )
    return scores


def _recall_intervals(pool: Pool, good: Bools, methods: int) -> list[Interval]:
    """By the bootstrap: each method's sample is drawn again, with repetition."""
    recalls = np.empty((REPLICATES, methods))
    rows, weight, stratum, place = _kinds(pool, good)
    hits = np.stack([(rows >> np.uint64(m)) & np.uint64(1) for m in range(methods)], axis=1) != 0
    random = np.random.default_rng(20_07)
    for replicate in range(REPLICATES):
        times = np.zeros(len(rows))
        for number in np.unique(stratum):
            here = np.flatnonzero(stratum == number)
            if number not in pool.drawn:  # all its pairs are here
                times[here] = place[here]
                continue
            times[here] = random.multinomial(place[here].sum(), place[here] / place[here].sum())
        mass = times * weight  # weight is 0 for pairs that are not good
        recalls[replicate] = mass @ hits / mass.sum() if mass.sum() else 1.0
    low, high = np.quantile(recalls, [0.025, 0.975], axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _kinds(pool: Pool, good: Bools) -> tuple[NDArray[np.uint64], Floats, NDArray[np.int64], Floats]:
    """Rows alike in sample, methods and verdict as one, with how many there are."""
    weight = np.where(good, pool.weight, 0.0)
    table = np.stack([pool.stratum.astype(np.uint64), pool.found_by, weight.view(np.uint64)])
    kinds, count = np.unique(table, axis=1, return_counts=True)
    return (
        kinds[1],
        np.ascontiguousarray(kinds[2]).view(np.float64),
        kinds[0].astype(np.int64),
        count.astype(float),
    )
