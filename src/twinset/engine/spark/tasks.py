"""What all tasks of ours have in common: they share a process of Python, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from twinset import _kernels
from twinset.engine.columns import give_back_memory
from twinset.engine.streaming import LARGE
from twinset.model.columns import column

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What runs on a partition."""
ROWS_OF_NUMBERS = 1 << 18
"""Rows of two numbers that go to Java at a time: 4 MB, which it holds outside of its heap."""


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


def numbers_in_batches(**columns: Any) -> Iterator[pa.RecordBatch]:
    """Rows of numbers, a few megabytes at a time."""
    count = len(next(iter(columns.values())))
    for at in range(0, count, ROWS_OF_NUMBERS):
        some = [column(values[at : at + ROWS_OF_NUMBERS]) for values in columns.values()]
        yield pa.RecordBatch.from_arrays(some, list(columns))
