"""Files elsewhere while they are read: several pieces on their way at a time, again after a cut.

A file that is read to its end comes in pieces, several of which are asked for at a time, so that
the time which each answer takes is not waited for; one that is read at places comes in blocks,
which are kept for a while. Where a connection is cut, the piece is fetched again.
"""

from __future__ import annotations

import errno
import io
import os
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from functools import partial
from typing import Any, BinaryIO, cast

from twinset.system.remote import RemotePath, reported
from twinset.system.remote_faults import patiently
from twinset.system.schemes import WEB
from twinset.system.threads import BackgroundIterator, ChunkedFile, go_on

PIECE = 4 << 20
AHEAD = 6
"""Bytes of a piece, and how many pieces are fetched ahead."""
_BLOCK, _BLOCKS = 1 << 16, 16
"""Bytes of a block of a file that is read at places, and how many are kept."""
_SMALL = 1 << 20
_HELD = "twinset_held"
_PATIENCE = 0.2  # seconds
CHANGED = "it was changed while it was read; run again when it is complete"


def open_remote(path: RemotePath, buffering: int, ahead: bool) -> BinaryIO:
    """A file elsewhere opened for reading; ``ahead`` says that it is read to its end, in order."""
    if _HELD in path.info:
        return io.BytesIO(path.info[_HELD])
    file: io.RawIOBase
    if path.status().bytes is None or not has_ranges(path):
        chunks = _chunks(path)
        file = ChunkedFile(chunks, chunks.close)
        if ahead:
            fetched = BackgroundIterator(chunks, 16, go_on)
            # without waiting: a server may keep the thread waiting
            file = ChunkedFile(fetched, partial(fetched.close, wait=False))
    elif ahead:
        pieces = _pieces(path)
        file = ChunkedFile(pieces, pieces.close)
    else:
        file = RangedFile(path)
    return cast("BinaryIO", file if buffering == 0 else io.BufferedReader(file, _BLOCK))


def hold(path: RemotePath) -> None:
    """Fetch a small file, so that it is read from memory until it is let go."""
    size = path.status().bytes
    if size is not None and size <= _SMALL:
        path.info[_HELD] = fetch(path, 0, size)


def let_go(path: RemotePath) -> None:
    """Forget the bytes of a file that was held."""
    path.info.pop(_HELD, None)


def has_ranges(path: RemotePath) -> bool:
    """Whether parts of a file can be had; a web server that ignores the range sends all of it."""
    size = path.status().bytes
    if size is None or path.scheme not in WEB or size <= _SMALL:
        return size is not None
    if "ranges" not in path.info:
        try:
            with path.system.open(
                path.path, "rb", block_size=_BLOCK, cache_type="none", size=size
            ) as file:
                file.seek(1)
                path.info["ranges"] = len(file.read(1)) == 1
        except Exception:
            path.info["ranges"] = False  # what is wrong is said when it is read
    return bool(path.info["ranges"])


def fetch(path: RemotePath, begin: int, end: int) -> bytes:
    """The bytes of a file from ``begin`` to ``end``, in pieces that are asked for together."""
    parts = [(at, min(end, at + PIECE)) for at in range(begin, end, PIECE)]
    asked = [_ask(path, *part) for part in parts]
    return b"".join(_answer(path, *part, future) for part, future in zip(parts, asked, strict=True))


def _ask(path: RemotePath, begin: int, end: int) -> Future[bytes] | None:
    """A piece on its way; None where the system serves one at a time."""
    system = path.system
    if not system.async_impl:
        return None
    import asyncio

    asked = system._cat_file(path.path, start=begin, end=end)
    future: Future[bytes] = asyncio.run_coroutine_threadsafe(asked, system.loop)
    return future


def _answer(path: RemotePath, begin: int, end: int, future: Future[bytes] | None) -> bytes:
    """A piece that was asked for, and is asked for again where a connection was cut."""
    waiting = [future]

    def answered() -> bytes:
        future = waiting.pop() if waiting else _ask(path, begin, end)
        with reported(path):
            piece = _cat(path, begin, end) if future is None else _awaited(future)
        if path.scheme in WEB and len(piece) == path.status().bytes:
            piece = piece[begin:end]  # a web server may ignore the range
        if len(piece) != end - begin:
            raise OSError(errno.ECONNRESET, CHANGED, str(path))
        return piece

    return patiently(answered)


def _awaited(future: Future[bytes]) -> bytes:
    try:
        while not wait_for([future], _PATIENCE).done:
            go_on()
        return bytes(future.result())
    finally:
        future.cancel()


def _cat(path: RemotePath, begin: int, end: int) -> bytes:
    from fsspec import AbstractFileSystem

    # Some systems open a file for it, whose own reading ahead would be thrown away.
    opens = type(path.system).cat_file is AbstractFileSystem.cat_file
    options = {"cache_type": "none"} if opens else {}
    return bytes(path.system.cat_file(path.path, start=begin, end=end, **options))


def ensure_unchanged(path: RemotePath) -> None:
    """Raise where a file is not the one that was opened."""
    before = path.status()
    if not before.is_same(path.status(fresh=True)):
        raise OSError(errno.EIO, CHANGED, str(path))


class RangedFile(io.RawIOBase):
    """A file that can be read at any place: a large part at once, small ones by blocks."""

    def __init__(self, path: RemotePath) -> None:
        from fsspec.caching import BlockCache

        self.path, self.size, self._at = path, path.status().bytes or 0, 0
        self._blocks: Any = BlockCache(_BLOCK, self._fetch, self.size, _BLOCKS)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self.size, self._at + len(view))
        if end <= self._at:
            return 0
        is_small = end - self._at <= _BLOCK
        data = (self._blocks._fetch if is_small else self._fetch)(self._at, end)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _fetch(self, begin: int, end: int) -> bytes:
        return fetch(self.path, begin, min(end, self.size))


def _pieces(path: RemotePath) -> Generator[bytes, None, None]:
    """The file in order, several pieces of it on their way; after the last it must be the same."""
    size = path.status().bytes or 0
    pending: deque[tuple[int, int, Future[bytes] | None]] = deque()
    try:
        for at in range(0, size, PIECE):
            end = min(size, at + PIECE)
            pending.append((at, end, _ask(path, at, end)))
            if len(pending) > AHEAD:
                yield _answer(path, *pending.popleft())
        while pending:
            yield _answer(path, *pending.popleft())
    finally:
        for _, _, future in pending:
            if future is not None:
                future.cancel()
    if size > PIECE:
        ensure_unchanged(path)


def _chunks(path: RemotePath) -> Generator[bytes, None, None]:
    """The file in order, of a server that sends all of it and knows no ranges to go on from."""
    with reported(path), path.system.open(path.path, "rb", block_size=0) as file:
        while chunk := file.read(_SMALL):
            yield chunk
