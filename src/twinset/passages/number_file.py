"""Numbers that wait in a temporary file, since there are too many of them for memory."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NumberFile:
    """Numbers of one kind, from 0 on. Any thread may read."""

    def __init__(self, kind: Any, folder: str) -> None:
        self._kind = np.dtype(kind)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, values: NDArray[Any]) -> None:
        """Put some behind the others."""
        self.write(self._size, values)

    def write(self, at: int, values: NDArray[Any]) -> None:
        """Put some in the place of those from ``at`` on."""
        rest = np.ascontiguousarray(values, self._kind).view(np.uint8).data
        place = at * self._kind.itemsize
        while len(rest):
            written = os.pwrite(self._file.fileno(), rest, place)
            rest, place = rest[written:], place + written
        self._size = max(self._size, at + len(values))

    def read(self, begin: int, end: int) -> NDArray[Any]:
        """Those from ``begin`` to ``end``."""
        values = np.empty(max(min(end, self._size) - begin, 0), self._kind)
        place, rest = begin * self._kind.itemsize, values.view(np.uint8).data
        while len(rest) and (read := os.preadv(self._file.fileno(), [rest], place)):
            place, rest = place + read, rest[read:]
        return values

    def close(self) -> None:
        """Give the file back."""
        self._file.close()
