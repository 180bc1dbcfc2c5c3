"""Files elsewhere while they are read: in pieces, ahead of the reader, again after a cut.

A system that has ranges is asked for several pieces at a time, so that the time which each answer
takes is not waited for. Where a connection is cut, the piece is fetched again, or the file read
again up to that byte.
"""

from __future__ import annotations

import errno
import io
import os
import threading
import time
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from typing import Any, BinaryIO, cast

from twinset.system.background import BackgroundIterator
from twinset.system.bounded import Name, open_regular
from twinset.system.remote import Place, RemotePath, reported
from twinset.system.remote_faults import may_pass
from twinset.system.schemes import WEB

FIRST = 1 << 16
PIECE = 4 << 20
AHEAD = 6
"""Bytes of the first piece and of the largest, and how many of these are fetched ahead."""
ATTEMPTS, WAIT = 4, 0.2
"""How often a piece is asked for, and seconds before the second time; then four times as long."""
_SMALL = 1 << 20
_CHANGED = "it was changed while it was read; run again when it is complete"


def open_place(
    path: Place, within: Sequence[Name] = (), *, buffering: int = 0, ahead: bool = False
) -> BinaryIO:
    """A regular file of this machine, or one elsewhere, opened for reading.

    ``ahead`` says that it is read from its beginning to its end. Where ``within`` names folders,
    nothing elsewhere is opened.
    """
    if not isinstance(path, RemotePath):
        return open_regular(path, within, buffering=buffering)
    if within:
        message = "it is an address, and only folders of this machine may be read"
        raise PermissionError(errno.EACCES, message, str(path))
    size = path.status().bytes
    file: io.RawIOBase
    if size is not None and has_ranges(path):
        file = RangedFile(path, size, AHEAD, whole=ahead)
    else:
        file = StreamedFile(path, ahead)
    return cast(BinaryIO, file if buffering == 0 else io.BufferedReader(file, FIRST))


def is_readable(path: Place) -> bool:
    """Whether a file is there and may be read."""
    if not isinstance(path, RemotePath):
        return os.access(path, os.R_OK)
    try:
        with open_place(path) as file:
            file.read(1)
    except OSError:
        return False
    return True


def size_of(file: BinaryIO) -> int | None:
    """How many bytes an opened file has, which stays where it is; None where nobody knows."""
    if not file.seekable():
        return None
    at = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(at)
    return size


def fetch(path: RemotePath, begin: int, end: int) -> bytes:
    """The bytes of a file from ``begin`` to ``end``, asked for again where a connection is cut."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with reported(path):
                piece = _range(path, begin, end)
            if len(piece) == end - begin:
                return piece
            fault = OSError(errno.ECONNRESET, _CHANGED, str(path))
        except OSError as raised:
            fault = raised
        if attempt == ATTEMPTS or not may_pass(fault):
            raise fault
        _wait(attempt)
    raise AssertionError("the loop returns or raises")


def _range(path: RemotePath, begin: int, end: int) -> bytes:
    if path.scheme in WEB and begin == 0 and end == path.status().bytes:
        return bytes(path.system.cat_file(path.path))
    # Other systems open a file for it, whose own reading ahead would be thrown away.
    options = {} if _answers_ranges(path) else {"cache_type": "none"}
    return bytes(path.system.cat_file(path.path, start=begin, end=end, **options))


def _answers_ranges(path: RemotePath) -> bool:
    from fsspec import AbstractFileSystem

    system = path.system
    return system.async_impl or type(system).cat_file is not AbstractFileSystem.cat_file


def _wait(attempt: int) -> None:
    time.sleep(WAIT * 4 ** (attempt - 1))


def has_ranges(path: RemotePath) -> bool:
    """Whether parts of a file can be had; a web server that ignores the range sends all of it."""
    size = path.status().bytes
    if size is None or path.scheme not in WEB or size <= _SMALL:
        return size is not None
    if "ranges" not in path.info:
        try:
            with path.system.open(
                path.path, "rb", block_size=FIRST, cache_type="none", size=size
            ) as file:
                file.seek(1)
                path.info["ranges"] = len(file.read(1)) == 1
        except Exception:
            path.info["ranges"] = False  # what is wrong is said when it is read
    return bool(path.info["ranges"])


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
        is_shared = path.system.async_impl or path.scheme in ("memory", "hf")
        self._most_ahead = ahead if is_shared else 0

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


def ensure_unchanged(path: RemotePath) -> None:
    """Raise where a file is not the one that was opened."""
    before = path.status()
    if not before.is_same(path.status(fresh=True)):
        raise OSError(errno.EIO, _CHANGED, str(path))


class _Fetch:
    """A piece on its way, in a thread of its own unless the system serves one at a time.

    The threads do not keep the process from ending, as those of a pool would.
    """

    def __init__(self, path: RemotePath, begin: int, end: int, apart: bool) -> None:
        self.path, self.begin, self.end = path, begin, end
        self._future: Future[bytes] | None = Future() if apart else None
        if apart:
            threading.Thread(target=self._run, name="twinset-fetching", daemon=True).start()

    def result(self) -> bytes:
        """The bytes."""
        if self._future is None:
            return fetch(self.path, self.begin, self.end)
        return self._future.result()

    def _run(self) -> None:
        assert self._future is not None
        try:
            self._future.set_result(fetch(self.path, self.begin, self.end))
        except BaseException as fault:
            self._future.set_exception(fault)


class StreamedFile(io.RawIOBase):
    """A file that can only be read in order: a web server without ranges, or of unknown length."""

    def __init__(self, path: RemotePath, ahead: bool) -> None:
        chunks = _chunks(path)
        self._chunks: BackgroundIterator[bytes] | Generator[bytes, None, None] = chunks
        if ahead:
            self._chunks = BackgroundIterator(chunks, 16)
        self._rest = memoryview(b"")
        self._at = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """How many bytes were read."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, unless the file ends."""
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view):
            if not self._rest:
                self._rest = memoryview(next(self._chunks, b""))
                if not self._rest:
                    break
            some = self._rest[: len(view) - filled]
            view[filled : filled + len(some)] = some
            filled += len(some)
            self._rest = self._rest[len(some) :]
        self._at += filled
        return filled

    def close(self) -> None:
        """Close the connection."""
        if not self.closed:
            self._chunks.close()
        super().close()


def _chunks(path: RemotePath) -> Generator[bytes, None, None]:
    """The file in order; after a cut it is opened again and read up to there, if it is the same."""
    done = cuts = 0
    before = path.status()
    while True:
        try:
            with reported(path), path.system.open(path.path, "rb", block_size=0) as file:
                left = done
                while left and (chunk := file.read(min(left, _SMALL))):
                    left -= len(chunk)
                while chunk := file.read(_SMALL):
                    done += len(chunk)
                    cuts = 0
                    yield chunk
            return
        except OSError as fault:
            cuts += 1
            if cuts == ATTEMPTS or not may_pass(fault):
                raise
            _wait(cuts)
            if not before.is_same(path.status(fresh=True)):
                raise OSError(errno.EIO, _CHANGED, str(path)) from None
