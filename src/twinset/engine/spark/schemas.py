"""Columns of Arrow as Spark spells them, and lists of keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.model import FeatureLists, Ragged

_NAMES = {
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.binary(): "binary",
}


_KEY = 8
"""Bytes of a key."""

_KINDS = {name: kind for kind, name in reversed(_NAMES.items())}


def arrow_schema(frame: Any) -> pa.Schema:
    """The columns of a frame as Arrow has them."""
    return pa.schema([(c.name, _kind(c.dataType.simpleString())) for c in frame.schema])


def _kind(name: str) -> pa.DataType:
    inner = name.removeprefix("array<")
    return pa.list_(_kind(inner[:-1])) if inner != name else _KINDS[name]


def spelt(schema: pa.Schema) -> str:
    """The columns with their types, as ``mapInArrow`` takes them."""
    return ", ".join(f"`{field.name}` {_spelt(field.type)}" for field in schema)


def _spelt(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'`{field.name}`: {_spelt(field.type)}' for field in kind)}>"
    return f"array<{_spelt(kind.value_type)}>" if pa.types.is_list(kind) else _NAMES[kind]


def with_nulls(schema: pa.Schema, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """Rows of these columns, null in all others of the schema."""
    rows = len(next(iter(columns.values())))
    filled = [
        columns[field.name] if field.name in columns else pa.nulls(rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(filled, schema=schema)


def few_rows(session: Any, rows: Iterable[Sequence[Any]], schema: str) -> Any:
    """A frame of rows that the driver has; Spark's own way would start processes of Python."""
    from pyspark.sql import functions as f

    names = [column.split()[0] for column in schema.split(", ")]
    text = json.dumps([dict(zip(names, row, strict=True)) for row in rows])
    kind = ", ".join(column.replace(" ", ": ") for column in schema.split(", "))
    parsed = f.from_json(f.lit(text), f"array<struct<{kind}>>")
    return session.range(0, 1, 1, 1).select(f.inline(parsed))


def as_blobs(lists: FeatureLists) -> pa.Array:
    """Lists of keys as a column of bytes: Spark writes and reads each as one value."""
    first, last = int(lists.offsets[0]), int(lists.offsets[-1])
    offsets = ((lists.offsets - first) * _KEY).astype(np.int32)
    data = np.ascontiguousarray(lists.values[first:last], np.uint64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(lists), buffers)


def one_blob(data: Any) -> pa.Array:
    """The bytes of an array as one value."""
    ends = np.array([0, data.nbytes], np.int32)
    return pa.Array.from_buffers(pa.binary(), 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])


def from_blobs(column: pa.Array) -> FeatureLists:
    """A column of lists of keys as bytes; null is a list without any."""
    column = column.cast(pa.binary())
    column = column.fill_null(b"") if column.null_count else column
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    if not len(ends) or ends[0] == ends[-1]:
        return Ragged.from_lengths(np.empty(0, np.uint64), np.zeros(len(column), np.int64))
    values = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]].view(np.uint64)
    return Ragged(values, ((ends - ends[0]) // _KEY).astype(np.int64))
