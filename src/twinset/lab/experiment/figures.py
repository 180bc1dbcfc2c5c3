"""The figures of rows: the five numbers, precision, recall, F1, times, memory and clusters."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.lab.evaluation.pair_set import PairSet
from twinset.lab.evaluation.result import MEASURES, NUMBERS
from twinset.lab.evaluation.sides import Side
from twinset.lab.evaluation.truth import Truth
from twinset.lab.experiment.rows import ExperimentRow
from twinset.lab.runs.runner import Outcome

Figures = dict[str, Any]
BEFORE, AFTER = ("row", "name"), ("spec", "fault")
COUNTS = (*NUMBERS, "candidates", "cluster_count", "largest_cluster", "false_clusters", "row")
CLUSTERS = ("cluster_count", "largest_cluster", "mean_cluster", "cluster_sizes", "false_clusters")
TEXTS = ("name", "spec", "fault", "cluster_sizes")
COSTS = ("seconds", "cpu_seconds", "memory_mb", "candidates")
MEASURED = (*NUMBERS, *MEASURES, *COSTS, "cluster_count", "false_clusters")
"""Columns by which a row can be the best, beside those of the stages, as ``seconds_cluster``."""
LOWER_IS_BETTER = ("only_in_", "seconds", "cpu_seconds", "memory_mb", "candidates", "false_")


def figures_of(outcome: Outcome, pairs: PairSet, truth: Truth) -> Figures:
    """What a run found against the truth, and what it cost."""
    begun = time.perf_counter()
    side = Side(pairs, pairs.block, np.ones(pairs.documents, bool))
    numbers = truth.agreement(side).numbers
    evaluating = round(time.perf_counter() - begun, 4)
    facts = outcome.facts
    times = {f"seconds_{_word(stage)}": value for stage, value in facts["timings"].items()}
    return {
        **{name: getattr(numbers, name) for name in (*NUMBERS, *MEASURES)},
        "seconds": facts["seconds"],
        **times,
        "seconds_evaluate": evaluating,
        "seconds_shared": facts["shared_seconds"],
        "cpu_seconds": facts["cpu_seconds"],
        "memory_mb": facts["memory_mb"],
        "candidates": facts["candidates"],
        **_clusters(facts["clusters"]),
        "clusters_complete": facts["clusters"]["complete"],
        "spec": facts["spec"],
    }


def is_time(column: str) -> bool:
    """Whether a column holds what may differ from run to run."""
    return column.startswith(("seconds", "cpu_seconds", "memory_mb"))


def table_of(rows: Sequence[ExperimentRow], figures: Sequence[Figures | None]) -> pa.Table:
    """One row per row of the experiment: its options, then its figures, or its fault."""
    swept = {row_key: None for row in rows for row_key in row.options}
    measured: dict[str, None] = {}
    for some in figures:
        measured |= dict.fromkeys(some or ())
    measured = {name: None for name in measured if name not in AFTER}
    columns: dict[str, pa.Array] = {
        "row": pa.array([row.number for row in rows], pa.int64()),
        "name": pa.array([row.name for row in rows], pa.string()),
    }
    for key in swept:
        columns[option_column(key, measured)] = _options([row.options.get(key) for row in rows])
    for name in (*measured, "spec"):
        values = [None if some is None else some.get(name) for some in figures]
        columns[name] = pa.array(values, _kind(name))
    columns["fault"] = pa.array([row.fault for row in rows], pa.string())
    return pa.table(columns)


def option_column(key: str, taken: Mapping[str, Any]) -> str:
    """The column of a swept option, whose name may be that of a figure, as recall is."""
    return f"option.{key}" if key in taken or key in (*BEFORE, *AFTER) else key


def best_row(table: pa.Table, column: str) -> int | None:
    """The number of the first row with the best value, None where no row has one."""
    values = table[column].to_pylist() if column in table.column_names else []
    present = [(value, number) for number, value in enumerate(values) if value is not None]
    if not present:
        return None
    sign = 1 if column.startswith(LOWER_IS_BETTER) else -1
    return min(present, key=lambda pair: (sign * pair[0], pair[1]))[1]


def _clusters(facts: Mapping[str, Any]) -> Figures:
    sizes = {int(size): int(count) for size, count in facts["sizes"].items()}
    members = sum(size * count for size, count in sizes.items())
    distribution = " ".join(f"{size}:{count}" for size, count in sorted(sizes.items()))
    mean = members / facts["number"] if facts["number"] else 0.0
    values = (facts["number"], max(sizes, default=0), mean, distribution, facts["false"])
    return dict(zip(CLUSTERS, values, strict=True))


def _kind(name: str) -> pa.DataType:
    if name in TEXTS:
        return pa.string()
    if name == "clusters_complete":
        return pa.bool_()
    return pa.int64() if name in COUNTS else pa.float64()


def _options(values: list[Any]) -> pa.Array:
    """Whole numbers, numbers or texts, whichever holds all of them."""
    given = [value for value in values if value is not None]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in given):
        return pa.array(values, pa.int64())
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        return pa.array(values, pa.float64())
    texts = [None if value is None else str(value) for value in values]
    return pa.array(texts, pa.string())


def _word(stage: str) -> str:
    return stage.replace(" ", "_")
