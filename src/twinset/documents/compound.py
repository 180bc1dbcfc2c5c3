"""Compound files (OLE), the folders in one file that DOC, XLS, PPT and MSG are made of.

[MS-CFB]: sectors in chains. A chain that runs in a circle or out of the file is a fault, no stream
is longer than the file, and nothing lies in two folders: a small file cannot pretend to be a large
one by naming the same folders or sectors again and again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from copy import copy
from itertools import islice
from typing import NamedTuple

from twinset.documents.base import MAGIC, OfficeError

_ENTRY = 128
_LAST = 0xFFFFFFFA  # this and what is above are marks, no sectors
_FOLDER, _STREAM, _ROOT = 1, 2, 5
_TOP = 0  # the number of the root among the entries
MOST_ENTRIES = 100_000
"""Files and folders in one compound file."""
_MOST_TIMES = 4
"""How many times its size may be read of a file; a sound one is read once."""


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
        try:
            self._sectors = _Sectors(raw)
            entries = self._sectors.entries()
        except (struct.error, IndexError):
            raise damaged() from None
        self._entries, self._folders = entries, _folders(entries)
        self._top = self._folders[_TOP]

    def __contains__(self, name: str) -> bool:
        return name in self._top

    def inside(self, name: str) -> CompoundFile:
        """The folder of this name at the top, as if it were the whole file."""
        folder = copy(self)
        folder._top = self._folders[self._number(name, _FOLDER)]
        return folder

    def names(self) -> list[str]:
        """The names of the files and folders at the top."""
        return list(self._top)

    def read(self, name: str) -> bytes:
        """The bytes of a stream at the top; a fault where it is not there."""
        return self._sectors.stream(self._entries[self._number(name, _STREAM)])

    def _number(self, name: str, type: int) -> int:
        """The number of the entry of this name at the top, which has to be of this type."""
        number = self._top.get(name)
        if number is None or self._entries[number].type != type:
            raise damaged()
        return number


class _Sectors:
    """The sectors of a file and their chains, which all its folders share."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        shift, short_shift = struct.unpack_from("<HH", raw, 30)
        if not raw.startswith(MAGIC) or not 7 <= shift <= 16 or not 6 <= short_shift <= 16:
            raise damaged()
        self._size, self._short_size = 1 << shift, 1 << short_shift
        self._directory, _, self._cutoff = struct.unpack_from("<III", raw, 48)
        self._short_fat_start, _, further, _ = struct.unpack_from("<IIII", raw, 60)
        self._fat = self._table(list(struct.unpack_from("<109I", raw, 76)), further)
        self._short: bytes | None = None
        self._short_fat: tuple[int, ...] = ()
        self._short_start = _LAST
        self._left = _MOST_TIMES * len(raw)

    def entries(self) -> list[StreamEntry]:
        """All files and folders, the root first."""
        listed = self._joined(self._chain(self._fat, self._directory))
        if len(listed) > MOST_ENTRIES * _ENTRY:
            raise OfficeError("too-long", f"the file holds over {MOST_ENTRIES:,} files")
        entries = [_entry(listed[at : at + _ENTRY]) for at in range(0, len(listed), _ENTRY)]
        if entries[_TOP].type != _ROOT:
            raise damaged()
        self._short_start = entries[_TOP].start
        return entries

    def stream(self, entry: StreamEntry) -> bytes:
        """The bytes of a file inside, counted against what may be read of the whole."""
        if entry.size >= self._cutoff:
            content = self._joined(self._first(entry.size, self._size, self._fat, entry.start))
        else:
            short, size = self._short_stream(), self._short_size
            chain = self._first(entry.size, size, self._short_fat, entry.start)
            content = b"".join(short[at * size : (at + 1) * size] for at in chain)
        self._left -= len(content)
        if self._left < 0:
            raise damaged()
        return content[: entry.size]

    def _short_stream(self) -> bytes:
        """The stream that short streams are pieces of."""
        if self._short is None:
            short_fat = self._joined(self._chain(self._fat, self._short_fat_start))
            self._short_fat = _numbers(short_fat)
            self._short = self._joined(self._chain(self._fat, self._short_start))
        return self._short

    def _table(self, sectors: list[int], further: int) -> tuple[int, ...]:
        """The table of chains, whose own sectors the header lists, and further sectors."""
        seen = set()
        while further < _LAST and further not in seen:
            seen.add(further)
            *more, following = _numbers(self._sector(further))
            sectors += more
            further = following
        listed = dict.fromkeys(sector for sector in sectors if sector < _LAST)
        needed = len(self._raw) // (self._size * self._size // 4) + 1  # for as many as there are
        return _numbers(b"".join(map(self._sector, islice(listed, needed))))

    def _sector(self, number: int) -> bytes:
        begin = (number + 1) * self._size
        sector = self._raw[begin : begin + self._size]
        if not sector:
            raise damaged()
        return sector.ljust(self._size, b"\0")

    def _joined(self, sectors: Iterator[int]) -> bytes:
        return b"".join(map(self._sector, sectors))

    def _first(self, length: int, size: int, table: tuple[int, ...], start: int) -> Iterator[int]:
        """The sectors of a chain that so many bytes take."""
        return islice(self._chain(table, start), -(-length // size))

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
    return OfficeError("damaged", "the old Office file is damaged")


def _numbers(raw: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def _entry(raw: bytes) -> StreamEntry:
    name = raw[: min(64, max(0, struct.unpack_from("<H", raw, 64)[0] - 2))]
    left, right, child = struct.unpack_from("<III", raw, 68)
    start, size = struct.unpack_from("<II", raw, 116)
    text = name.decode("utf-16-le", "replace")
    return StreamEntry(text, raw[66], left, right, child, start, size)


def _folders(entries: list[StreamEntry]) -> dict[int, dict[str, int]]:
    """The numbers of what lies in each folder, by the folder's own number; nothing lies in two."""
    folders: dict[int, dict[str, int]] = {}
    waiting, seen = [_TOP], {_TOP}
    while waiting:
        folder = waiting.pop()
        inside = list(_siblings(entries, entries[folder].child, seen))
        folders[folder] = {entries[number].name: number for number in inside}
        waiting += [number for number in inside if entries[number].type == _FOLDER]
    return folders


def _siblings(entries: list[StreamEntry], first: int, seen: set[int]) -> Iterator[int]:
    """The numbers of a folder's entries, which form a tree; none is visited twice."""
    waiting = [first]
    while waiting:
        number = waiting.pop()
        if number < len(entries) and number not in seen:
            seen.add(number)
            waiting += [entries[number].left, entries[number].right]
            yield number
