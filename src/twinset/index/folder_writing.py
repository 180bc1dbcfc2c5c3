"""What writes an index in a folder, one writer at a time.

What is written counts once the catalogue lists it, so that a kill or a power cut leaves the index
as it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.index import catalogue
from twinset.index.entries import Entries, id_keys
from twinset.index.folder_merging import MERGED, IndexMerger, NewFiles
from twinset.index.folder_reading import IndexReader
from twinset.index.key_files import write_keys
from twinset.index.locks import held
from twinset.index.packs import PackWriter
from twinset.index.recent import drop_recent, insert, recent_entries, recent_keys
from twinset.index.store import EntriesWritten, Numbers, resolve
from twinset.model import Features, Ints
from twinset.model.columns import utf8

FEW = 1000
"""Documents that are written to the catalogue; more at once make a pack of their own."""
RECENT = 4000
"""Documents of the catalogue that are made into a pack."""
MANY = 60
"""Files from which on a writer itself tidies up, where nobody else does."""
MOST = 2**32 - 2


class IndexWriter:
    """Takes documents in and out."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader, self._folder = reader, reader.folder
        self.merger = IndexMerger(reader)

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns."""
        with held(self._folder, "writer"):
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
        if self._has_many_files():
            self.merger.tidy()
        return written

    def _has_many_files(self) -> bool:
        """Whether nobody has tidied up for long."""
        return len(catalogue.files_of(self._reader.connection)) > MANY

    def _take_in(self, new: Entries, numbers: Numbers, gone: Ints) -> None:
        connection = self._reader.connection
        if len(new) > FEW:
            if catalogue.state_of(connection).recent:
                with catalogue.changing(connection):
                    self.settle()
            keys = np.concatenate([new.keys.flat, id_keys(new.ids)])
            owners = np.concatenate([np.repeat(numbers, new.keys.lengths), numbers])
            pack = self._pack_of([(new, numbers)], keys, owners)
            with pack as files, catalogue.changing(connection):
                self._drop(gone)
                files.list_in(connection)
                self._advance(len(new))
            return
        with catalogue.changing(connection):
            self._drop(gone)
            insert(connection, new, numbers)
            self._advance(len(new), recent=len(new))
            if catalogue.state_of(connection).recent > RECENT:
                self.settle()

    @contextmanager
    def _pack_of(
        self, parts: Iterable[tuple[Entries, Numbers]], keys: Features, owners: Numbers
    ) -> Iterator[NewFiles]:
        """Files of documents and their keys, which are removed if the block ends with a fault."""
        files = NewFiles(self._folder, int(owners.min()))
        writer = PackWriter(files.pack)
        try:
            for entries, numbers in parts:
                writer.add(entries, numbers)
            writer.finish()
            write_keys(files.keys, keys, owners, 2)
            files.documents, files.rows = writer.documents, len(keys)
            yield files
        except BaseException:
            writer.abandon()
            files.keys.unlink(missing_ok=True)
            raise

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

    def settle(self) -> None:
        """Make a pack of the recent documents, inside a transaction."""
        connection = self._reader.connection
        with self._pack_of(recent_entries(connection), *recent_keys(connection)) as files:
            files.list_in(connection)
            connection.execute("DELETE FROM recent")
            connection.execute("DELETE FROM recent_keys")
            connection.execute("UPDATE state SET recent = 0")
        # the C library would keep it for this thread, and a service grow with its first pack
        _kernels.give_back_memory()

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        with held(self._folder, "writer"):
            with self._reader.view() as view:
                found = view.numbers_of(utf8([id.encode() for id in dict.fromkeys(ids)]))
            found = found[found >= 0]
            if len(found):
                with catalogue.changing(self._reader.connection):
                    self._drop(found)
        return len(found)

    def compact(self) -> None:
        """Rewrite everything as one pack and one file of keys, without what was removed."""
        connection = self._reader.connection
        with held(self._folder, "merge"), held(self._folder, "writer"):
            self._remove_leftovers(merging=True)
            if catalogue.state_of(connection).recent:
                with catalogue.changing(connection):
                    self.settle()
            self.merger.rewrite()

    def _remove_leftovers(self, merging: bool = False) -> None:
        """Remove files of killed writers, which the catalogue does not list.

        Those of killed merges go if nobody is ``merging``, or if that is us.
        """
        listed = {*catalogue.files_of(self._reader.connection)}
        for path in (*self._folder.glob("*.pack"), *self._folder.glob("*.keys")):
            if path.name in listed:
                continue
            if merging or not path.name.startswith(MERGED):
                path.unlink(missing_ok=True)
                continue
            with held(self._folder, "merge", wait=False) as ours:
                if ours and path.name not in catalogue.files_of(self._reader.connection):
                    path.unlink(missing_ok=True)
