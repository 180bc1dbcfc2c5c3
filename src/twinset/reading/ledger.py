"""Notes on plain files while they are read: size, time of change and a digest of their bytes.

Whatever is read anyway is digested on the way. A file that nobody reads, as a film, is digested
only where another one has its size: a copy has the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from twinset.model import FileFacts, Ints
from twinset.model.files import DIGEST_BYTES
from twinset.reading.arrays import strings
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath

PIECE = 1 << 20


class FileStates(NamedTuple):
    """The sizes of files, and their times of change in nanoseconds since 1970, before reading."""

    bytes: Ints
    modified: Ints

    def at(self, row: int) -> tuple[int, int]:
        """Both of one file."""
        return int(self.bytes[row]), int(self.modified[row])

    def take(self, rows: Ints | slice) -> FileStates:
        """The states of these files."""
        return FileStates(self.bytes[rows], self.modified[rows])


NO_STATES = FileStates(np.empty(0, np.int64), np.empty(0, np.int64))


class FileFact(NamedTuple):
    """A row of `FileFacts`."""

    path: bytes
    part: str | None
    digest: bytes | None
    bytes: int
    modified: int
    without_reader: bool = False


class FileLedger:
    """Which sizes several files have, and the digests that earlier passes have computed."""

    def __init__(self, states: Iterable[FileStates]) -> None:
        sizes: Counter[int] = Counter()
        for some in states:
            sizes.update(some.bytes.tolist())
        self._repeated = {size for size, count in sizes.items() if count > 1 and size}
        self._digests: dict[bytes, bytes] = {}

    @classmethod
    def of_rivals(cls, sizes: Iterable[int]) -> FileLedger:
        """For a few of the files: these sizes others have, too."""
        ledger = cls(())
        ledger._repeated = set(sizes)
        return ledger

    def has_rival(self, size: int) -> bool:
        """Whether another file has this size, too."""
        return size in self._repeated

    def digest(self, path: Place, within: Sequence[str] = ()) -> bytes | None:
        """The digest of a whole file; None where it cannot be read."""
        key = path.path.encode() if isinstance(path, RemotePath) else os.fsencode(path)
        if key not in self._digests:
            hashed = blake2b(digest_size=DIGEST_BYTES)
            try:
                with open_place(path, within, ahead=True) as file:
                    while piece := file.read(PIECE):
                        hashed.update(piece)
            except OSError:
                return None
            self._digests[key] = hashed.digest()
        return self._digests[key]


def absolute(path: Place) -> bytes:
    """The path as `FileFacts` have it."""
    if isinstance(path, RemotePath):
        return str(path).encode()
    name = os.fsencode(path)
    is_plain = path.is_absolute() and b"/.." not in name
    return name if is_plain else os.path.abspath(name)


def digest_of_bytes(content: bytes) -> bytes:
    """The digest of a file with this content."""
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


def facts_of(rows: Sequence[FileFact]) -> FileFacts:
    """The rows as columns."""
    path, part, digest, size, modified, without_reader = zip(*rows, strict=True)
    return FileFacts(
        strings(path, pa.large_binary()),
        strings(part, pa.string()),
        np.array(size, np.int64),
        np.array(modified, np.int64),
        strings(digest, pa.binary()),
        np.array(without_reader, bool),
    )
