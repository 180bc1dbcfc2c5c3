"""What readers see of an index in a folder: its files at one moment, and the recent documents."""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.index.catalogue import CatalogueState
from twinset.index.entries import Entries, id_keys
from twinset.index.key_files import KeyFile
from twinset.index.packs import Pack
from twinset.index.recent import fetch_recent, kept, search_recent
from twinset.index.store import KeptDocuments, Numbers
from twinset.lazy_dataclass import dataclass
from twinset.model import FeatureLists, Features, Ints, Ragged

STRETCH = 4096
"""Documents that are read back at a time."""


@dataclass(frozen=True)
class Files:
    """The files that count at one generation, and the documents that are gone."""

    generation: int
    packs: list[Pack]
    firsts: list[int]
    keys: list[KeyFile]
    search: _kernels.KeySearch
    gone: NDArray[np.uint8]

    def is_gone(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of these documents were removed."""
        if not len(self.gone):
            return np.zeros(len(numbers), bool)
        known = np.minimum(numbers, len(self.gone) - 1)
        found: NDArray[np.bool_] = self.gone[known].astype(bool) & (numbers < len(self.gone))
        return found


@dataclass
class FolderView:
    """The index as it is at one moment."""

    connection: sqlite3.Connection
    state: CatalogueState
    files: Files

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        found = self.files.search.find(keys.values, keys.offsets, self.files.gone)
        if not self.state.recent or not len(keys.flat):
            return found
        # Recent documents have the highest numbers, and none of them is in a file.
        at, numbers = search_recent(self.connection, keys.flat)
        rows = np.concatenate([found[0], keys.owners()[at]])
        numbers = np.concatenate([found[1], numbers])
        pairs = np.unique(rows.astype(np.uint64) << np.uint64(32) | numbers)
        low = np.uint64(0xFFFFFFFF)
        return (pairs >> np.uint64(32)).astype(np.int64), (pairs & low).astype(np.uint32)

    def known(self, entries: Entries) -> dict[int, tuple[int, int]]:
        """For rows whose id is there the number and the digest of that document."""
        numbers = self.numbers_of(entries.ids)
        rows = np.flatnonzero(numbers >= 0)
        if not len(rows):
            return {}
        unique, place = np.unique(numbers[rows].astype(np.uint32), return_inverse=True)
        digests = self.digests(unique)[place.reshape(-1)]
        listed = zip(numbers[rows].tolist(), digests.tolist(), strict=True)
        return dict(zip(rows.tolist(), listed, strict=True))

    def numbers_of(self, ids: pa.Array) -> Ints:
        """The numbers of the documents with these ids; -1 where there is none."""
        keys = id_keys(ids)
        rows, numbers = self.search(Ragged(keys, np.arange(len(keys) + 1)))
        result = np.full(len(keys), -1, np.int64)
        if len(rows):
            unique, place = np.unique(numbers, return_inverse=True)
            held = self.fetch(unique, with_bodies=False).ids
            for row, number, at in zip(
                rows.tolist(), numbers.tolist(), place.reshape(-1), strict=True
            ):
                if ids[row].as_py() == held[at]:
                    result[row] = number
        return result

    def _parts(self, numbers: Numbers) -> Iterator[tuple[Pack | None, Numbers]]:
        """The packs that hold some of these documents, and None for the recent ones, in order."""
        packs, begin, count = self.files.packs, 0, len(numbers)
        while begin < count:
            place = bisect_right(self.files.firsts, numbers[begin]) - 1
            if place < 0 or numbers[begin] > packs[place].last:
                yield None, numbers[begin:]
                return
            end = int(np.searchsorted(numbers, packs[place].last, "right"))
            yield packs[place], numbers[begin:end]
            begin = end

    def digests(self, numbers: Numbers) -> Features:
        """The digests of the texts of documents, which come by rising numbers."""
        found = [
            fetch_recent(self.connection, some, False).digests
            if pack is None
            else pack.digests[pack.rows_of(some)]
            for pack, some in self._parts(numbers)
        ]
        return np.concatenate([np.empty(0, np.uint64), *found])

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        return KeptDocuments.joined(
            [
                fetch_recent(self.connection, some, with_bodies)
                if pack is None
                else pack.documents(pack.rows_of(some), with_bodies)
                for pack, some in self._parts(numbers)
            ]
        )

    def stretches(self) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        for pack in self.files.packs:
            for begin in range(0, len(pack), STRETCH):
                rows = np.arange(begin, min(begin + STRETCH, len(pack)))
                rows = rows[~self.files.is_gone(pack.numbers[rows])]
                if len(rows):
                    yield pack.documents(rows)
        asked = self.connection.execute("SELECT id, digest, size, body FROM recent ORDER BY number")
        while some := asked.fetchmany(STRETCH):
            yield kept(some)


def readable_documents(
    connection: sqlite3.Connection, folder: Path, on_fault: Callable[[str], None]
) -> Iterator[KeptDocuments]:
    """The documents of packs that can be opened, and the recent ones."""
    listed = connection.execute("SELECT number FROM removed").fetchall()
    gone = np.array([number for (number,) in listed], np.int64)
    for (name,) in connection.execute("SELECT name FROM packs ORDER BY first").fetchall():
        try:
            pack = Pack(folder / Path(name).name)
        except (TwinsetError, OSError, ValueError, LookupError) as fault:
            on_fault(f"{name}: {fault}")
            continue
        for begin in range(0, len(pack), STRETCH):
            rows = np.arange(begin, min(begin + STRETCH, len(pack)))
            rows = rows[~np.isin(pack.numbers[rows], gone)]
            if len(rows):
                yield pack.documents(rows)
    question = "SELECT id, digest, size, body FROM recent ORDER BY number"
    if recent := connection.execute(question).fetchall():
        yield kept(recent)
