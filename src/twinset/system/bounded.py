"""Opens files that others may have named: regular ones only, within folders, up to a size.

A path inside a report, a plan or a method's options may lead to an endless device, to a pipe
without a writer, or out of the folders that a page may open. What is checked is the opened file, by
its descriptor, and not a path that may lead elsewhere a moment later.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

Name = str | os.PathLike[str]

PLAN_BYTES = 1 << 20
MODEL_BYTES = 256 << 20
MANIFEST_BYTES = 256 << 20
JOURNAL_BYTES = 256 << 20
WORDS_BYTES = 256 << 20
LIST_BYTES = 2 << 30
"""The most bytes of a plan or recipe, a model, a manifest or drawing, a journal of decisions, a
file of words, and a list of pairs or clusters (unpacked) or of word counts."""


def open_regular(
    path: Name, within: Sequence[Name] = (), most: int | None = None, buffering: int = 0
) -> BinaryIO:
    """A regular file opened for reading; raises `OSError` with a sentence for any other.

    It must lie in one of the folders ``within``, links resolved, where there are any, and have at
    most ``most`` bytes.
    """

    def opened(name: str, flags: int) -> int:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
        try:
            _check(descriptor, path, within, most)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "a path cannot hold a null character", os.fspath(path))
    return open(path, "rb", buffering=buffering, opener=opened)


def open_for_arrow(path: Name, within: Sequence[Name] = (), most: int | None = None) -> Any:
    """The same as a file of Arrow's own.

    Threads of Arrow may still hold a Python file when Python ends, and would end it by an abort.
    """
    import pyarrow as pa

    with open_regular(path, within, most) as file:
        # What was checked is opened again by its descriptor, wherever the path leads now.
        by_descriptor = f"/proc/self/fd/{file.fileno()}"
        return pa.OSFile(by_descriptor if sys.platform == "linux" else os.fspath(path), "rb")


def read_regular(path: Name, most: int, within: Sequence[Name] = ()) -> bytes:
    """All bytes of a regular file of at most ``most`` bytes, even if it grows meanwhile."""
    with open_regular(path, within, most) as file:
        return read_up_to(file, most, path)


def read_up_to(stream: Any, most: int, path: Name) -> bytes:
    """All bytes of a stream; refuses one that goes on beyond ``most``."""
    pieces, total = [], 0
    while piece := stream.read(min(1 << 24, most + 1 - total)):
        pieces.append(piece)
        total += len(piece)
        if total > most:
            raise _too_large(path, f"more than {most:,} bytes", most)
    return b"".join(pieces)


def lies_within(real: Path, within: Sequence[Name]) -> bool:
    """Whether a path without links is one of the folders or lies below one."""
    folders = [Path(folder).resolve() for folder in within]
    return any(real == folder or folder in real.parents for folder in folders)


def _check(descriptor: int, path: Name, within: Sequence[Name], most: int | None) -> None:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
    if within and not lies_within(_place(descriptor, path, status), within):
        folders = ", ".join(os.fspath(folder) for folder in within)
        message = f"it lies outside the folders that may be read ({folders})"
        raise PermissionError(errno.EACCES, message, os.fspath(path))
    if most is not None and status.st_size > most:
        raise _too_large(path, f"{status.st_size:,} bytes", most)


def _too_large(path: Name, size: str, most: int) -> OSError:
    message = f"it has {size}, and at most {most:,} are read"
    return OSError(errno.EFBIG, message, os.fspath(path))


def _place(descriptor: int, path: Name, status: os.stat_result) -> Path:
    """Where the opened file lies, links resolved."""
    if sys.platform == "linux":
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    real = Path(os.path.realpath(path))
    if not os.path.samestat(os.lstat(real), status):
        raise PermissionError(errno.EACCES, "it was exchanged while it was opened", str(path))
    return real
