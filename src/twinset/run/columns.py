"""Columns with an entry for every document, filled a batch at a time and kept as narrow as can be.

They are what a run needs for each document from the first batch to the report, so that ten million
documents take ten million times their width. At the end each becomes one array.
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
from twinset.model import HEAD

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
        numbers: NDArray[Any] = np.concatenate([np.empty(0, np.uint8), *self._parts])
        self._parts.clear()
        return numbers


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


class NumberFile:
    """Numbers of one kind in a temporary file, which goes when this object does."""

    def __init__(self, kind: Any, folder: str) -> None:
        self._kind = np.dtype(kind)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.close = weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, values: NDArray[Any]) -> int:
        """Where these numbers lie now, behind all others. Any thread may call."""
        with self._lock:
            at = self._size
            self._size += len(values)
        self.write(at, values)
        return at

    def write(self, at: int, values: NDArray[Any]) -> None:
        """Put some in the place of those from ``at`` on."""
        rest = np.ascontiguousarray(values, self._kind).view(np.uint8).data
        place = at * self._kind.itemsize
        while len(rest):
            written = os.pwrite(self._file.fileno(), rest, place)
            rest, place = rest[written:], place + written
        with self._lock:
            self._size = max(self._size, at + len(values))

    def read(self, begin: int, end: int) -> NDArray[Any]:
        """The numbers from ``begin`` to ``end``, as far as there are some. Any thread may call."""
        values = np.empty(max(min(end, self._size) - begin, 0), self._kind)
        place, rest = begin * self._kind.itemsize, values.view(np.uint8).data
        while len(rest) and (read := os.preadv(self._file.fileno(), [rest], place)):
            place, rest = place + read, rest[read:]
        return values


class Heads:
    """The first bytes of all documents."""

    def __init__(self, folder: str) -> None:
        self._bytes = NumberFile(np.uint8, folder)
        self._firsts: list[int] = []
        self._places: list[int] = []

    def write(self, heads: NDArray[np.uint8]) -> int:
        """Keep the heads of a batch, `HEAD` bytes each, and say where. Any thread may call."""
        return self._bytes.append(heads.ravel())

    def add(self, first: int, place: int) -> None:
        """The heads of the documents from ``first`` on begin there. Batches come in order."""
        self._firsts.append(first)
        self._places.append(place)

    def read(self, number: int) -> str:
        """The head of a document, as text."""
        batch = bisect_right(self._firsts, number) - 1
        at = self._places[batch] + (number - self._firsts[batch]) * HEAD
        return self._bytes.read(at, at + HEAD).tobytes().rstrip(b"\0").decode("utf-8", "replace")


def give_back_memory() -> None:
    """After a stage: what its threads have freed serves the next one, whoever asks for it."""
    if sys.platform == "linux":
        import resource

        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _LITTLE:
            return  # to look for it takes longer than to read a few documents
    pa.default_memory_pool().release_unused()
    _kernels.give_back_memory()
