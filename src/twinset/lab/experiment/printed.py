"""The printed figures of a paper beside ours.

``[printed]`` of an experiment has the table as the paper prints it: ``columns`` and ``rows``, where
an empty text is an empty cell. The columns named in ``by`` say which of our rows a printed row
belongs to; another column that our table has, too, is compared; any other is a label. ``table``
names the derived table that is meant, if it is not the rows themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from twinset.spec import suggestion

KEYS = ("table", "by", "columns", "rows")
PREFIX = "printed_"


def printed_beside(printed: Mapping[str, Any], ours: pa.Table) -> pa.Table:
    """One row per printed row: its labels and keys, then each figure as printed, and ours."""
    by = printed["by"]
    lines = [dict(zip(printed["columns"], row, strict=True)) for row in printed["rows"]]
    compared = [name for name in printed["columns"] if name in ours.column_names and name not in by]
    rows = {tuple(row[name] for name in by): row for row in reversed(ours.to_pylist())}
    matches = [rows.get(tuple(line[name] for name in by), {}) for line in lines]
    labels = {
        name: pa.array([_cell(line[name]) for line in lines], pa.string())
        for name in printed["columns"]
        if name not in compared
    }
    figures: dict[str, pa.Array] = {}
    for name in compared:
        figures[PREFIX + name] = pa.array([_cell(line[name]) for line in lines], pa.string())
        kind = ours.schema.field(name).type
        figures[name] = pa.array([row.get(name) for row in matches], kind)
    return pa.table(labels | figures)


def printed_faults(printed: Any) -> list[str]:
    """What is wrong with the ``[printed]`` of a description, as sentences."""
    if not isinstance(printed, dict):
        return [f"printed must be a table, [printed], not {printed!r}"]
    if not printed:
        return []
    faults = [
        f"[printed] has no '{key}'; {suggestion(key, KEYS)}" for key in printed if key not in KEYS
    ]
    columns, by, rows = (printed.get(key, []) for key in ("columns", "by", "rows"))
    if not all(_are_texts(names) for names in (columns, by)):
        return [*faults, '[printed] needs columns and by, each a list of names, as by = ["k"]']
    faults += [
        f"[printed]: by names '{name}', which is no column; {suggestion(name, columns)}"
        for name in by
        if name not in columns
    ]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return [*faults, "[printed] needs rows, a list of lists"]
    faults += [
        f"[printed]: row {number} has {len(row)} values for {len(columns)} columns"
        for number, row in enumerate(rows, 1)
        if len(row) != len(columns)
    ]
    return faults


def _are_texts(names: Any) -> bool:
    is_list = isinstance(names, list) and bool(names)
    return is_list and all(isinstance(name, str) for name in names)


def _cell(value: Any) -> str | None:
    return None if value == "" else str(value)
