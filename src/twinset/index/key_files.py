"""Sorted keys of documents on the disk: who has this key?

A file holds rows of (key, number of a document) in rising order and a directory by the first bits
of the keys, so that a look-up touches two or three places. Files are never changed: new ones are
added, and several of one size are merged to a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.index.sections import SectionFile, SectionWriter
from twinset.model import Features, Ints

Numbers = NDArray[np.uint32]
PER_SLOT = 16
"""Keys that share an entry of the directory."""
AT_ONCE = 1 << 22
"""Rows that are merged at a time."""


def write_keys(path: Path, keys: Features, numbers: Numbers, threads: int) -> None:
    """A file of these rows, which come in any order."""
    ordered, owners = _kernels.sorted_keys(keys, numbers, threads)
    writer = SectionWriter(path)
    try:
        writer.add("keys", ordered)
        writer.add("numbers", owners)
        _finish(writer, ordered)
    except BaseException:
        writer.abandon()
        raise


def merge_keys(path: Path, files: Sequence[KeyFile], gone: NDArray[np.uint8], threads: int) -> None:
    """One file with the rows of several, without those of documents that are ``gone``."""
    total = sum(file.count_without(gone) for file in files)
    writer = SectionWriter(path)
    try:
        writer.begin("keys", np.uint64, total)
        writer.begin("numbers", np.uint32, total)
        slices = max(-(-sum(map(len, files)) // AT_ONCE), 1)
        bounds = [round(part * 2**64 / slices) for part in range(slices)]
        begins = [file.places(bounds) for file in files]
        held: list[Features] = []
        for part in range(slices):
            cut = [slice(int(at[part]), int(at[part + 1])) for at in begins]
            rows = [
                (file.keys[where], file.numbers[where])
                for file, where in zip(files, cut, strict=True)
            ]
            keys = np.concatenate([np.empty(0, np.uint64), *(row[0] for row in rows)])
            numbers = np.concatenate([np.empty(0, np.uint32), *(row[1] for row in rows)])
            if len(gone):
                stays = (gone[np.minimum(numbers, len(gone) - 1)] == 0) | (numbers >= len(gone))
                keys, numbers = keys[stays], numbers[stays]
            keys, numbers = _kernels.sorted_keys(keys, numbers, threads)
            writer.append("keys", keys)
            writer.append("numbers", numbers)
            held.append(keys)
        _finish(writer, np.concatenate([np.empty(0, np.uint64), *held]))
    except BaseException:
        writer.abandon()
        raise


def _finish(writer: SectionWriter, keys: Features) -> None:
    bits = min(max((len(keys) // PER_SLOT).bit_length(), 0), 28)
    writer.add("directory", _kernels.key_directory(keys, bits))
    writer.finish(kind="keys", bits=bits, rows=len(keys))


class KeyFile:
    """Keys that are looked up."""

    def __init__(self, path: Path) -> None:
        self.file = SectionFile(path)
        self.file.random()
        self.keys: Features = self.file["keys"]
        self.numbers: Numbers = self.file["numbers"]
        self._directory: Numbers = self.file["directory"]
        self._bits: int = self.file.facts["bits"]

    def __len__(self) -> int:
        return len(self.keys)

    def add_to(self, search: _kernels.KeySearch) -> None:
        """Let these keys be looked up together with others."""
        search.add(self.keys, self.numbers, self._directory, self._bits)

    def count_without(self, gone: NDArray[np.uint8]) -> int:
        """How many rows are of documents that are not gone."""
        if not len(gone):
            return len(self)
        known = (self.numbers[at : at + AT_ONCE] for at in range(0, len(self), AT_ONCE))
        return len(self) - sum(int(gone[some[some < len(gone)]].sum()) for some in known)

    def places(self, bounds: list[int]) -> Ints:
        """Where the keys from each bound on begin, and the end."""
        found = np.searchsorted(self.keys, np.array(bounds, np.uint64))
        return np.append(found, len(self))
