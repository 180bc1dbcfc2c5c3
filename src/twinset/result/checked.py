"""The tables of a report, read and checked: columns, kinds, missing and impossible values.

A table that passes may be used without a second look; one that does not is named in a sentence.
Each column is checked when it is read, so that looking at one column costs that column.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from twinset.errors import ReportError
from twinset.model.schema import ARROW, TABLES, Column, Kind, Schema
from twinset.result.places import is_table
from twinset.system.bounded import open_for_arrow

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MOST = 2**62
KINDS = {
    "text": "text",
    "whole": "whole numbers",
    "instant": "times in nanoseconds",
    "number": "numbers",
    "flag": "true or false",
    "texts": "lists of texts",
    "bytes": "bytes",
}


ORDER = ("number", "cluster", "component", "left", "right", "id")
"""The columns that the rows of a table are sorted by, as far as it has them."""


def open_table(
    folder: Path, name: str, within: Sequence[str] = (), rules: Schema | None = None
) -> pq.ParquetFile:
    """A table of a report with all columns of the kinds that it must have.

    ``rules`` are those of a table that other commands than find and dedup write.

    Where ``within`` names folders, a table that is a link out of them is not read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = folder / f"{name}.parquet"
    if not is_table(file):
        raise ReportError(
            f"{file} is gone: the report was moved, deleted or is incomplete; "
            "open it where it is, or run again with --force"
        )
    try:
        opened = pq.ParquetFile(
            _from_parts(file, within) if file.is_dir() else open_for_arrow(file, within)
        )
        schema = opened.schema_arrow
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise _unreadable(file, fault) from None
    for column, rule in (TABLES.get(name, {}) if rules is None else rules).items():
        if schema.names.count(column) > 1:
            raise _damaged(file, f"it has more than one column {column}")
        if column not in schema.names:
            if rule.needed:
                raise _damaged(file, f"it lacks the column {column}")
        elif not _is_kind(schema.field(column).type, rule.kind):
            held = schema.field(column).type
            raise _damaged(file, f"the column {column} must hold {KINDS[rule.kind]}, not {held}")
    return opened


def _from_parts(folder: Path, within: Sequence[str]) -> pa.BufferReader:
    """A table that Spark has written in parts, as one file: rows are in order again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = sorted(folder.glob("part-*.parquet"))
    if not parts:
        raise OSError("the folder holds no parts of a table")
    table = pa.concat_tables(pq.ParquetFile(open_for_arrow(part, within)).read() for part in parts)
    order = [name for name in ORDER if name in table.column_names]
    out = pa.BufferOutputStream()
    pq.write_table(table.sort_by([(name, "ascending") for name in order]), out)
    return pa.BufferReader(out.getvalue())


def read_table(
    folder: Path,
    name: str,
    columns: Sequence[str] | None = None,
    within: Sequence[str] = (),
    rules: Schema | None = None,
) -> pa.Table:
    """A table or some of its columns, those that are there, with their values checked."""
    import pyarrow as pa

    file = folder / f"{name}.parquet"
    opened = open_table(folder, name, within, rules)
    there = opened.schema_arrow.names
    chosen = None if columns is None else [column for column in columns if column in there]
    try:
        table = opened.read(columns=chosen)
        table.validate(full=True)  # a flipped bit may have made bytes that are no text
    except (OSError, ValueError, KeyError, pa.ArrowException) as fault:
        raise _unreadable(file, fault) from None
    if table.num_columns and table.num_rows != opened.metadata.num_rows:
        raise _damaged(file, f"it has {table.num_rows:,} rows and not {opened.metadata.num_rows:,}")
    for column, rule in (TABLES.get(name, {}) if rules is None else rules).items():
        if column in table.column_names:
            _check(file, column, rule, table[column])
    return table


def ensure_known(
    folder: Path, table: str, column: str, numbers: pa.ChunkedArray | pa.Array
) -> None:
    """Raise where a column names documents that the report does not list."""
    if numbers.null_count:
        file = folder / f"{table}.parquet"
        raise _damaged(file, f"the column {column} names documents that the report does not list")


def _check(file: Path, column: str, rule: Column, values: pa.ChunkedArray) -> None:
    from twinset.model import compute as pc

    if values.null_count and not rule.null:
        raise _damaged(file, f"the column {column} has {values.null_count:,} empty places")
    if rule.kind == "whole" and len(values):
        bounds = pc.min_max(values).as_py()
        most = len(values) - 1 if rule.below_rows else MOST
        for value in (bounds["min"], bounds["max"]):
            if value is not None and not 0 <= value <= most:
                raise _damaged(file, f"the column {column} has a {value}, which cannot be")
    if rule.finite and len(values) and not pc.all(pc.is_finite(values)).as_py():
        raise _damaged(file, f"the column {column} has values that are no numbers")


def _is_kind(held: pa.DataType, kind: Kind) -> bool:
    """Whether a column is of the type that every engine writes, with offsets of any width."""
    return str(held).replace("large_", "").replace("element", "item") == str(ARROW[kind])


def _unreadable(file: Path, fault: Exception) -> ReportError:
    reason = str(fault).split("\n", 1)[0]
    return ReportError(f"cannot read {file}: {reason}; run again with --force")


def _damaged(file: Path, fault: str) -> ReportError:
    return ReportError(
        f"{file} is damaged or not that of a report: {fault}; run again with --force"
    )
