"""Sorted keys of documents on the disk: who has this key?

A file holds keys in rising order, the numbers of their documents beside them, and a directory by
the first bits of the keys, so that a look-up touches two or three places. It is written once and
mapped into memory; how many rows it has and its digest stand in the catalogue.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import ReportError
from twinset.model import Features
from twinset.system.files import sync_folder

Numbers = NDArray[np.uint32]
Rows = tuple[Features, Numbers]
PER_SLOT = 16
"""Keys that share an entry of the directory."""
AT_ONCE = 1 << 22
"""Rows that are merged at a time."""
PIECE = 1 << 24
"""Bytes that are checked at a time."""


class ListedKeys(NamedTuple):
    """What the catalogue says of a file."""

    name: str
    rows: int
    bits: int
    digest: int


def write_keys(folder: Path, parts: Iterable[Rows], rows: int) -> ListedKeys:
    """A file of so many rows, which come in rising order; it is on the disk afterwards."""
    path = folder / f"{os.urandom(8).hex()}.keys"
    bits = min((rows // PER_SLOT).bit_length(), 28)
    try:
        with path.open("xb") as file:
            end = 0
            for keys, numbers in parts:
                file.seek(8 * end)
                file.write(keys.data)
                file.seek(8 * rows + 4 * end)
                file.write(numbers.data)
                end += len(keys)
            file.flush()
            keys = np.frombuffer(_mapped(path), np.uint64, rows)
            file.write(_kernels.key_directory(keys, bits).data)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(folder)
        return ListedKeys(path.name, rows, bits, _digest_of(_mapped(path)))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


class KeyFile:
    """Keys that are looked up."""

    def __init__(self, folder: Path, listed: ListedKeys) -> None:
        self._path, self._listed = folder / listed.name, listed
        rows, slots = listed.rows, (1 << listed.bits) + 1
        self._map = _mapped(self._path)
        if len(self._map) != 12 * rows + 4 * slots:
            raise damaged(self._path)
        if hasattr(self._map, "madvise") and hasattr(mmap, "MADV_RANDOM"):
            self._map.madvise(mmap.MADV_RANDOM)
        self.keys: Features = np.frombuffer(self._map, np.uint64, rows)
        self.numbers: Numbers = np.frombuffer(self._map, np.uint32, rows, 8 * rows)
        self._directory = np.frombuffer(self._map, np.uint32, slots, 12 * rows)

    def add_to(self, search: _kernels.KeySearch) -> None:
        """Let these keys be looked up together with others."""
        search.add(self.keys, self.numbers, self._directory, self._listed.bits)

    def ensure_whole(self) -> None:
        """Raise where this is not what was written."""
        if _digest_of(self._map) != self._listed.digest:
            raise damaged(self._path)


def merge_keys(
    folder: Path, files: Sequence[KeyFile], gone: NDArray[np.uint8]
) -> ListedKeys | None:
    """One file with the rows of several but for those of documents that are ``gone``.

    None where no row is left. A file that is damaged is refused: a copy of it would look whole.
    """
    for file in files:
        file.ensure_whole()
    pieces = (
        file.numbers[at : at + AT_ONCE]
        for file in files
        for at in range(0, len(file.numbers), AT_ONCE)
    )
    rows = sum(int(stays(numbers, gone).sum()) for numbers in pieces)
    return write_keys(folder, _merged(files, gone), rows) if rows else None


def _merged(files: Sequence[KeyFile], gone: NDArray[np.uint8]) -> Iterator[Rows]:
    slices = max(-(-sum(len(file.keys) for file in files) // AT_ONCE), 1)
    bounds = np.array([round(part * 2**64 / slices) for part in range(slices)], np.uint64)
    ends = [[*np.searchsorted(file.keys, bounds).tolist(), len(file.keys)] for file in files]
    for part in range(slices):
        cut = [slice(*at[part : part + 2]) for at in ends]
        keys = np.concatenate([file.keys[one] for file, one in zip(files, cut, strict=True)])
        numbers = np.concatenate([file.numbers[one] for file, one in zip(files, cut, strict=True)])
        left = stays(numbers, gone)
        yield _kernels.sorted_keys(keys[left], numbers[left], 1)


def stays(numbers: Numbers, gone: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of these documents were not removed; ``gone`` marks the first ones of an index."""
    if not len(gone):
        return np.ones(len(numbers), bool)
    left: NDArray[np.bool_] = numbers >= len(gone)
    left |= gone[np.minimum(numbers, len(gone) - 1)] == 0
    return left


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise damaged(path)
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _digest_of(data: mmap.mmap) -> int:
    """As SQLite holds it."""
    digest = _kernels.Digest()
    for at in range(0, len(data), PIECE):
        digest.update(np.frombuffer(data, np.uint8, min(PIECE, len(data) - at), at))
    return digest.value() - (1 << 63)


def damaged(path: Path) -> ReportError:
    """What is said of a file that is not what was written."""
    return ReportError(
        f"{path} is damaged: it is not what was written; 'twinset index check {path.parent}' says "
        "what can be saved"
    )
