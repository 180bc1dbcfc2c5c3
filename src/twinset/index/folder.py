"""An index in a folder: an SQLite file with the documents, and files of their sorted keys.

Several programs may read while one writes, and SQLite keeps a second writer waiting. A few
documents that are added leave their keys in the catalogue as well, where every reader picks them up
(`RecentKeys`); after some thousands, or of many at once, keys make a file. Files of keys never
change: they count once the catalogue lists them, and several of one size are merged to a larger one
(`_Change.settle`). Readers keep the files they have mapped, even if these were merged away.

Who writes: `_Change` everything of a transaction, `write_keys` the files.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import ReportError, TwinsetError
from twinset.index import catalogue
from twinset.index.catalogue import CatalogueState
from twinset.index.contents import Contents
from twinset.index.entries import DamagedDocumentError, Entries, id_keys
from twinset.index.key_files import (
    KeyFile,
    ListedKeys,
    Numbers,
    Rows,
    merge_keys,
    stays,
    write_keys,
)
from twinset.index.store import (
    NO_CROWD,
    Crowd,
    EntriesWritten,
    KeptDocuments,
    Row,
    Sharers,
    resolve,
    rows_of,
    whole_of,
)
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.model.columns import utf8

FEW = 1000
"""Documents whose keys stay in the catalogue; of more at once they make a file."""
RECENT = 4000
"""Documents of the catalogue whose keys are made into a file."""
TIER = 4
"""Files of about one size that are merged to one: a question looks into each."""
MOST = 2**32 - 2
STRETCH = 4096
"""Documents that are read back at a time."""
ATTEMPTS = 20
"""Times that the catalogue is read anew, where files were merged away meanwhile."""
DAMAGE = (sqlite3.DatabaseError, LookupError, ValueError, TypeError, OverflowError)
"""What reading ends with where the catalogue says what cannot be."""
COLUMNS = "number, id, digest, size, seal"


class RecentKeys:
    """The keys of documents that are in no file yet, for all threads of a program."""

    def __init__(self, settled: int) -> None:
        self.settled = self.next = settled
        self._owners: dict[int, list[int]] = {}

    def load(self, connection: sqlite3.Connection) -> None:
        """Take in those of documents that came since."""
        for number, keys in recent_keys(connection, self.next):
            for key in keys.tolist():
                self._owners.setdefault(key, []).append(number)
            self.next = number + 1

    def search(self, keys: FeatureLists, last: int, gone: NDArray[np.uint8]) -> Sharers:
        """The documents before ``last`` that have one of the keys, but for those that are gone."""
        found = [self._owners.get(key, ()) for key in keys.flat.tolist()]
        rows = np.repeat(keys.owners(), np.fromiter(map(len, found), np.int64, len(found)))
        numbers = np.fromiter(chain.from_iterable(found), np.uint32, len(rows))
        left = stays(numbers, gone) & (numbers < last)
        pairs = rows[left].astype(np.uint64) << np.uint64(32) | numbers[left]
        pairs, times = np.unique(pairs, return_counts=True)
        rows = (pairs >> np.uint64(32)).astype(np.int64)
        totals = np.bincount(rows, minlength=len(keys))
        return Sharers(rows, pairs.astype(np.uint32), times.astype(np.uint32), totals)


def recent_keys(connection: sqlite3.Connection, first: int) -> Iterator[tuple[int, Features]]:
    """The documents from a number on whose keys are in no file, with these."""
    question = "SELECT number, keys, seal FROM recent WHERE number >= ? ORDER BY number"
    for number, keys, seal in connection.execute(question, (first,)):
        catalogue.ensure_sealed(f"the keys of document {number} are", seal, number, keys)
        yield number, np.frombuffer(keys, np.uint64)


@dataclass
class Files:
    """What readers of one generation share: files of keys, recent keys, documents that are gone."""

    generation: int
    keys: dict[str, KeyFile]
    recent: RecentKeys
    gone: NDArray[np.uint8]
    last_removal: int
    search: _kernels.KeySearch = field(default_factory=_kernels.KeySearch)


class FolderView:
    """The index as it is at one moment: inside a transaction of this connection."""

    def __init__(self, connection: sqlite3.Connection, state: CatalogueState, files: Files) -> None:
        self._connection, self.state, self.files = connection, state, files

    def search(self, keys: FeatureLists, crowd: Crowd = NO_CROWD) -> Sharers:
        """The documents that share keys with each row of ``keys``; of a crowd the nearest."""
        gone = self.files.gone
        found = Sharers(*self.files.search.find(keys.values, keys.offsets, gone, *crowd))
        if self.state.next == self.state.settled:
            return found
        recent = self.files.recent.search(keys, self.state.next, gone)
        if not len(recent.rows):
            return found
        rows = np.concatenate([found.rows, recent.rows])
        numbers = np.concatenate([found.numbers, recent.numbers])
        times = np.concatenate([found.times, recent.times])
        return Sharers(rows, numbers, times, found.totals + recent.totals).nearest(crowd)

    def known(self, ids: pa.Array) -> dict[int, tuple[int, int]]:
        """For rows whose id is there the number and the digest of that document."""
        keys = id_keys(ids)
        rows, numbers, *_ = self.search(Ragged(keys, np.arange(len(keys) + 1)))
        if not len(rows):
            return {}
        unique, place = np.unique(numbers, return_inverse=True)
        held = self.fetch(unique, with_bodies=False)
        found = zip(rows.tolist(), numbers.tolist(), place.reshape(-1).tolist(), strict=True)
        return {
            row: (number, int(held.digests[at]))
            for row, number, at in found
            if ids[row].as_py() == held.ids[at]  # else they have equal keys
        }

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        rows: list[Row] = []
        wanted = numbers.tolist()
        body = "body" if with_bodies else "NULL"
        for begin in range(0, len(wanted), STRETCH):
            some = wanted[begin : begin + STRETCH]
            question = f"SELECT {COLUMNS}, {body} FROM documents WHERE number IN "
            marks = ",".join("?" * len(some))
            rows += self._connection.execute(f"{question}({marks}) ORDER BY number", some)
        if len(rows) != len(wanted):
            raise DamagedDocumentError(
                "the index is damaged (keys lead to documents that are not there): 'twinset index "
                "check' says where"
            )
        return KeptDocuments.of_rows(rows)


def _end_of(connection: sqlite3.Connection, on_fault: Callable[[str], None] | None) -> int:
    """The number behind all documents; with ``on_fault`` also where the counts are damaged."""
    try:
        return catalogue.state_of(connection).next
    except sqlite3.DatabaseError as fault:
        if on_fault is None:
            raise
        on_fault(f"{catalogue.NAME}: {fault}")
        last = connection.execute("SELECT coalesce(max(number), -1) FROM documents").fetchone()
        return int(last[0]) + 1


def _between(
    connection: sqlite3.Connection, begin: int, end: int, on_fault: Callable[[str], None] | None
) -> list[Row]:
    """The documents with these numbers; with ``on_fault`` those that can be read."""
    question = f"SELECT {COLUMNS}, body FROM documents WHERE number >= ? AND number < ?"
    try:
        return connection.execute(f"{question} ORDER BY number", (begin, end)).fetchall()
    except sqlite3.DatabaseError as fault:
        if on_fault is None:
            raise
        if end - begin == 1:
            on_fault(f"{catalogue.NAME}: document {begin:,} cannot be read ({fault})")
            return []
    each = (_between(connection, at, at + 1, on_fault) for at in range(begin, end))
    return [row for rows in each for row in rows]


class _Change:
    """Work of one transaction, which counts as a whole."""

    def __init__(self, store: FolderStore, connection: sqlite3.Connection) -> None:
        self._store, self._connection = store, connection
        self.state = catalogue.state_of(connection)
        self.made: list[str] = []

    def insert(self, new: Entries) -> None:
        """Take documents in."""
        first, count = self.state.next, len(new)
        if first + count > MOST:
            raise TwinsetError(f"an index holds {MOST:,} documents, removed ones included")
        numbers = np.arange(first, first + count, dtype=np.uint32)
        marks = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)"
        self._connection.executemany(marks, rows_of(new, numbers))
        ends = new.keys.offsets[1:] - new.keys.offsets[0]
        keys = np.insert(new.keys.flat, ends, id_keys(new.ids))
        lists = Ragged(keys, np.append(0, ends + np.arange(1, count + 1)))
        state = self.state
        self.state = state._replace(next=first + count, documents=state.documents + count)
        if count > FEW:
            self.settle([(keys, np.repeat(numbers, lists.lengths))])
            return
        rows = ((number, keys.tobytes()) for number, keys in enumerate(lists, first))
        sealed = ((*row, catalogue.seal_of(*row)) for row in rows)
        self._connection.executemany("INSERT INTO recent VALUES (?, ?, ?)", sealed)
        if self.state.next - self.state.settled > RECENT:
            self.settle()

    def settle(self, more: Sequence[Rows] = ()) -> None:
        """Make a file of the recent keys and of ``more``; merge files of one size that are many."""
        if self.state.settled == self.state.next:
            return
        self.sweep()
        recent = list(recent_keys(self._connection, 0))
        parts = [(keys, np.full(len(keys), number, np.uint32)) for number, keys in recent]
        keys, numbers = map(np.concatenate, zip(*parts, *more, strict=True))
        rows = _kernels.sorted_keys(keys, numbers, 2)
        self._connection.execute("DELETE FROM recent")
        self.state = self.state._replace(settled=self.state.next)
        self.relist([write_keys(self._store.folder, [rows], len(rows[0]))])
        while names := self._many():
            self._merge(names)

    def _many(self) -> list[str]:
        """Files of about one size, where these are enough to be merged."""
        tiers: dict[int, list[str]] = {}
        for each in catalogue.listed(self._connection, self.state):
            tier = (each.rows.bit_length() - 1) // (TIER.bit_length() - 1)
            tiers.setdefault(tier, []).append(each.name)
        return next((names for _, names in sorted(tiers.items()) if len(names) >= TIER), [])

    def _merge(self, names: Sequence[str]) -> None:
        files = self._store.opened(self._connection, self.state)
        merged = merge_keys(self._store.folder, [files.keys[name] for name in names], files.gone)
        self.relist([merged] if merged else [], names)

    def merge_all(self) -> None:
        """One file of all keys, without those of what was removed."""
        names = [each.name for each in catalogue.listed(self._connection, self.state)]
        if len(names) > 1 or self.state.removed:
            self._merge(names)
            self._connection.execute("DELETE FROM removed")
            self.state = self.state._replace(removed=0)

    def sweep(self) -> None:
        """Remove files that do not count: merged away, or of programs that were killed."""
        listed = {each.name for each in catalogue.listed(self._connection, self.state)}
        for path in self._store.folder.glob("*.keys"):
            if path.name not in listed:  # and nobody else makes one now
                path.unlink(missing_ok=True)

    def relist(self, new: Sequence[ListedKeys], gone: Sequence[str] = ()) -> None:
        """Let files of keys count, and others no more."""
        self.made += [each.name for each in new]
        connection, state = self._connection, self.state
        catalogue.listed(connection, state)
        connection.executemany("DELETE FROM keys WHERE name = ?", [(name,) for name in gone])
        connection.executemany("INSERT INTO keys VALUES (?, ?, ?, ?)", new)
        rows = connection.execute("SELECT * FROM keys ORDER BY name").fetchall()
        files = catalogue.seal_of(rows)
        self.state = state._replace(generation=state.generation + 1, files=files)

    def drop(self, numbers: Ints) -> None:
        """Take documents out."""
        if not len(numbers):
            return
        command = "DELETE FROM documents WHERE number = ?"
        self._connection.executemany(command, [(number,) for number in numbers.tolist()])
        some = numbers.astype(np.uint32).tobytes()
        row = some, catalogue.seal_of(some)
        self._connection.execute("INSERT INTO removed (numbers, seal) VALUES (?, ?)", row)
        state, count = self.state, len(numbers)
        self.state = state._replace(
            generation=state.generation + 1,
            documents=state.documents - count,
            removed=state.removed + count,
        )


class FolderStore:
    """Keeps entries in a folder; its threads share what they read, and have own connections."""

    def __init__(self, folder: str | os.PathLike[str], within: Sequence[str] = ()) -> None:
        self.folder = Path(folder)
        self.place = str(folder)
        self._own, self._guard = threading.local(), threading.Lock()
        self._files = Files(-1, {}, RecentKeys(0), np.empty(0, np.uint8), 0)
        try:
            facts = catalogue.facts_of(self._connection)
            self.contents = Contents.from_dict(facts["contents"], facts["statistics"], within)
        except DAMAGE as fault:
            if isinstance(fault, TwinsetError):
                raise
            raise catalogue.unreadable(self.folder, fault) from None

    @classmethod
    def create(cls, folder: str | os.PathLike[str], contents: Contents) -> FolderStore:
        """A new index; the folder is new or empty."""
        path = Path(folder)
        try:
            path.mkdir(0o700, parents=True, exist_ok=True)
            taken = any(path.iterdir())
        except (FileExistsError, NotADirectoryError):
            taken = True
        except OSError as fault:
            raise ReportError(f"cannot create {path}: {fault.strerror}") from None
        if taken:
            raise ReportError(f"{path} is there already and not empty: name another folder")
        facts = {"contents": json.dumps(contents.as_dict()).encode()}
        if (statistics := contents.statistics_file()) is not None:
            facts["statistics"] = statistics
        catalogue.create(path, facts)
        return cls(path)

    # reading

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = catalogue.connect(self.folder)
        return connection

    @contextmanager
    def view(self) -> Iterator[FolderView]:
        """The index as it is now."""
        connection = self._connection
        try:
            for _ in range(ATTEMPTS):
                connection.execute("BEGIN")
                try:
                    view = self._view(connection)
                except FileNotFoundError:  # merged away since the catalogue was read
                    connection.execute("ROLLBACK")
                    continue
                yield view
                return
        except sqlite3.DatabaseError as fault:
            raise catalogue.unreadable(self.folder, fault) from None
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise self._lacking()

    def _view(self, connection: sqlite3.Connection) -> FolderView:
        """What is read of the catalogue in this transaction, with the files that it lists."""
        state = catalogue.state_of(connection)
        with self._guard:
            if self._files.generation != state.generation:
                self._files = self.opened(connection, state)
            files = self._files
            if state.next > state.settled:
                files.recent.load(connection)
        return FolderView(connection, state, files)

    def opened(self, connection: sqlite3.Connection, state: CatalogueState) -> Files:
        """The files of a generation; numbers never come again, so that marks may stay."""
        old, listed = self._files, catalogue.listed(connection, state)
        keys = {each.name: old.keys.get(each.name) or KeyFile(self.folder, each) for each in listed}
        new, last = catalogue.removed_since(connection, old.last_removal)
        gone = old.gone
        if len(new):
            gone = np.zeros(max(len(old.gone), int(new.max()) + 1), np.uint8)
            gone[: len(old.gone)] = old.gone
            gone[new] = 1
        recent = old.recent if old.recent.settled == state.settled else RecentKeys(state.settled)
        files = Files(state.generation, keys, recent, gone, last)
        for file in keys.values():
            file.add_to(files.search)
        return files

    def _lacking(self) -> ReportError:
        return ReportError(
            f"{self.folder} lacks files that its catalogue lists: 'twinset index check "
            f"{self.folder}' says what can be saved"
        )

    # writing

    @contextmanager
    def _changing(self) -> Iterator[_Change]:
        """What is changed inside counts as a whole; files of what failed are removed."""
        connection = self._connection
        change = None
        try:
            with catalogue.said(self.folder), catalogue.changing(connection):
                change = _Change(self, connection)
                yield change
                catalogue.put(connection, change.state)
        except BaseException as fault:
            listed = {name for (name,) in connection.execute("SELECT name FROM keys")}
            for name in {*(change.made if change else ())} - listed:
                (self.folder / name).unlink(missing_ok=True)
            if isinstance(fault, FileNotFoundError):
                raise self._lacking() from None
            raise

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns."""
        with self._changing() as change:
            known = self._view(self._connection).known(entries.ids)
            rows, gone, written = resolve(entries.ids, entries.digests, known, replace)
            change.drop(gone)
            if len(rows):
                change.insert(entries.take(rows))
        if change.made:
            catalogue.empty_log(self._connection)
        return written

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        names = utf8([id.encode() for id in dict.fromkeys(ids)])
        with self._changing() as change:
            known = self._view(self._connection).known(names)
            change.drop(np.array([number for number, _ in known.values()], np.int64))
        return len(known)

    def compact(self) -> None:
        """One file of keys, and no room for what was removed."""
        connection = self._connection
        with self._changing() as change:
            removed = change.state.removed
            change.settle()
            change.merge_all()
        with self._changing() as change:  # what counted until now may go
            change.sweep()
        with catalogue.said(self.folder):
            if removed:
                connection.execute("VACUUM")
            catalogue.empty_log(connection)

    # the rest

    def info(self) -> dict[str, Any]:
        """Counts and sizes."""
        files = [path for path in self.folder.iterdir() if path.is_file()]
        with self.view() as view:
            return {
                "documents": view.state.documents,
                "removed": view.state.removed,
                "bytes": sum(path.stat().st_size for path in files),
                "key_files": len(view.files.keys),
                "recent": view.state.next - view.state.settled,
            }

    def check(self) -> list[str]:
        """What is damaged, a sentence each."""
        looks = self._structure_faults, self._file_faults, self._document_faults, self._count_faults
        return [fault for look in looks for fault in _said(look)]

    def _structure_faults(self) -> Iterator[str]:
        for (said,) in self._connection.execute("PRAGMA integrity_check"):
            if said != "ok":
                yield f"{catalogue.NAME}: {said}"
        self.roles()  # of the only table that nothing else looks into

    def _file_faults(self) -> Iterator[str]:
        with self.view() as view:
            files = [*view.files.keys.values()]
        for file in files:
            try:
                file.ensure_whole()
            except ReportError as fault:
                yield str(fault)

    def _document_faults(self) -> Iterator[str]:
        faults: list[str] = []
        for _ in self.documents(faults.append):
            pass
        yield from faults

    def _count_faults(self) -> Iterator[str]:
        """What does not add up."""
        with self.view() as view:
            state, connection = view.state, self._connection
            count, last = connection.execute(
                "SELECT count(*), coalesce(max(number), -1) FROM documents"
            ).fetchone()
            recent = [number for number, _ in recent_keys(connection, 0)]
            removed, _ = catalogue.removed_since(connection, 0)
        if state.documents != count:
            yield f"{state.documents:,} documents are counted, and {count:,} are there"
        if state.next <= last:
            yield f"{catalogue.NAME}: the next number is that of a document"
        if recent != [*range(state.settled, state.next)]:
            yield f"{catalogue.NAME}: keys of recent documents are missing"
        if state.removed != len(removed):
            yield f"{catalogue.NAME}: its list of what was removed is not whole"

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[KeptDocuments]:
        """All documents as they are now, some thousands at a time, in the order of addition.

        With ``on_fault`` what is damaged is passed over, and said.
        """
        connection = catalogue.connect(self.folder)  # which others do not wait for
        try:
            connection.execute("BEGIN")
            end = _end_of(connection, on_fault)
            for begin in range(0, end, STRETCH):
                rows = _between(connection, begin, min(begin + STRETCH, end), on_fault)
                if whole := whole_of(rows, on_fault):
                    yield KeptDocuments.of_rows(whole)
        except DAMAGE as fault:
            if on_fault is None:
                raise catalogue.unreadable(self.folder, fault) from None
            on_fault(f"{catalogue.NAME}: {fault}")
        finally:
            connection.close()

    def roles(self) -> dict[str, tuple[str, str]]:
        """The keys of the service: role and hash by name."""
        with catalogue.said(self.folder):
            rows = self._connection.execute("SELECT name, role, hash FROM access ORDER BY name")
            return {name: (role, hashed) for name, role, hashed in rows}

    def set_role(self, name: str, role: str | None, hashed: str = "") -> bool:
        """Add a key of the service, or take it back where ``role`` is None; whether it changed."""
        connection = self._connection
        with self._changing():
            if role is None:
                change = connection.execute("DELETE FROM access WHERE name = ?", (name,))
            else:
                change = connection.execute(
                    "INSERT OR IGNORE INTO access VALUES (?, ?, ?)", (name, role, hashed)
                )
            return change.rowcount > 0

    def close(self) -> None:
        """Let go of files and of this thread's connection."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
            self._own.connection = None
        self._files = Files(-1, {}, RecentKeys(0), np.empty(0, np.uint8), 0)


def _said(look: Callable[[], Iterator[str]]) -> Iterator[str]:
    """What is damaged, also where that ends the look."""
    try:
        yield from look()
    except (TwinsetError, *DAMAGE) as fault:
        yield f"{catalogue.NAME}: {fault}"
