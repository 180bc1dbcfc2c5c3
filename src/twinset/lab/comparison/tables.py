"""The tables of a comparison, from outcomes, scores and the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.lab.comparison.pool import Pool
from twinset.lab.comparison.scores import Combination, Score
from twinset.lab.evaluation.pair_set import Bools
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.runner import AMOUNTS, COUNTS, Outcome
from twinset.model import Floats, Ints
from twinset.model.columns import column, text

HEAD = 400  # characters of a text that are shown
PAIRS_ALONE = 20  # pairs that one method alone found, for each method
SCORE = ("recall", "precision", "f", "recall_low", "recall_high", "precision_low", "precision_high")


def methods_table(
    finished: Sequence[Outcome],
    failed: Sequence[Outcome],
    scores: dict[str, list[Score]],
    alone: Floats,
    order: Sequence[int],
) -> pa.Table:
    """One row per method: the finished ones in ``order``, then the failed ones.

    ``scores``, by the prefix of their columns, and ``alone`` are of the finished ones.
    """
    rows = [
        _method_row(
            finished[at], {prefix: some[at] for prefix, some in scores.items()}, float(alone[at])
        )
        for at in order
    ]
    empty: dict[str, Any] = dict.fromkeys(rows[0])
    rows += [
        empty | {"method": outcome.planned.name, "fault": outcome.fault, "reused": False}
        for outcome in failed
    ]
    kinds = {name: pa.string() for name in ("method", "spec", "fault")}
    kinds |= {name: pa.int64() for name in ("pairs", *COUNTS)}
    kinds |= {"reused": pa.bool_()}
    schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in empty])
    return pa.Table.from_pylist(rows, schema=schema)


def _method_row(outcome: Outcome, scores: dict[str, Score], alone: float) -> dict[str, Any]:
    row: dict[str, Any] = {"method": outcome.planned.name, "pairs": outcome.pairs.count()}
    for prefix, score in scores.items():
        row |= {prefix + name: value for name, value in _score_row(score).items()}
    row |= {"alone": alone}
    row |= {name: outcome.facts[name] for name in (*AMOUNTS, *COUNTS, "spec")}
    return row | {"reused": outcome.reused, "fault": None}


def _score_row(score: Score) -> dict[str, float | None]:
    recall_low, recall_high = score.recall_interval or (None, None)
    low, high = score.precision_interval or (None, None)
    values = (score.recall, score.precision, score.f, recall_low, recall_high, low, high)
    return dict(zip(SCORE, values, strict=True))


def dice_table(names: Sequence[str], matrix: Floats) -> pa.Table:
    """One row and one column per method."""
    columns = {name: column(np.ascontiguousarray(matrix[:, at])) for at, name in enumerate(names)}
    return pa.table({"method": text(list(names)), **columns})


def coverage_table(names: Sequence[str], combinations: Sequence[Combination]) -> pa.Table:
    """One row per combination."""
    groups = [[names[at] for at in each.methods] for each in combinations]
    return pa.table(
        {
            "size": pa.array([len(group) for group in groups], pa.int64()),
            "methods": pa.array(groups, pa.list_(pa.string())),
            "coverage": pa.array([each.coverage for each in combinations], pa.float64()),
        }
    )


def rows_of_alone(pool: Pool, good: Bools, methods: int) -> Ints:
    """Rows of pairs that one method alone found: for each method the first good and bad ones."""
    alone = pool.alone()
    rows = []
    for method in range(methods):
        mine = np.flatnonzero(alone == method)
        right, wrong = mine[good[mine]], mine[~good[mine]]
        half = PAIRS_ALONE // 2
        rows.append(np.unique(right)[: max(half, PAIRS_ALONE - len(wrong))])
        rows.append(np.unique(wrong)[: max(half, PAIRS_ALONE - len(right))])
    return np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)


def alone_table(
    pool: Pool,
    rows: Ints,
    good: Bools,
    similarity: Floats,
    names: Sequence[str],
    collection: Collection,
) -> pa.Table:
    """The pairs with the beginnings of their texts."""
    alone = pool.alone()[rows]
    left, right = pool.left[rows], pool.right[rows]
    texts = collection.texts.texts(np.unique(np.concatenate([left, right])))
    return pa.table(
        {
            "method": pa.array([names[at] for at in alone.tolist()], pa.string()),
            "left": collection.ids.take(column(left)),
            "right": collection.ids.take(column(right)),
            "similarity": column(similarity[rows]),
            "good": column(good[rows]),
            "left_text": pa.array([texts[at][:HEAD] for at in left.tolist()], pa.string()),
            "right_text": pa.array([texts[at][:HEAD] for at in right.tolist()], pa.string()),
        }
    )
