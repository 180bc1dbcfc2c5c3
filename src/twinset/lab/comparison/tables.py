"""From scores and pools to the tables of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.lab.comparison.agreement import Combination
from twinset.lab.comparison.documents import Collection
from twinset.lab.comparison.pool import Pool
from twinset.lab.comparison.runner import Outcome
from twinset.lab.comparison.scores import Bools, Score
from twinset.model import Floats, Ints
from twinset.model.columns import column, text

HEAD = 400  # characters of a text that are shown
EACH = 20  # pairs of one method alone that are kept with their texts
SCORE = ("recall", "precision", "f", "recall_low", "recall_high", "precision_low", "precision_high")


def methods_table(
    outcomes: Sequence[Outcome],
    scores: dict[str, list[Score]],
    alone: Floats,
    order: Sequence[int],
) -> pa.Table:
    """One row a method in the given order; ``scores`` by prefix, which the first has not."""
    rows = [_method_row(outcomes[at], at, scores, alone) for at in order]
    failed = [outcome for outcome in outcomes if outcome.fault is not None]
    names = list(_method_row(outcomes[order[0]], order[0], scores, alone)) if order else ["method"]
    rows += [dict.fromkeys(names) | _failed(outcome) for outcome in failed]
    return pa.Table.from_pylist(rows, schema=_schema(names))


def _schema(names: Sequence[str]) -> pa.Schema:
    kinds = {name: pa.string() for name in ("method", "spec", "fault")}
    kinds |= {name: pa.int64() for name in ("pairs", "candidates", "not_enumerated_pairs")}
    kinds |= {"reused": pa.bool_()}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in [*names]])


def _method_row(
    outcome: Outcome, at: int, scores: dict[str, list[Score]], alone: Floats
) -> dict[str, Any]:
    facts = outcome.facts
    row: dict[str, Any] = {"method": outcome.entry.name, "pairs": outcome.pairs.count()}
    for prefix, some in scores.items():
        row |= {prefix + name: value for name, value in _score_row(some[at]).items()}
    row |= {"alone": float(alone[at])}
    row |= {name: facts[name] for name in ("seconds", "shared_seconds", "cpu_seconds", "memory_mb")}
    row |= {name: facts[name] for name in ("candidates", "not_enumerated_pairs", "spec")}
    return row | {"reused": outcome.reused, "fault": None}


def _score_row(score: Score) -> dict[str, float | None]:
    low, high = score.recall_interval or (None, None)
    least, most = score.precision_interval or (None, None)
    values = (score.recall, score.precision, score.f, low, high, least, most)
    return dict(zip(SCORE, values, strict=True))


def _failed(outcome: Outcome) -> dict[str, Any]:
    return {"method": outcome.entry.name, "fault": outcome.fault, "reused": False}


def dice_table(names: Sequence[str], matrix: Floats) -> pa.Table:
    """A row and a column for each method."""
    columns = {name: column(np.ascontiguousarray(matrix[:, at])) for at, name in enumerate(names)}
    return pa.table({"method": text(list(names)), **columns})


def coverage_table(names: Sequence[str], combinations: Sequence[Combination]) -> pa.Table:
    """A row for each combination."""
    groups = [[names[at] for at in one.methods] for one in combinations]
    return pa.table(
        {
            "size": pa.array([len(group) for group in groups], pa.int64()),
            "methods": pa.array(groups, pa.list_(pa.string())),
            "coverage": pa.array([one.coverage for one in combinations], pa.float64()),
        }
    )


def shown_alone(pool: Pool, good: Bools, methods: int) -> Ints:
    """Rows of pairs that one method alone found: the first good and the first bad ones of each."""
    alone = pool.alone()
    rows = []
    for method in range(methods):
        mine = np.flatnonzero(alone == method)
        right, wrong = mine[good[mine]], mine[~good[mine]]
        half = EACH // 2
        room = max(half, EACH - len(wrong)), max(half, EACH - len(right))
        rows += [np.unique(right)[: room[0]], np.unique(wrong)[: room[1]]]
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
