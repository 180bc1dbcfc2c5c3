"""Puts the files of an index in a folder together, while readers and writers go on.

Files are merged to one as soon as there are enough of them, so that there are never many: keys of
about one size, and packs that stand beside each other, for their numbers rise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset.index import catalogue
from twinset.index.entries import Entries
from twinset.index.folder_reading import IndexReader
from twinset.index.folder_view import STRETCH, Files
from twinset.index.key_files import KeyFile, merge_keys
from twinset.index.locks import held
from twinset.index.packs import Pack, PackWriter
from twinset.index.store import Numbers
from twinset.model import FeatureLists, Ragged

KEYS, PACKS = 4, 8
"""Files of about one size that are merged to one: a question looks into every file of keys, and
these are small, so that they are merged sooner than packs."""
MERGED = "merged-"
"""How the names of merged files begin."""


class NewFiles:
    """Names of a pack and a file of keys that do not count yet."""

    def __init__(self, folder: Path, first: int, before: str = "") -> None:
        name = f"{before}{first:010d}-{os.urandom(4).hex()}"
        self.pack, self.keys = folder / f"{name}.pack", folder / f"{name}.keys"
        self.first, self.documents, self.rows = first, 0, 0

    def list_in(self, connection: Any) -> None:
        """Let them count, inside a transaction."""
        catalogue.list_pack(connection, self.pack.name, self.first, self.documents)
        catalogue.list_keys(connection, self.keys.name, self.rows)


class IndexMerger:
    """Merges and rewrites."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader, self._folder = reader, reader.folder

    def tidy(self) -> None:
        """Merge files that are many, unless somebody else does."""
        with held(self._folder, "merge", wait=False) as ours:
            while ours and (some := self._many_keys()):
                self._merge_keys(some)
            while ours and (few := self._many_packs()):
                self._merge_packs(few)

    def _many_keys(self) -> list[str]:
        """Files of keys of one size of which there are enough."""
        tiers: dict[int, list[str]] = {}
        question = "SELECT name, rows FROM keys ORDER BY name"
        for name, rows in self._reader.connection.execute(question):
            tiers.setdefault(_tier(rows, KEYS), []).append(name)
        return next((names for _, names in sorted(tiers.items()) if len(names) >= KEYS), [])

    def _many_packs(self) -> list[str]:
        """Packs that stand beside each other, of which there are enough."""
        question = "SELECT name, documents FROM packs ORDER BY first"
        rows = self._reader.connection.execute(question).fetchall()
        return [rows[place][0] for place in worth_merging([size for _, size in rows])]

    def _merge_keys(self, names: list[str]) -> None:
        merged = NewFiles(self._folder, 0, MERGED).keys
        files = [KeyFile(self._folder / name) for name in names]
        _ensure_whole(files)
        merge_keys(merged, files, np.empty(0, np.uint8), 1)
        connection = self._reader.connection
        with catalogue.changing(connection):
            catalogue.unlist(connection, names)
            catalogue.list_keys(connection, merged.name, sum(map(len, files)))
        self._remove(names)

    def _merge_packs(self, names: list[str]) -> None:
        packs = [Pack(self._folder / name) for name in names]
        _ensure_whole(packs)
        first = int(packs[0].numbers[0])
        merged = NewFiles(self._folder, first, MERGED).pack
        writer = PackWriter(merged)
        try:
            for pack in packs:
                _copy(pack, writer, lambda numbers: np.ones(len(numbers), bool))
            writer.finish()
        except BaseException:
            writer.abandon()
            raise
        connection = self._reader.connection
        with catalogue.changing(connection):
            catalogue.unlist(connection, names)
            catalogue.list_pack(connection, merged.name, first, writer.documents)
        self._remove(names)

    def rewrite(self) -> None:
        """One pack and one file of keys, without what was removed, inside the locks."""
        connection = self._reader.connection
        with self._reader.view() as view:
            files = view.files
        if len(catalogue.files_of(connection)) > 2 or catalogue.removals(connection):
            self._rewrite(files)
        connection.execute("VACUUM")
        # Where somebody reads, the log of changes stays for now: nobody is waited for.
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute(f"PRAGMA busy_timeout = {catalogue.WAIT}")

    def _rewrite(self, files: Files) -> None:
        connection = self._reader.connection
        _ensure_whole([*files.packs, *files.keys])
        old, first = catalogue.files_of(connection), int(files.packs[0].numbers[0])
        new = NewFiles(self._folder, first, MERGED)
        writer = PackWriter(new.pack)
        try:
            for each in files.packs:
                _copy(each, writer, lambda numbers: ~files.is_gone(numbers))
            if writer.documents:
                writer.finish()
                merge_keys(new.keys, files.keys, files.gone, 1)
                new.first = int(Pack(new.pack).numbers[0])
                new.documents, new.rows = writer.documents, len(KeyFile(new.keys))
            else:
                writer.abandon()
            with catalogue.changing(connection):
                catalogue.unlist(connection, old)
                if writer.documents:
                    new.list_in(connection)
                connection.execute("DELETE FROM removed")
        except BaseException:
            writer.abandon()
            new.keys.unlink(missing_ok=True)
            raise
        self._remove(old)

    def _remove(self, names: Sequence[str]) -> None:
        for name in names:
            (self._folder / name).unlink(missing_ok=True)


def worth_merging(sizes: Sequence[int]) -> range:
    """The places of neighbours that make one pack, small ones first; none where that is no use.

    The pack is at least twice as large as any of them, so that no document is copied often.
    """
    tiers = [_tier(size, PACKS) for size in sizes]
    for most in sorted(set(tiers)):
        for fits, group in groupby(range(len(sizes)), key=lambda at: tiers[at] <= most):
            places = list(group)
            some = sizes[places[0] : places[-1] + 1]
            if fits and len(places) >= PACKS and sum(some) >= 2 * max(some):
                return range(places[0], places[-1] + 1)
    return range(0)


def _tier(size: int, factor: int) -> int:
    """Sizes within this factor, a power of two, are alike."""
    return (max(size, 1).bit_length() - 1) // (factor.bit_length() - 1)


def _ensure_whole(files: Iterable[Pack | KeyFile]) -> None:
    """Raise where a file is damaged: a copy would have digests of its own, and look whole."""
    for each in files:
        each.file.ensure_whole()


def _copy(pack: Pack, writer: PackWriter, stays: Callable[[Numbers], NDArray[np.bool_]]) -> None:
    """Copy the documents of a pack that stay."""
    for begin in range(0, len(pack), STRETCH):
        end = min(begin + STRETCH, len(pack))
        rows = np.flatnonzero(stays(pack.numbers[begin:end]))
        if not len(rows):
            continue
        ids, digests, sizes, bodies = pack.entries(begin, end)
        nothing: FeatureLists = Ragged(np.empty(0, np.uint64), np.zeros(len(ids) + 1, np.int64))
        entries = Entries(ids, digests, sizes, nothing, bodies).take(rows)
        writer.add(entries, pack.numbers[begin:end][rows])
