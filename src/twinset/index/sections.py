"""Files of named arrays, written once and mapped into memory afterwards.

The arrays lie one after the other; a footer in JSON says where, with a digest of each. What is read
first is the end: a mark, the length of the footer and its digest. So a file that was cut off, or is
of another kind or version, is refused when it is opened, and `SectionFile.faults` looks at all of
it.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import ReportError
from twinset.system.files import sync_folder

MARK = b"twinset1"
END = struct.Struct("<QQ8s")
"""Length of the footer, its digest, the mark."""
ALIGNED = 64
PIECE = 1 << 24
"""Bytes that are checked at a time."""


def digest_of(data: bytes | NDArray[Any]) -> int:
    """A digest of bytes."""
    digest = _kernels.Digest()
    digest.update(np.frombuffer(data, np.uint8))
    return digest.value()


class SectionWriter:
    """Writes such a file; nothing of it counts before `finish`, which waits for the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("xb")
        self._sections: dict[str, list[Any]] = {}
        self._digests: dict[str, _kernels.Digest] = {}
        self._end = 0

    def begin(self, name: str, dtype: Any, room: int = 0) -> None:
        """A new array; ``room`` is the most values of one that grows while others do."""
        begin = -(-self._end // ALIGNED) * ALIGNED
        self._sections[name] = [begin, 0, np.dtype(dtype).str]
        self._digests[name] = _kernels.Digest()
        self._end = begin + room * np.dtype(dtype).itemsize

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Values at the end of an array."""
        section = self._sections[name]
        data = np.ascontiguousarray(values, np.dtype(section[2]))
        self._file.seek(section[0] + section[1])
        self._file.write(data.data)
        if data.nbytes:
            self._digests[name].update(data.reshape(-1).view(np.uint8))
        section[1] += data.nbytes
        self._end = max(self._end, section[0] + section[1])

    def add(self, name: str, values: NDArray[Any]) -> None:
        """A whole array."""
        self.begin(name, values.dtype)
        self.append(name, values)

    def finish(self, **facts: Any) -> None:
        """Write the footer and wait until the file and its name are on the disk."""
        listed = {
            name: [*section, self._digests[name].value()]
            for name, section in self._sections.items()
        }
        footer = json.dumps({"sections": listed, **facts}).encode()
        self._file.seek(self._end)
        self._file.write(footer + END.pack(len(footer), digest_of(footer), MARK))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        sync_folder(self.path.parent)

    def abandon(self) -> None:
        """Remove what was written."""
        with suppress(OSError):  # what waits to be written may find no room
            self._file.close()
        self.path.unlink(missing_ok=True)


class SectionFile:
    """Such a file, mapped: arrays are read when they are touched."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < END.size:
                raise damaged(path, "it is cut off")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length, digest, mark = END.unpack(self._map[size - END.size :])
        if mark != MARK:
            raise damaged(path, "its end is not that of such a file")
        footer = self._map[max(size - END.size - length, 0) : size - END.size]
        if len(footer) != length or digest_of(footer) != digest:
            raise damaged(path, "its list of contents is not what was written")
        self.facts: dict[str, Any] = json.loads(footer)
        self._sections: dict[str, list[Any]] = self.facts.pop("sections")
        self.bytes = size

    def __getitem__(self, name: str) -> NDArray[Any]:
        begin, length, dtype, _ = self._sections[name]
        kind = np.dtype(dtype)
        return np.frombuffer(self._map, kind, length // kind.itemsize, begin)

    def begin_of(self, name: str) -> int:
        """Where an array begins in the file."""
        begin: int = self._sections[name][0]
        return begin

    def held(self) -> _kernels.HeldFile:
        """The file itself, for what is read rather than mapped."""
        with self.path.open("rb") as file:
            return _kernels.HeldFile(file.fileno())

    def random(self) -> None:
        """Tell the system that places are read in no order."""
        if hasattr(self._map, "madvise") and hasattr(mmap, "MADV_RANDOM"):
            self._map.madvise(mmap.MADV_RANDOM)

    def faults(self) -> list[str]:
        """The arrays that are not what was written."""
        return [f"{self.path.name}: the {name} are damaged" for name in self._damaged()]

    def ensure_whole(self) -> None:
        """Raise where an array is not what was written."""
        for name in self._damaged():
            raise damaged(self.path, f"its {name} are not what was written")

    def _damaged(self) -> Iterator[str]:
        for name, (begin, length, _, digest) in self._sections.items():
            if _digest_of_range(self._map, begin, length) != digest:
                yield name


def _digest_of_range(data: mmap.mmap, begin: int, length: int) -> int:
    digest = _kernels.Digest()
    for at in range(begin, begin + length, PIECE):
        size = min(PIECE, begin + length - at)
        digest.update(np.frombuffer(data, np.uint8, size, at))
    return digest.value()


def damaged(path: Path, how: str) -> ReportError:
    """What is said of a file that is not what was written."""
    return ReportError(
        f"{path} is damaged: {how}; 'twinset index check {path.parent}' says what can be saved"
    )
