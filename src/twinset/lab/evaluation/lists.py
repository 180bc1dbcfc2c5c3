"""Lists of pairs and clusters that a program holds already, and those in files, as one kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.lab.evaluation.list_files import (
    Listed,
    PairList,
    SetList,
    Wanted,
    read_list,
    read_table,
)

TAKES = "a file, pairs of ids, a dictionary of id to cluster, or a table with named columns"


def take(data: Any, wanted: Wanted) -> Listed:
    """The pairs or clusters in a file, a table, a dictionary or a list of tuples."""
    if isinstance(data, str | os.PathLike):
        return read_list(os.fspath(data), wanted)
    table = _table(data)
    if table is not None:
        return read_table(table, wanted)
    if isinstance(data, Mapping):
        names = {str(name): row for row, name in enumerate(dict.fromkeys(map(str, data.values())))}
        number = np.array([names[str(cluster)] for cluster in data.values()], np.int64)
        return SetList(number, pa.array([str(id) for id in data], pa.large_string()))
    if isinstance(data, Iterable):
        return _tuples(list(data))
    raise TwinsetError(f"cannot take pairs from {type(data).__name__}: give {TAKES}")


def take_ignored(data: Any, known: pa.Array) -> Listed | None:
    """The pairs that count neither way, if there are any."""
    if data is None:
        return None
    return take(data, Wanted("--ignore", "pairs", known=known, nameable=False))


def _table(data: Any) -> pa.Table | None:
    if isinstance(data, pa.Table):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data).read_all()
    if type(data).__module__.startswith("pandas.") and hasattr(data, "columns"):
        return pa.Table.from_pandas(data, preserve_index=False)
    return None


def _tuples(rows: list[Any]) -> PairList:
    for place, row in enumerate(rows, 1):
        if not isinstance(row, tuple | list) or len(row) not in (2, 3):
            raise TwinsetError(
                f"entry {place} is {row!r:.60}, not a pair (left, right) or "
                "(left, right, grade or score)"
            )
    left, right = (pa.array([str(row[i]) for row in rows], pa.large_string()) for i in (0, 1))
    if not rows or any(len(row) < 3 for row in rows):
        return PairList(left, right)
    value = np.array([_value(row, place) for place, row in enumerate(rows, 1)])
    return PairList(left, right, value, value)


def _value(row: Any, place: int) -> float:
    try:
        return float(row[2])
    except (TypeError, ValueError):
        raise TwinsetError(
            f"entry {place} is {row!r:.60}: its grade or score must be a number"
        ) from None
