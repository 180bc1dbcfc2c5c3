"""What readers see of an index in a folder: its files at one moment, and the recent documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.index.catalogue import CatalogueState, damaged
from twinset.index.entries import Entries, id_keys
from twinset.index.key_files import KeyFile
from twinset.index.packs import Pack, fetch_packed
from twinset.index.recent import fetch_recent, kept, search_recent
from twinset.index.store import KeptDocuments, Numbers
from twinset.lazy_dataclass import dataclass
from twinset.model import FeatureLists, Ints, Ragged

STRETCH = 4096
"""Documents that are read back at a time."""


@dataclass(frozen=True)
class Files:
    """The files that count at one generation, and the documents that are gone."""

    generation: int
    packs: list[Pack]
    documents: _kernels.PackedDocuments
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
        if not len(at):
            return found
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
        digests = self.fetch(unique, with_bodies=False).digests[place.reshape(-1)]
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

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        packed = numbers
        if self.state.recent:  # these have the highest numbers
            packed = numbers[: np.searchsorted(numbers, self._last_packed, "right")]
        parts = []
        if len(packed):
            try:
                parts.append(fetch_packed(self.files.documents, packed, with_bodies))
            except ValueError as fault:
                raise damaged(self.files.packs[0].file.path.parent, fault) from None
        if len(packed) < len(numbers):
            parts.append(fetch_recent(self.connection, numbers[len(packed) :], with_bodies))
        return KeptDocuments.joined(parts)

    @property
    def _last_packed(self) -> int:
        return max((pack.last for pack in self.files.packs), default=-1)

    def stretches(self) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        for pack in self.files.packs:
            for begin in range(0, len(pack), STRETCH):
                numbers = pack.numbers[begin : begin + STRETCH]
                numbers = numbers[~self.files.is_gone(numbers)]
                if len(numbers):
                    yield self.fetch(numbers)
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
            documents = _kernels.PackedDocuments()
            pack.add_to(documents)
        except (TwinsetError, OSError, ValueError, LookupError) as fault:
            on_fault(f"{name}: {fault}")
            continue
        for begin in range(0, len(pack), STRETCH):
            numbers = pack.numbers[begin : begin + STRETCH]
            numbers = numbers[~np.isin(numbers, gone)]
            if len(numbers):
                yield fetch_packed(documents, numbers)
    question = "SELECT id, digest, size, body FROM recent ORDER BY number"
    if recent := connection.execute(question).fetchall():
        yield kept(recent)
