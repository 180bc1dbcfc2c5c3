"""Values kept in files, one after the other: each file whole or not at all.

A file is written under another name, reaches the disk, and then takes its own. It ends with a
digest of its bytes, so that a cut or a changed byte is noticed before any of its values is used.
The files of a chain are numbered; the chain ends before the first one that is missing or damaged.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from twinset._kernels import Digest
from twinset.engine.parts.packing import (
    HEAD_BYTES,
    DamagedPartError,
    Packed,
    lengths,
    packed,
    unpacked,
)
from twinset.errors import ReportError
from twinset.system.files import sync_folder

_BEGIN = b"twinset part 1".ljust(64)
_END = struct.Struct("<Q56s")
_MARK = b"end of part".ljust(56)
_PIECE = 1 << 20
_DRAFT = ".writing"


class Chain:
    """The files ``NAME-000001.part``, ``NAME-000002.part``, ... of a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._count = 0
        self._draft: _Draft | None = None
        self._closing: threading.Thread | None = None
        self._faults: list[OSError] = []

    def ends(self) -> list[Any]:
        """The last value of each whole file; what lies behind these is removed.

        What is added from now on follows them.
        """
        ends = []
        while _is_whole(path := self._path(self._count + 1)):
            try:
                ends.append(_last(path))
            except DamagedPartError:  # whole, but of other code of the same version
                break
            self._count += 1
        self._cut()
        return ends

    def values(self) -> Iterator[Any]:
        """All values but the last of each file that `ends` has looked at."""
        for number in range(1, self._count + 1):
            path = self._path(number)
            try:
                yield from _values(path)
            except DamagedPartError as fault:
                raise ReportError(
                    f"{path} cannot be used: {fault}; give --force to begin again, or remove the "
                    "folder"
                ) from None

    def forget(self) -> None:
        """Remove all files."""
        self._count = 0
        self._cut()

    @property
    def files(self) -> int:
        """How many files were read or ended so far."""
        return self._count

    @property
    def drafted(self) -> int:
        """The bytes of the file that is being written."""
        return 0 if self._draft is None else self._draft.bytes

    def add(self, value: Any) -> None:
        """Write a value, which counts once its file has ended."""
        self.add_packed(packed(value))

    def add_packed(self, pieces: Packed) -> None:
        """Write a value that was packed before."""
        if self._draft is None:
            self._draft = _Draft(self._path(self._count + 1))
        self._draft.add(pieces)

    def end_file(self, wait: bool = False) -> None:
        """End the file; it reaches the disk and takes its name in the background unless awaited."""
        draft, self._draft = self._draft, None
        self._await()
        if draft is not None:
            self._count += 1
            self._closing = threading.Thread(target=self._finish, args=[draft], daemon=True)
            self._closing.start()
        if wait:
            self._await()

    def give_up(self) -> None:
        """Forget the file that is being written; those before it stay."""
        if self._closing is not None:
            self._closing.join()
        if self._draft is not None:
            self._draft.discard()
            self._draft = None

    def _finish(self, draft: _Draft) -> None:
        try:
            draft.finish()
        except OSError as fault:
            draft.discard()
            self._faults.append(fault)

    def _await(self) -> None:
        if self._closing is not None:
            self._closing.join()
            self._closing = None
        if self._faults:
            raise self._faults.pop()

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number:06}.part"

    def _cut(self) -> None:
        last = self._path(self._count).name
        for path in self._folder.glob(f"{self._name}-*.part*"):
            if path.name > last:
                path.unlink(missing_ok=True)


class _Draft:
    """A file that is being written."""

    def __init__(self, path: Path) -> None:
        self._path, self._digest, self.bytes = path, Digest(), 0
        self._draft = path.with_name(path.name + _DRAFT)
        self._file: IO[bytes] = self._draft.open("wb")
        self._write(_BEGIN)

    def _write(self, piece: Any) -> None:
        self._file.write(piece)
        self._digest.update(np.frombuffer(piece, np.uint8))
        self.bytes += len(piece)

    def add(self, pieces: Packed) -> None:
        for piece in pieces:
            if len(piece):
                self._write(piece)

    def finish(self) -> None:
        """Let the file reach the disk, then give it its name."""
        with self._file:
            self._file.write(_END.pack(self._digest.value(), _MARK))
            self._file.flush()
            os.fsync(self._file.fileno())
        self._draft.replace(self._path)
        sync_folder(self._path.parent)

    def discard(self) -> None:
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._draft.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    """Whether a file is there, and its bytes are those that were written."""
    try:
        with path.open("rb") as file:
            rest = os.fstat(file.fileno()).st_size - _END.size
            if rest < len(_BEGIN):
                return False
            digest, begun = Digest(), False
            while rest:
                piece = file.read(min(_PIECE, rest))
                if not piece or not (begun or piece.startswith(_BEGIN)):
                    return False
                digest.update(np.frombuffer(piece, np.uint8))
                rest, begun = rest - len(piece), True
            return file.read() == _END.pack(digest.value(), _MARK)
    except OSError:
        return False


def _values(path: Path) -> Iterator[Any]:
    """The values of a file but the last."""
    with path.open("rb") as file:
        for at, size in _places(file)[:-1]:
            yield _value(file, at, size)


def _last(path: Path) -> Any:
    with path.open("rb") as file:
        return _value(file, *_places(file)[-1])


def _places(file: IO[bytes]) -> list[tuple[int, int]]:
    """Where each value begins, and its bytes."""
    at, places = len(_BEGIN), []
    end = os.fstat(file.fileno()).st_size - _END.size
    while at < end:
        file.seek(at)
        size = HEAD_BYTES + sum(lengths(file.read(HEAD_BYTES)))
        places.append((at, size))
        at += size
    return places


def _value(file: IO[bytes], at: int, size: int) -> Any:
    file.seek(at)
    content = bytearray(size)
    if file.readinto(content) != size:  # type: ignore[attr-defined]
        raise DamagedPartError("it ends within a value")
    return unpacked(content)
