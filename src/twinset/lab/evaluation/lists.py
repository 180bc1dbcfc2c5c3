"""Lists of duplicates, as pairs or as clusters of ids, and how a program passes them.

`list_files` reads the same lists from files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.lab.evaluation.list_columns import (
    ListColumns,
    ListError,
    ListFormat,
    choose_columns,
)
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers

ACCEPTED = "a file, pairs of ids, a dictionary of id to cluster, or a table with named columns"


@dataclass(frozen=True)
class PairList:
    """Pairs of ids as they are listed; ``grade`` and ``score`` are there if the list has them."""

    left: pa.Array
    right: pa.Array
    grade: Floats | None = None
    score: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        """Every id that is named."""
        return [self.left, self.right]


@dataclass(frozen=True)
class ClusterList:
    """Clusters of ids, which may overlap: ``member`` i lies in the cluster ``number`` i."""

    number: Ints
    member: pa.Array
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> list[pa.Array]:
        """Every id that is named."""
        return [self.member]


DuplicateList = PairList | ClusterList


def list_from_memory(data: Any, format: ListFormat) -> DuplicateList:
    """The pairs or clusters of a table, a dictionary or tuples."""
    table = _as_table(data)
    if table is not None:
        return list_from_table(table, format)
    if isinstance(data, Mapping):
        labels = [str(cluster) for cluster in data.values()]
        numbering = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        number = np.array([numbering[label] for label in labels], np.int64)
        return ClusterList(number, pa.array([str(id) for id in data], pa.large_string()))
    if isinstance(data, Iterable):
        return _list_from_tuples(list(data))
    raise TwinsetError(f"cannot take pairs from {type(data).__name__}: give {ACCEPTED}")


def list_from_table(table: pa.Table, format: ListFormat, name: str = "the table") -> DuplicateList:
    """The pairs or clusters of an Arrow table, by the names of its columns."""
    names = table.column_names
    if not format.columns and "ids" in names and "group" in names:  # a report's groups
        lists = table["ids"].combine_chunks()
        members = lists.flatten().cast(pa.large_string())
        return ClusterList(np.asarray(numbers(lists.value_parent_indices()), np.int64), members)
    columns = choose_columns(name, names, format)
    if columns is None:
        raise ListError(
            f"cannot tell which columns of {name} hold the pairs: it has "
            f"{', '.join(names)}; {format.remedy(names)}"
        )
    return list_from_columns(name, table, columns, names)


def list_from_columns(
    path: str,
    table: pa.Table,
    columns: ListColumns,
    names: list[str],
    notes: tuple[str, ...] = (),
) -> DuplicateList:
    """The pairs or clusters in these columns; ``path`` and ``names`` are for messages."""
    first, second = (
        table.column(at).cast(pa.large_string()).combine_chunks()
        for at in (columns.first, columns.second)
    )
    if columns.clusters:
        number = numbers(second.dictionary_encode().indices).astype(np.int64)
        return ClusterList(number, first, notes)
    grade, score = (
        None if at is None else _as_numbers(path, table.column(at), names[at])
        for at in (columns.grade, columns.score)
    )
    return PairList(first, second, grade, score, notes)


def _as_table(data: Any) -> pa.Table | None:
    if isinstance(data, pa.Table):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data).read_all()
    if type(data).__module__.startswith("pandas.") and hasattr(data, "columns"):
        return pa.Table.from_pandas(data, preserve_index=False)
    return None


def _as_numbers(path: str, values: pa.ChunkedArray, name: str) -> Floats:
    try:
        return np.asarray(numbers(pc.cast(values, pa.float64())), float)
    except pa.ArrowInvalid:
        wrong = next(value for value in values if not _is_number(value))
        raise ListError(
            f"the column '{name}' of {path} must hold numbers, not '{wrong}': correct it there"
        ) from None


def _is_number(value: pa.Scalar) -> bool:
    try:
        value.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _list_from_tuples(rows: list[Any]) -> PairList:
    for entry, row in enumerate(rows, 1):
        if not isinstance(row, tuple | list) or len(row) not in (2, 3):
            raise TwinsetError(
                f"entry {entry} is {row!r:.60}, not a pair (left, right) or "
                "(left, right, grade or score)"
            )
    left, right = (pa.array([str(row[i]) for row in rows], pa.large_string()) for i in (0, 1))
    if not rows or any(len(row) < 3 for row in rows):
        return PairList(left, right)
    values = np.array([_third(row, entry) for entry, row in enumerate(rows, 1)])
    return PairList(left, right, values, values)


def _third(row: Any, entry: int) -> float:
    try:
        return float(row[2])
    except (TypeError, ValueError):
        raise TwinsetError(
            f"entry {entry} is {row!r:.60}: its grade or score must be a number"
        ) from None
