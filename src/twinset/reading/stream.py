"""Bytes from files: counted and digested as they lie there, unpacked and recoded on the way.

Plain files are read into the caller's block, not mapped, so that memory stays what was asked for.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, Protocol

import numpy as np

from twinset._kernels import Digest
from twinset.reading.source import Job


class Stream(Protocol):
    """Bytes in order; ``readinto`` fills the view as far as there are bytes, 0 at the end."""

    def readinto(self, view: memoryview) -> int:
        """Fill the view from the front and say how many bytes there were."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Tap:
    """A file whose bytes are counted and digested as they pass."""

    def __init__(self, file: BinaryIO | io.FileIO, job: Job) -> None:
        self._file, self._job, self._digest = file, job, Digest()

    def readinto(self, view: memoryview) -> int:
        """Fill the view; at the end of the file the job learns the digest."""
        filled = 0
        while filled < len(view):
            got = self._file.readinto(view[filled:])  # type: ignore[union-attr]
            if not got:
                break
            filled += got
        self._job.meter.bytes_read += filled
        self._digest.update(np.frombuffer(view[:filled], dtype=np.uint8))
        if filled < len(view):
            self._job.digest = self._digest.value()
        return filled

    def read(self, size: int) -> bytes:
        """Up to so many bytes, as an object of their own."""
        piece = bytearray(size)
        return bytes(piece[: self.readinto(memoryview(piece))])

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Pieces:
    """A stream made of byte strings, as decompressors and decoders give them."""

    def __init__(self, pieces: Iterator[bytes], below: Stream) -> None:
        self._pieces, self._below = pieces, below
        self._rest = memoryview(b"")

    def readinto(self, view: memoryview) -> int:
        """Fill the view, taking pieces as they are needed."""
        filled = 0
        while filled < len(view):
            if not self._rest:
                piece = next(self._pieces, None)
                if piece is None:
                    break
                self._rest = memoryview(piece)
                continue
            take = min(len(self._rest), len(view) - filled)
            view[filled : filled + take] = self._rest[:take]
            self._rest = self._rest[take:]
            filled += take
        return filled

    def close(self) -> None:
        """Let go of the file below."""
        self._below.close()


class Prefixed:
    """A stream with bytes in front of it that had been read to look at them."""

    def __init__(self, front: bytes, below: Stream) -> None:
        self._front, self._below = front, below

    def readinto(self, view: memoryview) -> int:
        """Fill the view with the front first."""
        take = min(len(self._front), len(view))
        view[:take] = self._front[:take]
        self._front = self._front[take:]
        return take + self._below.readinto(view[take:]) if take < len(view) else take

    def close(self) -> None:
        """Let go of the file below."""
        self._below.close()
