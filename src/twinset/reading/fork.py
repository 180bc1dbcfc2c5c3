"""One source forked into two outputs: each record's bytes go to the kept or to the removed."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from twinset.errors import ReadError
from twinset.model import Ints
from twinset.reading.blocks import Bytes

Mask = NDArray[np.bool_]
# What a record is: a document, part of the frame that both outputs need, or neither.
ROW, FRAME, OTHER = 0, 1, 2


@dataclass
class Decisions:
    """One decision a document, handed out in reading order."""

    keep: Mask
    used: int = 0

    def take(self, count: int) -> Mask:
        """The decisions for the next documents."""
        found = self.keep[self.used : self.used + count]
        if len(found) < count:
            raise ReadError("input", None, "the input has changed since it was read; run again")
        self.used += count
        return found


@dataclass
class Fork:
    """The two outputs of one source."""

    decisions: Decisions
    kept: Path
    removed: Path
    compression: str | None

    @contextmanager
    def handles(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The two outputs as files, packed like the input."""
        for path in (self.kept, self.removed):
            path.parent.mkdir(parents=True, exist_ok=True)
        with (
            _packed(self.kept, self.compression) as kept,
            _packed(self.removed, self.compression) as removed,
        ):
            yield kept, removed

    @contextmanager
    def files(self, encoding: str = "utf-8", mark: bytes = b"") -> Iterator[Writers]:
        """The two outputs for records, which begin with the input's byte order mark."""
        with self.handles() as (kept, removed):
            kept.write(mark)
            removed.write(mark)
            yield Writers(self.decisions, kept, removed, encoding)


class Writers:
    """Sends records to the one or the other output."""

    def __init__(
        self, decisions: Decisions, kept: IO[bytes], removed: IO[bytes], encoding: str
    ) -> None:
        self._decisions, self._encoding = decisions, encoding
        self._outputs = {True: kept, False: removed}
        self._last = True

    def records(self, data: Bytes, ends: Ints, kinds: NDArray[np.uint8]) -> None:
        """Records that lie behind one another, each of its kind."""
        if len(ends) == 0:
            return
        goes = np.ones(len(ends), dtype=bool)
        rows = kinds == ROW
        goes[rows] = self._decisions.take(int(rows.sum()))
        breaks = (
            np.flatnonzero((np.diff(goes) != 0) | (np.diff(kinds == FRAME) != 0)) + 1
        ).tolist()
        for first, last in zip([0, *breaks], [*breaks, len(ends)], strict=True):
            begin = int(ends[first - 1]) if first else 0
            piece = data[begin : int(ends[last - 1])]
            if kinds[first] == FRAME:
                self.frame(piece)
            else:
                self._write(bool(goes[first]), piece)
        self._last = bool(goes[-1])

    def record(self, data: Any, kind: int = ROW) -> None:
        """One record."""
        piece = np.frombuffer(data, dtype=np.uint8)
        self.records(piece, np.array([len(piece)]), np.array([kind], dtype=np.uint8))

    def more(self, data: Bytes) -> None:
        """More of the last record."""
        self._write(self._last, data)

    def frame(self, data: Any) -> None:
        """Bytes that both outputs need."""
        self._write(True, data)
        self._write(False, data)

    def removed_only(self, data: bytes) -> None:
        """Bytes that only the removed documents need, since the kept ones have theirs."""
        self._write(False, data)

    def _write(self, kept: bool, data: Any) -> None:
        if self._encoding != "utf-8":
            data = bytes(data).decode("utf-8", "replace").encode(self._encoding)
        self._outputs[kept].write(data)


@contextmanager
def _packed(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """A file to write to, packed; without names and times, so that equal content is equal bytes."""
    with open(path, "wb", buffering=1 << 20) as file:
        if compression is None:
            yield file
        else:
            with _packer(file, compression) as packed:
                yield packed


def _packer(file: IO[bytes], compression: str) -> Any:
    if compression == "gz":
        return gzip.GzipFile("", "wb", 6, file, mtime=0)
    if compression == "bz2":
        return bz2.open(file, "wb")
    if compression == "xz":
        return lzma.open(file, "wb")
    import zstandard

    return zstandard.ZstdCompressor().stream_writer(file, closefd=False)
