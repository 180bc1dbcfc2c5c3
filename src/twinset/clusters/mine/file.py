"""The bytes of a FIMI file; loads nothing heavy."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from twinset.errors import MissingFileError, ReadError


def whole_file(path: str | Path) -> tuple[str, bytes]:
    """What messages call a file (``-`` is standard input), and its bytes, ``.gz`` unpacked."""
    name = "standard input" if str(path) == "-" else str(path)
    with _open(path, name) as stream:
        return name, _whole(stream, name)


@contextmanager
def _open(path: str | Path, name: str) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as plain:
            packed = str(path).endswith(".gz")
            yield cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if packed else plain
    except IsADirectoryError:
        raise ReadError(name, None, "is a folder; give a FIMI file") from None
    except FileNotFoundError:
        raise MissingFileError(name) from None


def _whole(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read()
    except (OSError, EOFError, zlib.error) as fault:
        raise ReadError(name, None, f"cannot be read to the end: {fault}") from None
