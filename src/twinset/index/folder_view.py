"""What readers see of an index in a folder: its files at one moment, and the recent documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.index.catalogue import CatalogueState
from twinset.index.entries import Bodies, Entries, id_keys
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
    firsts: Ints
    keys: list[KeyFile]
    gone: NDArray[np.bool_]

    def is_gone(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of these documents were removed."""
        if not len(self.gone):
            return np.zeros(len(numbers), bool)
        known = np.minimum(numbers, len(self.gone) - 1)
        found: NDArray[np.bool_] = self.gone[known] & (numbers < len(self.gone))
        return found


@dataclass
class FolderView:
    """The index as it is at one moment."""

    connection: sqlite3.Connection
    state: CatalogueState
    files: Files

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        wanted = np.ascontiguousarray(keys.flat)
        found = [file.find(wanted) for file in self.files.keys]
        if self.state.recent and len(wanted):
            found.append(search_recent(self.connection, wanted))
        rows = np.concatenate([np.empty(0, np.int64), *(part[0] for part in found)])
        numbers = np.concatenate([np.empty(0, np.uint32), *(part[1] for part in found)])
        if not len(rows):
            return rows, numbers
        stays = ~self.files.is_gone(numbers)
        rows = keys.owners()[rows[stays]] if len(keys) > 1 else np.zeros(stays.sum(), np.int64)
        pairs = np.unique(rows.astype(np.uint64) << np.uint64(32) | numbers[stays])
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

    def _parts(self, numbers: Numbers) -> Iterator[tuple[Pack | None, NDArray[np.bool_]]]:
        """The packs that hold some of these documents, and None for the recent ones."""
        if not len(self.files.packs):
            yield None, np.ones(len(numbers), bool)
            return
        owner = np.searchsorted(self.files.firsts, numbers, "right") - 1
        for pack in np.unique(owner).tolist():
            mine = owner == pack
            if pack < 0:
                yield None, mine
                continue
            held = self.files.packs[pack]
            inside = mine & (numbers <= held.numbers[-1])
            if inside.any():
                yield held, inside
            if (outside := mine & ~inside).any():
                yield None, outside

    def digests(self, numbers: Numbers) -> Features:
        """The digests of the texts of documents, which come by rising numbers."""
        digests = np.zeros(len(numbers), np.uint64)
        for pack, mine in self._parts(numbers):
            if pack is None:
                digests[mine] = fetch_recent(self.connection, numbers[mine], False).digests
            else:
                digests[mine] = pack.digests[pack.rows_of(numbers[mine])]
        return digests

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        parts = []
        for pack, mine in self._parts(numbers):
            if pack is None:
                parts.append((mine, fetch_recent(self.connection, numbers[mine], with_bodies)))
                continue
            rows = pack.rows_of(numbers[mine])
            bodies = pack.bodies(rows) if with_bodies else _no_bodies(len(rows))
            kept = KeptDocuments(
                pack.ids(rows.tolist()), pack.digests[rows], pack.sizes[rows], bodies
            )
            parts.append((mine, kept))
        if len(parts) == 1:
            return parts[0][1]
        return _joined(len(numbers), parts)

    def stretches(self) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        for pack in self.files.packs:
            for begin in range(0, len(pack), STRETCH):
                rows = np.arange(begin, min(begin + STRETCH, len(pack)))
                rows = rows[~self.files.is_gone(pack.numbers[rows])]
                if len(rows):
                    yield KeptDocuments(
                        pack.ids(rows.tolist()),
                        pack.digests[rows],
                        pack.sizes[rows],
                        pack.bodies(rows),
                    )
        asked = self.connection.execute("SELECT id, digest, size, body FROM recent ORDER BY number")
        while some := asked.fetchmany(STRETCH):
            yield kept(some)


def _no_bodies(count: int) -> Bodies:
    return Ragged(np.empty(0, np.uint8), np.zeros(count + 1, np.int64))


def _joined(count: int, parts: Sequence[tuple[NDArray[np.bool_], KeptDocuments]]) -> KeptDocuments:
    """Documents of several places in the order of their numbers."""
    where = np.concatenate([np.flatnonzero(mine) for mine, _ in parts])
    order = np.argsort(where)
    ids = [each for _, kept in parts for each in kept.ids]
    bodies = Ragged.concatenate([kept.bodies for _, kept in parts], np.uint8)
    return KeptDocuments(
        [ids[place] for place in order.tolist()],
        np.concatenate([kept.digests for _, kept in parts])[order],
        np.concatenate([kept.sizes for _, kept in parts])[order],
        bodies.take(order),
    )
