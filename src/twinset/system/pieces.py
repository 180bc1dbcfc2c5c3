"""Files elsewhere in pieces: several on their way at a time, each asked for again after a cut.

A `RangedFile` is read in order, a `ScatteredFile` at several places in turn, as the columns of a
table are.
"""

from __future__ import annotations

import errno
import io
import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from twinset.system.background import go_on
from twinset.system.remote import RemotePath, reported
from twinset.system.remote_faults import ATTEMPTS, may_pass, wait
from twinset.system.schemes import WEB

if TYPE_CHECKING:
    from concurrent.futures import Future

FIRST = 1 << 16
PIECE = 4 << 20
AHEAD = 6
"""Bytes of the first piece and of the largest, and how many of these are fetched ahead."""
PLACES = 8
"""Places that are remembered, each with the piece that was fetched there."""
EXACT = 1 << 20
"""Of more bytes than these nothing beyond them is fetched: whoever asks for so many knows why."""
_PATIENCE = 0.2  # seconds
CHANGED = "it was changed while it was read; run again when it is complete"


def fetch(path: RemotePath, begin: int, end: int) -> bytes:
    """The bytes of a file from ``begin`` to ``end``, asked for again where a connection is cut."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with reported(path):
                piece = _range(path, begin, end)
            if len(piece) == end - begin:
                return piece
            fault = OSError(errno.ECONNRESET, CHANGED, str(path))
        except OSError as raised:
            fault = raised
        if attempt == ATTEMPTS or not may_pass(fault):
            raise fault
        wait(attempt)
    raise AssertionError("the loop returns or raises")


def _range(path: RemotePath, begin: int, end: int) -> bytes:
    if path.scheme in WEB and begin == 0 and end == path.status().bytes:
        return bytes(path.system.cat_file(path.path))
    # Other systems open a file for it, whose own reading ahead would be thrown away.
    options = {} if _answers_ranges(path) else {"cache_type": "none"}
    piece = bytes(path.system.cat_file(path.path, start=begin, end=end, **options))
    is_whole = path.scheme in WEB and len(piece) == path.status().bytes
    return piece[begin:end] if is_whole else piece  # a web server may ignore the range


def _answers_ranges(path: RemotePath) -> bool:
    from fsspec import AbstractFileSystem

    system = path.system
    return system.async_impl or type(system).cat_file is not AbstractFileSystem.cat_file


def _serves_many(path: RemotePath) -> bool:
    """Whether several pieces may be asked for at the same time."""
    return path.system.async_impl or path.scheme in ("memory", "hf")


def fill(path: RemotePath, begin: int, view: memoryview) -> None:
    """Fill the view with the bytes of a file from ``begin`` on, several pieces at a time."""
    apart, end = _serves_many(path), begin + len(view)
    pending: deque[_Fetch] = deque()
    for at in range(begin, end, PIECE):
        pending.append(_Fetch(path, at, min(end, at + PIECE), apart))
        if len(pending) > AHEAD:
            _put(pending.popleft(), begin, view)
    while pending:
        _put(pending.popleft(), begin, view)


def _put(piece: _Fetch, begin: int, view: memoryview) -> None:
    view[piece.begin - begin : piece.end - begin] = piece.result()


def ensure_unchanged(path: RemotePath) -> None:
    """Raise where a file is not the one that was opened."""
    before = path.status()
    if not before.is_same(path.status(fresh=True)):
        raise OSError(errno.EIO, CHANGED, str(path))


class SeekableFile(io.RawIOBase):
    """A file elsewhere that can be read at any place."""

    def __init__(self, path: RemotePath, size: int) -> None:
        self.path, self.size, self._at = path, size, 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go there; nothing is fetched."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at


class RangedFile(SeekableFile):
    """A file that is fetched in pieces, which grow while it is read in order.

    ``whole`` says that it will be read to its end: then the first pieces are large, too, and after
    the last one the file must be the same.
    """

    def __init__(self, path: RemotePath, size: int, ahead: int, whole: bool = False) -> None:
        super().__init__(path, size)
        self._begin = 0
        self._piece = memoryview(b"")
        self._pending: deque[_Fetch] = deque()
        self._in_order = 3 if whole else 0  # pieces since the last jump
        self._is_checked = not whole or size <= PIECE
        self._most_ahead = ahead if _serves_many(path) else 0

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, unless the file ends."""
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view) and self._at < self.size:
            if not self._begin <= self._at < self._begin + len(self._piece):
                self._next_piece(len(view) - filled)
            some = self._piece[self._at - self._begin :][: len(view) - filled]
            view[filled : filled + len(some)] = some
            filled += len(some)
            self._at += len(some)
        if self._at >= self.size and not self._is_checked:
            self._is_checked = True
            ensure_unchanged(self.path)
        return filled

    def has(self, at: int) -> bool:
        """Whether the byte there was fetched, or is the next one."""
        return self._begin <= at <= self._begin + len(self._piece)

    def close(self) -> None:
        """Forget what was fetched; what is on its way is not waited for."""
        self._pending.clear()
        self._piece = memoryview(b"")
        super().close()

    def _next_piece(self, needed: int) -> None:
        if not self._pending or self._pending[0].begin != self._at:
            if self._begin + len(self._piece) != self._at:
                self._in_order = min(self._in_order, 3) if self._at == 0 else 0
            self._pending.clear()
            self._ask_for(self._at, needed)
        fetch = self._pending.popleft()
        self._in_order += 1
        last = self._pending[-1].end if self._pending else fetch.end
        while len(self._pending) < min(self._in_order - 1, self._most_ahead) and last < self.size:
            last = self._ask_for(last)
        self._begin, self._piece = fetch.begin, memoryview(fetch.result())

    def _ask_for(self, begin: int, needed: int = 0) -> int:
        size = max(min(PIECE, FIRST << 2 * min(self._in_order, 3)), min(needed, PIECE))
        end = min(self.size, begin + size)
        self._pending.append(_Fetch(self.path, begin, end, self._most_ahead > 0))
        return end


class _Fetch:
    """A piece on its way, in a thread of its own unless the system serves one at a time.

    The threads do not keep the process from ending, as those of a pool would.
    """

    def __init__(self, path: RemotePath, begin: int, end: int, apart: bool) -> None:
        self.path, self.begin, self.end = path, begin, end
        self._future: Future[bytes] | None = None
        if apart:
            from concurrent.futures import Future  # which few runs load

            self._future = Future()
            threading.Thread(target=self._run, name="twinset-fetching", daemon=True).start()

    def result(self) -> bytes:
        """The bytes."""
        if self._future is None:
            return fetch(self.path, self.begin, self.end)
        from concurrent.futures import wait as wait_for

        while True:
            go_on()
            if wait_for([self._future], _PATIENCE).done:
                return self._future.result()

    def _run(self) -> None:
        assert self._future is not None
        try:
            self._future.set_result(fetch(self.path, self.begin, self.end))
        except BaseException as fault:
            self._future.set_exception(fault)


class ScatteredFile(SeekableFile):
    """A file whose reader jumps.

    A large part is fetched in several pieces at a time. Where small ones are read, those that
    follow each of the last few places are fetched ahead.
    """

    def __init__(self, path: RemotePath) -> None:
        super().__init__(path, path.status().bytes or 0)
        self._places: list[RangedFile] = []  # the one that was used last is the last

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, unless the file ends."""
        view = memoryview(buffer).cast("B")[: max(0, self.size - self._at)]
        if len(view) > EXACT:
            fill(self.path, self._at, view)
            count = len(view)
        else:
            count = self._near().readinto(view)
        self._at += count
        return count

    def _near(self) -> RangedFile:
        near = next((place for place in self._places if place.has(self._at)), None)
        if near is None:
            near = RangedFile(self.path, self.size, 1)
            self._places = self._places[1 - PLACES :]
        else:
            self._places.remove(near)
        self._places.append(near)
        near.seek(self._at)
        return near

    def close(self) -> None:
        """Forget what was fetched."""
        self._places.clear()
        super().close()

    def ensure_unchanged(self) -> None:
        """Raise where the file is not the one that was opened."""
        ensure_unchanged(self.path)
