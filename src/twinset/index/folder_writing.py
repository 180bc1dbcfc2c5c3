"""What writes an index in a folder, one writer at a time.

What is written counts once the catalogue lists it, so that a kill or a power cut leaves the index
as it was before.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.index import catalogue
from twinset.index.entries import Entries, id_keys
from twinset.index.folder_reading import IndexReader
from twinset.index.folder_view import STRETCH, Files
from twinset.index.key_files import KeyFile, merge_keys, write_keys
from twinset.index.packs import Pack, PackWriter
from twinset.index.recent import drop_recent, insert, recent_entries, recent_keys
from twinset.index.store import EntriesWritten, IndexBusyError, Numbers, resolve
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.system.temporary import lock

FEW = 1000
"""Documents that are written to the catalogue; more at once make a pack of their own."""
RECENT = 4000
"""Documents of the catalogue that are made into a pack."""
TIER = 8
"""Files of keys of about one size that are merged to one."""
MOST = 2**32 - 2
WAIT = 60.0
"""Seconds that a writer waits for another one."""


class IndexWriter:
    """Takes documents in and out."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader, self._folder = reader, reader.folder

    @contextmanager
    def _writing(self, name: str = "writer.lock", wait: float | None = None) -> Iterator[bool]:
        """Hold a lock that one writer has at a time."""
        descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            until = time.monotonic() + (WAIT if wait is None else wait)
            while lock(descriptor) is False:
                if time.monotonic() >= until:
                    if wait == 0:
                        yield False
                        return
                    raise IndexBusyError(
                        f"{self._folder} is being written by another program: try again later"
                    )
                time.sleep(0.01)
            yield True
        finally:
            os.close(descriptor)

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns."""
        with self._writing():
            self._remove_leftovers()
            with self._reader.view() as view:
                known = view.known(entries)
                first = view.state.next
            rows, gone, written = resolve(entries.ids, entries.digests, known, replace)
            new = entries.take(rows)
            if first + len(new) > MOST:
                raise TwinsetError(f"an index holds {MOST:,} documents, removed ones included")
            if len(new):
                numbers = np.arange(first, first + len(new), dtype=np.uint32)
                self._take_in(new, numbers, gone)
        return written

    def _take_in(self, new: Entries, numbers: Numbers, gone: Ints) -> None:
        connection = self._reader.connection
        if len(new) > FEW:
            if catalogue.state_of(connection).recent:
                with catalogue.changing(connection):
                    self._settle()
            keys = np.concatenate([new.keys.flat, id_keys(new.ids)])
            owners = np.concatenate([np.repeat(numbers, new.keys.lengths), numbers])
            with self._pack_of(new, numbers, keys, owners) as files, catalogue.changing(connection):
                self._drop(gone)
                self._list(*files)
                self._advance(len(new))
            return
        with catalogue.changing(connection):
            self._drop(gone)
            insert(connection, new, numbers)
            self._advance(len(new), recent=len(new))
            if catalogue.state_of(connection).recent > RECENT:
                self._settle()

    @contextmanager
    def _pack_of(
        self, entries: Entries, numbers: Numbers, keys: Features, owners: Numbers
    ) -> Iterator[tuple[Path, int, int, Path, int]]:
        """Files of documents and their keys, which are removed if the block ends with a fault."""
        pack, key_file = self._new_files(numbers[0])
        writer = PackWriter(pack)
        try:
            writer.add(entries, numbers)
            writer.finish()
            write_keys(key_file, keys, owners, 2)
            yield pack, int(numbers[0]), len(entries), key_file, len(keys)
        except BaseException:
            writer.abandon()
            key_file.unlink(missing_ok=True)
            raise

    def _new_files(self, first: int) -> tuple[Path, Path]:
        name = f"{int(first):010d}-{os.urandom(4).hex()}"
        return self._folder / f"{name}.pack", self._folder / f"{name}.keys"

    def _list(self, pack: Path, first: int, documents: int, keys: Path, rows: int) -> None:
        connection = self._reader.connection
        connection.execute("INSERT INTO packs VALUES (?, ?, ?)", (pack.name, first, documents))
        connection.execute("INSERT INTO keys VALUES (?, ?)", (keys.name, rows))
        connection.execute("UPDATE state SET generation = generation + 1")

    def _advance(self, count: int, recent: int = 0) -> None:
        self._reader.connection.execute(
            "UPDATE state SET next = next + ?, documents = documents + ?, recent = recent + ?",
            (count, count, recent),
        )

    def _drop(self, numbers: Ints) -> None:
        """Take documents out, inside a transaction."""
        if not len(numbers):
            return
        connection = self._reader.connection
        packed = drop_recent(connection, numbers)
        rows = [(number,) for number in packed.tolist()]
        connection.executemany("INSERT OR IGNORE INTO removed (number) VALUES (?)", rows)
        connection.execute(
            "UPDATE state SET documents = documents - ?, recent = recent - ?, "
            "generation = generation + ?",
            (len(numbers), len(numbers) - len(packed), 1 if rows else 0),
        )

    def _settle(self) -> None:
        """Make a pack of the recent documents, inside a transaction."""
        connection = self._reader.connection
        entries, numbers = recent_entries(connection)
        with self._pack_of(entries, numbers, *recent_keys(connection)) as files:
            self._list(*files)
            connection.execute("DELETE FROM recent")
            connection.execute("DELETE FROM recent_keys")
            connection.execute("UPDATE state SET recent = 0")

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        with self._writing():
            with self._reader.view() as view:
                found = view.numbers_of(pa.array(list(dict.fromkeys(ids)), pa.large_string()))
            found = found[found >= 0]
            if len(found):
                with catalogue.changing(self._reader.connection):
                    self._drop(found)
        return len(found)

    def tidy(self) -> None:
        """Merge files of keys that are many; readers and writers go on meanwhile."""
        with self._writing("merge.lock", wait=0) as ours:
            while ours and (some := self._mergeable()):
                self._merge(some)

    def _mergeable(self) -> list[str]:
        """Files of one size of which there are enough."""
        tiers: dict[int, list[str]] = {}
        for name, rows in self._reader.connection.execute(
            "SELECT name, rows FROM keys ORDER BY name"
        ):
            tiers.setdefault((max(rows, 1).bit_length() - 1) // 3, []).append(name)
        return next((names for _, names in sorted(tiers.items()) if len(names) >= TIER), [])

    def _merge(self, names: list[str]) -> None:
        merged = self._folder / f"merged-{os.urandom(8).hex()}.keys"
        files = [KeyFile(self._folder / name) for name in names]
        merge_keys(merged, files, np.empty(0, np.uint8), 1)
        connection = self._reader.connection
        with catalogue.changing(connection):
            self._unlist(names)
            rows = sum(map(len, files))
            connection.execute("INSERT INTO keys VALUES (?, ?)", (merged.name, rows))
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    def _unlist(self, names: Sequence[str]) -> None:
        connection = self._reader.connection
        for table in ("keys", "packs"):
            connection.executemany(
                f"DELETE FROM {table} WHERE name = ?", [(name,) for name in names]
            )
        connection.execute("UPDATE state SET generation = generation + 1")

    def compact(self) -> None:
        """Rewrite everything as one pack and one file of keys, without what was removed."""
        connection = self._reader.connection
        with self._writing("merge.lock"), self._writing():
            self._remove_leftovers()
            if catalogue.state_of(connection).recent:
                with catalogue.changing(connection):
                    self._settle()
            with self._reader.view() as view:
                files = view.files
            old = [pack.file.path.name for pack in files.packs]
            old += [file.file.path.name for file in files.keys]
            if len(old) > 2 or catalogue.removals(connection):
                self._rewrite(files, old)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _rewrite(self, files: Files, old: list[str]) -> None:
        """One pack and one file of keys in place of all, inside the locks."""
        pack, keys = self._new_files(files.firsts[0])
        writer = PackWriter(pack)
        try:
            first = -1
            for each in files.packs:
                first = _copy(each, files, writer, first)
            if writer.documents:
                writer.finish()
                merge_keys(keys, files.keys, files.gone, 1)
            else:
                writer.abandon()
            with catalogue.changing(self._reader.connection):
                self._unlist(old)
                if writer.documents:
                    self._list(pack, first, writer.documents, keys, len(KeyFile(keys)))
                self._reader.connection.execute("DELETE FROM removed")
        except BaseException:
            writer.abandon()
            keys.unlink(missing_ok=True)
            raise
        for name in old:
            (self._folder / name).unlink(missing_ok=True)

    def _remove_leftovers(self) -> None:
        """Remove files of killed writers, which the catalogue does not list."""
        connection = self._reader.connection
        listed = {
            name
            for table in ("packs", "keys")
            for (name,) in connection.execute(f"SELECT name FROM {table}")
        }
        for path in (*self._folder.glob("*.pack"), *self._folder.glob("*.keys")):
            if path.name in listed:
                continue
            if path.name.startswith("merged-"):
                with self._writing("merge.lock", wait=0) as ours:
                    if (
                        ours
                        and not connection.execute(
                            "SELECT 1 FROM keys WHERE name = ?", (path.name,)
                        ).fetchone()
                    ):
                        path.unlink(missing_ok=True)
            else:
                path.unlink(missing_ok=True)


def _copy(pack: Pack, files: Files, writer: PackWriter, first: int) -> int:
    """Copy the documents of a pack that are not gone; the first number of all that were copied."""
    for begin in range(0, len(pack), STRETCH):
        end = min(begin + STRETCH, len(pack))
        ids, digests, sizes, bodies = pack.entries(begin, end)
        stays = np.flatnonzero(~files.is_gone(pack.numbers[begin:end]))
        if not len(stays):
            continue
        numbers = pack.numbers[begin:end][stays]
        first = int(numbers[0]) if first < 0 else first
        nothing: FeatureLists = Ragged(np.empty(0, np.uint64), np.zeros(len(ids) + 1, np.int64))
        writer.add(Entries(ids, digests, sizes, nothing, bodies).take(stays), numbers)
    return first
