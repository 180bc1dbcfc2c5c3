"""Columns with an entry for every document, filled a batch at a time and kept as narrow as can be.

They are what a run needs for each document from the first batch to the report, so that ten million
documents take ten million times their width. At the end each becomes one array, and the parts go
as they are copied.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import weakref
from bisect import bisect_right
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import HEAD, Ints

_LITTLE = 200 << 10
"""Kilobytes that a process may keep."""


class NumberColumn:
    """Whole numbers from 0, of one to eight bytes as they need."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []

    def append(self, numbers: NDArray[Any]) -> None:
        """The numbers of a batch."""
        largest = int(numbers.max(initial=0))
        self._parts.append(numbers.astype(np.min_scalar_type(largest)))

    def finish(self) -> NDArray[Any]:
        """All numbers; the column is empty afterwards."""
        kind = np.result_type(np.uint8, *{part.dtype for part in self._parts})
        room = np.empty(sum(map(len, self._parts)), kind)
        end = len(room)
        while self._parts:
            part = self._parts.pop()
            room[end - len(part) : end] = part
            end -= len(part)
        return room


class RunColumn:
    """Values that whole batches have in common; no memory at all where there is but one."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self._values: list[Any] = []
        self._counts: list[int] = []

    def append(self, value: int | bool, count: int) -> None:
        """The value of a batch of so many documents."""
        if self._values and self._values[-1] == value:
            self._counts[-1] += count
        else:
            self._values.append(value)
            self._counts.append(count)

    def finish(self) -> NDArray[Any]:
        """The value of every document, not to be written to."""
        values: NDArray[Any] = np.array(self._values, self._kind)
        if len(values) == 1:
            return np.broadcast_to(values[0], (self._counts[0],))
        return np.repeat(values, self._counts)


class TextColumn:
    """Strings without nulls."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def append(self, texts: pa.Array) -> None:
        """The strings (large_string) of a batch."""
        self._parts.append(texts)

    def finish(self) -> pa.Array:
        """All strings; the column is empty afterwards."""
        count = sum(map(len, self._parts))
        offsets = np.zeros(count + 1, np.int64)
        data = np.empty(sum(_text_bytes(part) for part in self._parts), np.uint8)
        at = end = 0
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            begins = _offsets_of(part)
            size = int(begins[-1] - begins[0])
            if size:
                inside = slice(int(begins[0]), int(begins[-1]))
                data[end : end + size] = np.frombuffer(part.buffers()[2], np.uint8)[inside]
            np.add(begins[1:], end - begins[0], out=offsets[at + 1 : at + len(begins)])
            at, end = at + len(part), end + size
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.large_string(), count, buffers)


class Heads:
    """The first bytes of all documents, in a temporary file that goes when this object does."""

    def __init__(self, folder: str) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self._size = 0
        self._firsts: list[int] = []
        self._places: list[int] = []

    def write(self, heads: NDArray[np.uint8]) -> int:
        """Keep the heads of a batch, `HEAD` bytes each, and say where. Any thread may call."""
        if not heads.size:
            return 0
        rest = heads.data.cast("B")
        with self._lock:
            place = at = self._size
            self._size += len(rest)
        while len(rest):
            written = os.pwrite(self._file.fileno(), rest, at)
            rest, at = rest[written:], at + written
        return place

    def add(self, first: int, place: int) -> None:
        """The heads of the documents from ``first`` on begin there. Batches come in order."""
        self._firsts.append(first)
        self._places.append(place)

    def read(self, number: int) -> str:
        """The head of a document, as text."""
        batch = bisect_right(self._firsts, number) - 1
        at = self._places[batch] + (number - self._firsts[batch]) * HEAD
        head = os.pread(self._file.fileno(), HEAD, at)
        return head.rstrip(b"\0").decode("utf-8", "replace")


def give_back_memory() -> None:
    """After a stage: what its threads have freed serves the next one, whoever asks for it."""
    if sys.platform == "linux":
        import resource

        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _LITTLE:
            return  # to look for it takes longer than to read a few documents
    pa.default_memory_pool().release_unused()
    _kernels.give_back_memory()


def _offsets_of(texts: pa.Array) -> Ints:
    if not len(texts):
        return np.zeros(1, np.int64)
    inside = slice(texts.offset, texts.offset + len(texts) + 1)
    return np.frombuffer(texts.buffers()[1], np.int64)[inside]


def _text_bytes(texts: pa.Array) -> int:
    offsets = _offsets_of(texts)
    return int(offsets[-1] - offsets[0])
