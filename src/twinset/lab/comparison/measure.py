"""Measures what methods found: by a truth, by the judged pool of their pairs, or by both."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from twinset._version import VERSION
from twinset.engine.progress import Progress
from twinset.lab.comparison.judge import PoolJudge
from twinset.lab.comparison.options import Yardstick
from twinset.lab.comparison.pool import Bits, Pool, make_pool, methods_of_pairs, sample_pairs
from twinset.lab.comparison.result import Comparison
from twinset.lab.comparison.scores import (
    Score,
    best_combinations,
    dice_matrix,
    scores_by_pool,
    scores_by_truth,
)
from twinset.lab.comparison.tables import (
    alone_table,
    coverage_table,
    dice_table,
    methods_table,
    rows_of_alone,
)
from twinset.lab.evaluation.pair_set import Bools, PairSet
from twinset.lab.evaluation.truth import Truth
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.runner import Outcome
from twinset.model import Floats, Ints


@dataclass(frozen=True)
class JudgedPool:
    """The pool, the similarity of its pairs (NaN where not computed), and which are good.

    ``shown`` are rows of pairs that one method alone found.
    """

    pool: Pool
    similarity: Floats
    good: Bools
    shown: Ints


def measure_methods(
    outcomes: Sequence[Outcome],
    collection: Collection,
    yardstick: Yardstick,
    truth: Truth | None,
    judge: PoolJudge,
    progress: Progress,
) -> Comparison:
    """Scores and tables of the methods that did not fail, at least one of them."""
    finished = [outcome for outcome in outcomes if outcome.fault is None]
    failed = [outcome for outcome in outcomes if outcome.fault is not None]
    names = [outcome.planned.name for outcome in finished]
    more = 0 if truth is None else len(truth.ids) - len(collection)  # ids that only it names
    methods = [outcome.pairs.extended(more) for outcome in finished]
    pool = make_pool(methods, yardstick.most_judged, yardstick.seed)
    judged = _judge(pool, judge, truth, yardstick, len(methods), progress)
    scores = _scores(methods, judged, truth, yardstick)
    order = sorted(range(len(methods)), key=lambda at: (-scores[""][at].f, at))
    found_by, weight = _good_pairs(methods, judged, truth, yardstick.most_judged)
    return Comparison(
        methods_table(finished, failed, scores, pool.weights_alone(len(methods)), order),
        dice_table([names[at] for at in order], dice_matrix(methods)[np.ix_(order, order)]),
        coverage_table(names, best_combinations(found_by, weight, len(methods))),
        alone_table(pool, judged.shown, judged.good, judged.similarity, names, collection),
        _manifest(outcomes, collection, yardstick, judged, truth),
    )


def _judge(
    pool: Pool,
    judge: PoolJudge,
    truth: Truth | None,
    yardstick: Yardstick,
    methods: int,
    progress: Progress,
) -> JudgedPool:
    """Judge the pool if methods are measured by it, and in any case the pairs that are shown."""
    similarity = np.full(len(pool), np.nan)
    if yardstick.has_pool:
        similarity = judge.scores(pool.left, pool.right, progress)
    if truth is None:
        good = similarity >= yardstick.least
    else:
        good = truth.side.pairs.contains(pool.left, pool.right)
    shown = rows_of_alone(pool, good, methods)
    if truth is not None:  # whether other pairs are good is not known
        shown = shown[truth.has_judged(pool.left[shown], pool.right[shown])]
    missing = shown[np.isnan(similarity[shown])]
    similarity[missing] = judge.scores(pool.left[missing], pool.right[missing], progress)
    return JudgedPool(pool, similarity, good, shown)


def _scores(
    methods: Sequence[PairSet], judged: JudgedPool, truth: Truth | None, yardstick: Yardstick
) -> dict[str, list[Score]]:
    """The scores of all methods, by the prefix of their columns."""
    scores: dict[str, list[Score]] = {}
    if truth is not None:
        scores[""] = scores_by_truth(truth, methods)
    if yardstick.has_pool:
        good = judged.similarity >= yardstick.least
        scores["pool_" if scores else ""] = scores_by_pool(judged.pool, good, len(methods))
    return scores


def _good_pairs(
    methods: Sequence[PairSet], judged: JudgedPool, truth: Truth | None, most: int
) -> tuple[Bits, Floats]:
    """Which methods found each good pair, and its weight; of many true pairs ``most`` are drawn."""
    if truth is None:
        return judged.pool.found_by[judged.good], judged.pool.weight[judged.good]
    left, right = sample_pairs(truth.side.pairs, most, np.random.default_rng(1))
    return methods_of_pairs(methods, left, right), np.ones(len(left))


def _manifest(
    outcomes: Sequence[Outcome],
    collection: Collection,
    yardstick: Yardstick,
    judged: JudgedPool,
    truth: Truth | None,
) -> dict[str, Any]:
    pool, has_pool = judged.pool, yardstick.has_pool
    good = judged.similarity >= yardstick.least
    return {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kind": "comparison",
        "documents": len(collection),
        "digest": collection.digest,
        "inputs": collection.inputs,
        "faults": collection.faults,
        "yardstick": "pool" if truth is None else "truth",
        "judge": yardstick.least if has_pool else None,
        "judged_text": yardstick.check.text if has_pool else None,
        "pool": len(pool) if pool.whole else None,
        "judged": len(pool) if has_pool else 0,
        "good": float(pool.weight[good].sum()) if has_pool else None,
        "sampled": not pool.whole,
        "true_pairs": None if truth is None else truth.side.pairs.count(),
        "only_judged": yardstick.truth.only_judged,
        "failed": {each.planned.name: each.fault for each in outcomes if each.fault is not None},
        "reused": [each.planned.name for each in outcomes if each.reused],
        "notes": [] if truth is None else list(truth.notes),
    }
