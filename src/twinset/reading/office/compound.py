"""Compound files (OLE), the folders in one file that DOC, XLS, PPT and MSG are made of.

[MS-CFB]: sectors in chains. A chain that runs in a circle or out of the file is a fault, and no
stream is longer than the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from twinset.reading.office.base import OfficeError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENTRY = 128
_LAST = 0xFFFFFFFA  # this and what is above are marks, no sectors
_FOLDER, _STREAM, _ROOT = 1, 2, 5
MOST_ENTRIES = 100_000
"""Files and folders in one compound file."""


class StreamEntry(NamedTuple):
    """A file or folder inside."""

    name: str
    type: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """The streams at the top of a compound file, by name."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._short = b""
        self._short_fat: tuple[int, ...] = ()
        self._top: dict[str, StreamEntry] = {}
        self._entries: list[StreamEntry] = []
        try:
            self._open(raw)
        except (struct.error, IndexError):
            raise damaged() from None

    def __contains__(self, name: str) -> bool:
        return name in self._top

    def inside(self, name: str) -> CompoundFile:
        """The folder of this name at the top, as if it were the whole file."""
        entry = self._top.get(name)
        if entry is None or entry.type != _FOLDER:
            raise damaged()
        folder = copy(self)
        folder._top = {each.name: each for each in _siblings(self._entries, entry.child)}
        return folder

    def names(self) -> list[str]:
        """The names of the files and folders at the top."""
        return list(self._top)

    def read(self, name: str) -> bytes:
        """The bytes of a stream at the top; a fault where it is not there."""
        entry = self._top.get(name)
        if entry is None or entry.type != _STREAM:
            raise damaged()
        if entry.size >= self._cutoff:
            return self._joined(self._chain(self._fat, entry.start))[: entry.size]
        if not self._short:
            short_fat = self._joined(self._chain(self._fat, self._short_fat_start))
            self._short_fat = _numbers(short_fat)
            self._short = self._joined(self._chain(self._fat, self._root.start))
        size = self._short_size
        chain = self._chain(self._short_fat, entry.start)
        return b"".join(self._short[at * size : (at + 1) * size] for at in chain)[: entry.size]

    def _open(self, raw: bytes) -> None:
        shift, short_shift = struct.unpack_from("<HH", raw, 30)
        if not raw.startswith(MAGIC) or not 7 <= shift <= 16 or not 2 <= short_shift <= 16:
            raise damaged()
        self._size, self._short_size = 1 << shift, 1 << short_shift
        directory, _, self._cutoff = struct.unpack_from("<III", raw, 48)
        self._short_fat_start, _, further, _ = struct.unpack_from("<IIII", raw, 60)
        self._fat = self._table(list(struct.unpack_from("<109I", raw, 76)), further)
        listed = self._joined(self._chain(self._fat, directory))
        if len(listed) > MOST_ENTRIES * _ENTRY:
            raise OfficeError("too-long", f"the file holds over {MOST_ENTRIES:,} files")
        entries = [_entry(listed[at : at + _ENTRY]) for at in range(0, len(listed), _ENTRY)]
        self._entries, self._root = entries, entries[0]
        if self._root.type != _ROOT:
            raise damaged()
        self._top = {entry.name: entry for entry in _siblings(entries, self._root.child)}

    def _table(self, sectors: list[int], further: int) -> tuple[int, ...]:
        """The table of chains, whose own sectors the header lists, and further sectors."""
        seen = set()
        while further < _LAST and further not in seen:
            seen.add(further)
            *more, following = _numbers(self._sector(further))
            sectors += more
            further = following
        listed = list(dict.fromkeys(sector for sector in sectors if sector < _LAST))
        return _numbers(b"".join(map(self._sector, listed)))

    def _sector(self, number: int) -> bytes:
        begin = (number + 1) * self._size
        sector = self._raw[begin : begin + self._size]
        if not sector:
            raise damaged()
        return sector.ljust(self._size, b"\0")

    def _joined(self, sectors: Iterator[int]) -> bytes:
        return b"".join(map(self._sector, sectors))

    def _chain(self, table: tuple[int, ...], start: int) -> Iterator[int]:
        seen = set()
        while start < _LAST:
            if start >= len(table) or start in seen:
                raise damaged()
            seen.add(start)
            yield start
            start = table[start]


def damaged() -> OfficeError:
    """The fault of a compound file that does not hold together."""
    return OfficeError("syntax", "the old Office file is damaged")


def _numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def _entry(raw: bytes) -> StreamEntry:
    name = raw[: min(64, max(0, struct.unpack_from("<H", raw, 64)[0] - 2))]
    left, right, child = struct.unpack_from("<III", raw, 68)
    start, size = struct.unpack_from("<II", raw, 116)
    text = name.decode("utf-16-le", "replace")
    return StreamEntry(text, raw[66], left, right, child, start, size)


def _siblings(entries: list[StreamEntry], first: int) -> Iterator[StreamEntry]:
    """A folder's entries, which form a tree; none is visited twice."""
    waiting, seen = [first], set()
    while waiting:
        number = waiting.pop()
        if number < len(entries) and number not in seen:
            seen.add(number)
            entry = entries[number]
            waiting += [entry.left, entry.right]
            yield entry
