"""The printed figures of a paper beside ours.

``[printed]`` of an experiment has the table as the paper prints it: ``columns`` and ``rows``. The
columns named in ``by`` say which of our rows a printed row belongs to; a column that our table has,
too, is compared; any other is a label. ``table`` names one of the derived tables, if not the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

PREFIX = "printed "


def beside(printed: Mapping[str, Any], ours: pa.Table) -> pa.Table:
    """One row per printed row: its labels and keys, then each figure as printed and ours."""
    columns, by = list(printed["columns"]), list(printed["by"])
    compared = [name for name in columns if name in ours.column_names and name not in by]
    rows = ours.to_pylist()
    matches: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        matches.setdefault(tuple(row.get(name) for name in by), row)
    lines = [dict(zip(columns, values, strict=True)) for values in printed["rows"]]
    matched = [matches.get(tuple(line[name] for name in by), {}) for line in lines]
    labels = {
        name: pa.array([_said(line[name]) for line in lines], pa.string())
        for name in columns
        if name not in compared
    }
    figures: dict[str, pa.Array] = {}
    for name in compared:
        figures[PREFIX + name] = pa.array([_said(line[name]) for line in lines], pa.string())
        kind = ours.schema.field(name).type
        figures[name] = pa.array([row.get(name) for row in matched], kind)
    return pa.table(labels | figures)


def faults(printed: Any) -> list[str]:
    """What is wrong with the ``[printed]`` of a description, as sentences."""
    if not isinstance(printed, dict):
        return [f"printed must be a table, [printed], not {printed!r}"]
    if not printed:
        return []
    wrong = [f"[printed] has no '{key}'" for key in printed if key not in KEYS]
    columns, by, rows = (printed.get(key, []) for key in ("columns", "by", "rows"))
    if not _are_texts(columns) or not _are_texts(by) or not by:
        return [*wrong, '[printed] needs columns and by, lists of names, as by = ["k"]']
    wrong += [f"[printed]: by names '{name}', which is no column" for name in set(by) - set(columns)]
    wrong += [
        f"[printed]: row {number} has {len(row)} values for {len(columns)} columns"
        for number, row in enumerate(rows, 1)
        if len(row) != len(columns)
    ]
    return wrong


KEYS = ("table", "by", "columns", "rows")


def _are_texts(values: Any) -> bool:
    is_list = isinstance(values, list)
    return is_list and all(isinstance(value, str) for value in values)


def _said(value: Any) -> str | None:
    """As it is printed; an empty text stands for an empty cell."""
    return None if value == "" else str(value)


def column_of(table: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in table]
