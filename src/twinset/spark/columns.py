"""Columns between Arrow and Spark, and what all our tasks have in common."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import functions as f

from twinset import _kernels
from twinset.model import FeatureLists, Ragged
from twinset.run.columns import give_back_memory
from twinset.run.streaming import LARGE

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


def spelt(schema: pa.Schema) -> str:
    """The columns with their types, as ``mapInArrow`` takes them."""
    return ", ".join(f"`{field.name}` {_NAMES[field.type]}" for field in schema)


def filled(schema: pa.Schema, columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """Rows of these columns, null in all others of the schema."""
    rows = len(next(iter(columns.values())))
    arrays = [
        columns[field.name].cast(field.type)
        if field.name in columns
        else pa.nulls(rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def few_rows(session: Any, rows: Iterable[Sequence[Any]], schema: str) -> Any:
    """A frame of rows that the driver has; Spark's own way would start processes of Python."""
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


def from_blobs(column: pa.Array) -> FeatureLists:
    """A column of lists of keys as bytes; null is a list without any."""
    column = column.cast(pa.binary()).fill_null(b"")
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    if not len(ends) or ends[0] == ends[-1]:
        return Ragged.from_lengths(np.empty(0, np.uint64), np.zeros(len(column), np.int64))
    values = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]].view(np.uint64)
    return Ragged(values, ((ends - ends[0]) // _KEY).astype(np.int64))


def send_array(array: Any, session: Any) -> str:
    """Send an array to whichever machine asks for it; the name that tasks know it by."""
    path = f"{session.sparkContext._temp_dir}/{uuid.uuid4().hex}.npy"
    np.save(path, array)
    session.sparkContext.addFile(path)
    return os.path.basename(path)


def sent_array(name: str) -> Any:
    """The array in a task."""
    return np.load(SparkFiles.get(name), mmap_mode="r")


Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What runs on a partition."""


def mapped(frame: Any, task: Task, schema: str) -> Any:
    """What a task makes of each partition of a frame."""
    return frame.mapInArrow(partial(_sparing, task), schema)


def _sparing(task: Task, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """An executor keeps the process: what a task has freed must not stay with it."""
    _kernels.keep_arrays_apart(LARGE)
    try:
        yield from task(batches)
    finally:
        give_back_memory()
