"""Files elsewhere while they are read: in pieces, ahead of the reader, again after a cut.

A system that has ranges is asked for several pieces at a time, so that the time which each answer
takes is not waited for. Where a connection is cut, the piece is fetched again, or the file read
again up to that byte.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Generator, Sequence
from typing import Any, BinaryIO, cast

from twinset.system.background import BackgroundIterator, go_on
from twinset.system.bounded import Name, open_regular
from twinset.system.pieces import AHEAD, CHANGED, FIRST, RangedFile, fetch
from twinset.system.remote import Place, RemotePath, reported
from twinset.system.remote_faults import ATTEMPTS, may_pass, wait
from twinset.system.schemes import WEB

_SMALL = 1 << 20
_HELD = "twinset_held"


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
    if _HELD in path.info:
        return io.BytesIO(path.info[_HELD])
    size = path.status().bytes
    file: io.RawIOBase
    if size is not None and has_ranges(path):
        file = RangedFile(path, size, AHEAD, whole=ahead)
    else:
        file = StreamedFile(path, ahead)
    return cast(BinaryIO, file if buffering == 0 else io.BufferedReader(file, FIRST))


def hold(path: RemotePath) -> None:
    """Fetch a small file, so that it is read from memory until it is let go."""
    size = path.status().bytes
    if size is not None and size <= _SMALL:
        path.info[_HELD] = fetch(path, 0, size) if size else b""


def let_go(path: RemotePath) -> None:
    """Forget the bytes of a file that was held."""
    path.info.pop(_HELD, None)


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


class StreamedFile(io.RawIOBase):
    """A file that can only be read in order: a web server without ranges, or of unknown length."""

    def __init__(self, path: RemotePath, ahead: bool) -> None:
        chunks = _chunks(path)
        self._chunks: BackgroundIterator[bytes] | Generator[bytes, None, None] = chunks
        if ahead:
            self._chunks = BackgroundIterator(chunks, 16, go_on)
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
                go_on()
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
        if isinstance(self._chunks, BackgroundIterator):
            self._chunks.close(wait=False)  # a server may keep it waiting
        else:
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
            wait(cuts)
            if not before.is_same(path.status(fresh=True)):
                raise OSError(errno.EIO, CHANGED, str(path)) from None
