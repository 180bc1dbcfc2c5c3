"""A file that is sent to a place elsewhere as it is written, and is there when it is complete.

The files of fsspec complete what was sent when a block ends by an exception, or when they are
forgotten. Here an exception, Ctrl-C included, drops it.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from twinset.system.places import open_place
from twinset.system.remote import BLOCK, Place, RemotePath, reported

_BUFFER = 1 << 20
_PATIENCE = 10.0  # seconds
# Stores where a missing folder is a missing bucket, which is not for us to make.
_WITHOUT_FOLDERS = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "hf")
# S3 takes 10,000 parts of a file: with parts that grow with what was sent, these hold 5 TiB.
_PARTS = 1000


@contextmanager
def upload(path: RemotePath) -> Iterator[IO[bytes]]:
    """A file to write to; folders above it are made where the system has folders."""
    sent = _SentFile(path)
    file = io.BufferedWriter(sent, _BUFFER)
    try:
        yield cast("IO[bytes]", file)
        file.flush()
        sent.complete()
    except BaseException:
        sent.drop()
        raise


def copy_file(source: Place, target: Place) -> int:
    """The same bytes at another place, with their time of change where both are here; how many."""
    if isinstance(target, Path):
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, Path):
            shutil.copy2(source, target)
            return target.stat().st_size
    writing = upload(target) if isinstance(target, RemotePath) else target.open("wb")
    with open_place(source, ahead=True) as read, writing as written:
        shutil.copyfileobj(read, written, BLOCK)
        return written.tell()


def settle(system: Any) -> None:
    """Let requests end that an interrupt has left under way: they might write after a tidying."""
    loop = getattr(system, "loop", None)
    if loop is None:
        return
    import asyncio

    async def others() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=_PATIENCE)

    with suppress(Exception):
        asyncio.run_coroutine_threadsafe(others(), loop).result(_PATIENCE + 1)


class _SentFile(io.RawIOBase):
    """The file of a package for a file system, whose faults are reported with the address."""

    def __init__(self, path: RemotePath) -> None:
        self._path, self._file, self._bytes = path, _opened(path), 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._bytes

    def write(self, data: Any) -> int:
        if self._file is None:  # dropped: the writers around it may still have something to say
            return memoryview(data).nbytes
        piece = bytes(data)
        with reported(self._path):
            self._file.write(piece)
        self._bytes += len(piece)
        if not getattr(self._path.system, "fixed_upload_size", False):
            with suppress(AttributeError):
                self._file.blocksize = max(BLOCK, self._bytes // _PARTS)
        return len(piece)

    def complete(self) -> None:
        """Send the rest; then the file is there."""
        with reported(self._path):
            self._file.close()
        self._file = None

    def drop(self) -> None:
        """Leave nothing of what was sent, where the system lets us."""
        file, self._file = self._file, None
        if file is None:
            return
        settle(self._path.system)
        with suppress(Exception):
            file.discard()
        try:
            file.closed = True  # or it would be completed when it is forgotten
        except AttributeError:  # a file that shows what it holds from its first byte on
            with suppress(Exception):
                file.close()
            with suppress(Exception):
                self._path.system.rm_file(self._path.path)


def _opened(path: RemotePath) -> Any:
    try:
        return path.open("wb")
    except FileNotFoundError:
        if path.scheme in _WITHOUT_FOLDERS:
            raise
        path.parent.mkdir()
        return path.open("wb")
