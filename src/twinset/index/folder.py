"""An index in a folder: packs and sorted keys in files that never change, under a catalogue.

Several programs may read while one writes. A writer holds a lock; what it writes counts once the
catalogue lists it, so that a kill or a power cut leaves the index as it was before. Readers keep
the files they have mapped, even if these were merged away.

The numbers of documents rise from pack to pack, and those of recent documents are above them all.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError, TwinsetError
from twinset.index import catalogue
from twinset.index.contents import Contents
from twinset.index.entries import Entries, id_keys
from twinset.index.folder_view import STRETCH, Files, FolderView
from twinset.index.key_files import KeyFile, merge_keys, write_keys
from twinset.index.packs import Pack, PackWriter
from twinset.index.recent import drop_recent, insert, recent_entries, recent_keys
from twinset.index.store import IndexBusyError, Numbers, Written, resolve
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.system.temporary import lock

ATTEMPTS = 20
"""Times that the catalogue is read anew, where files were merged away meanwhile."""
FEW = 1000
"""Documents that are written to the catalogue; more at once make a pack of their own."""
RECENT = 4000
"""Documents of the catalogue that are made into a pack."""
TIER = 8
"""Files of keys of about one size that are merged to one."""
MOST = 2**32 - 2
WAIT = 60.0
"""Seconds that a writer waits for another one."""


class FolderStore:
    """Keeps entries in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.place = str(folder)
        self._own = threading.local()
        self._guard = threading.Lock()
        self._packs: dict[str, Pack] = {}
        self._key_files: dict[str, KeyFile] = {}
        self._gone: NDArray[np.bool_] = np.empty(0, bool)
        self._removals = 0
        facts = catalogue.facts_of(self._connection)
        self.contents = Contents.from_dict(facts["contents"], facts["statistics"])
        self._files: Files | None = None

    @classmethod
    def create(cls, folder: str | os.PathLike[str], contents: Contents) -> FolderStore:
        """A new index; the folder is new or empty."""
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
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

    @property
    def _connection(self) -> sqlite3.Connection:
        """A connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = catalogue.connect(self.folder)
        return connection

    # reading

    @contextmanager
    def view(self, apart: bool = False) -> Iterator[FolderView]:
        """The index as it is now; one that is ``apart`` may stay open while others are."""
        connection = catalogue.connect(self.folder) if apart else self._connection
        try:
            for _ in range(ATTEMPTS):
                with catalogue.reading(connection):
                    state = catalogue.state_of(connection)
                    try:
                        files = self._files_of(connection, state)
                    except FileNotFoundError:  # merged away since the catalogue was read
                        continue
                    yield FolderView(connection, state, files)
                    return
        finally:
            if apart:
                connection.close()
        raise ReportError(
            f"{self.folder} lacks files that its catalogue lists: 'twinset index check "
            f"{self.folder}' says what can be saved"
        )

    def _files_of(self, connection: sqlite3.Connection, state: catalogue.State) -> Files:
        files = self._files
        if files is not None and files.generation == state.generation:
            return files
        listed = list(connection.execute("SELECT name, first FROM packs ORDER BY first"))
        keys = [name for (name,) in connection.execute("SELECT name FROM keys ORDER BY name")]
        with self._guard:
            packs, key_files = self._packs, self._key_files
            packs = {name: packs[name] if name in packs else self._pack(name) for name, _ in listed}
            key_files = {
                name: key_files[name] if name in key_files else KeyFile(self.folder / name)
                for name in keys
            }
            self._packs, self._key_files = packs, key_files
            files = Files(
                state.generation,
                list(packs.values()),
                np.array([first for _, first in listed], np.int64),
                list(key_files.values()),
                self._mark_gone(connection),
            )
            self._files = files
        return files

    def _pack(self, name: str) -> Pack:
        return Pack(self.folder / name)

    def _mark_gone(self, connection: sqlite3.Connection) -> NDArray[np.bool_]:
        """Which documents were removed; numbers never come again, so that marks may stay."""
        new = connection.execute(
            "SELECT place, number FROM removed WHERE place > ?", (self._removals,)
        ).fetchall()
        if new:
            table = np.array(new, np.int64)
            marks = np.zeros(max(len(self._gone), int(table[:, 1].max()) + 1), bool)
            marks[: len(self._gone)] = self._gone
            marks[table[:, 1]] = True
            self._gone, self._removals = marks, int(table[:, 0].max())
        return self._gone

    # writing

    @contextmanager
    def _writing(self, name: str = "writer.lock", wait: float = WAIT) -> Iterator[bool]:
        """Hold a lock that one writer has at a time."""
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            until = time.monotonic() + wait
            while lock(descriptor) is False:
                if time.monotonic() >= until:
                    if wait == 0:
                        yield False
                        return
                    raise IndexBusyError(
                        f"{self.folder} is being written by another program: try again later"
                    )
                time.sleep(0.01)
            yield True
        finally:
            os.close(descriptor)

    def write(self, entries: Entries, replace: bool) -> Written:
        """Take documents in, all or none of them; they are safe when this returns."""
        with self._writing():
            self._remove_leftovers()
            with self.view() as view:
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
        connection = self._connection
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
        return self.folder / f"{name}.pack", self.folder / f"{name}.keys"

    def _list(self, pack: Path, first: int, documents: int, keys: Path, rows: int) -> None:
        connection = self._connection
        connection.execute("INSERT INTO packs VALUES (?, ?, ?)", (pack.name, first, documents))
        connection.execute("INSERT INTO keys VALUES (?, ?)", (keys.name, rows))
        connection.execute("UPDATE state SET generation = generation + 1")

    def _advance(self, count: int, recent: int = 0) -> None:
        self._connection.execute(
            "UPDATE state SET next = next + ?, documents = documents + ?, recent = recent + ?",
            (count, count, recent),
        )

    def _drop(self, numbers: Ints) -> None:
        """Take documents out, inside a transaction."""
        if not len(numbers):
            return
        connection = self._connection
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
        connection = self._connection
        entries, numbers = recent_entries(connection)
        with self._pack_of(entries, numbers, *recent_keys(connection)) as files:
            self._list(*files)
            connection.execute("DELETE FROM recent")
            connection.execute("DELETE FROM recent_keys")
            connection.execute("UPDATE state SET recent = 0")

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        with self._writing():
            with self.view() as view:
                found = view.numbers_of(pa.array(list(dict.fromkeys(ids)), pa.large_string()))
            found = found[found >= 0]
            if len(found):
                with catalogue.changing(self._connection):
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
        for name, rows in self._connection.execute("SELECT name, rows FROM keys ORDER BY name"):
            tiers.setdefault((max(rows, 1).bit_length() - 1) // 3, []).append(name)
        return next((names for _, names in sorted(tiers.items()) if len(names) >= TIER), [])

    def _merge(self, names: list[str]) -> None:
        merged = self.folder / f"merged-{os.urandom(8).hex()}.keys"
        files = [KeyFile(self.folder / name) for name in names]
        merge_keys(merged, files, np.empty(0, bool), 1)
        connection = self._connection
        with catalogue.changing(connection):
            self._unlist(names)
            rows = sum(map(len, files))
            connection.execute("INSERT INTO keys VALUES (?, ?)", (merged.name, rows))
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def _unlist(self, names: Sequence[str]) -> None:
        connection = self._connection
        for table in ("keys", "packs"):
            connection.executemany(
                f"DELETE FROM {table} WHERE name = ?", [(name,) for name in names]
            )
        connection.execute("UPDATE state SET generation = generation + 1")

    def compact(self) -> None:
        """Rewrite everything as one pack and one file of keys, without what was removed."""
        with self._writing("merge.lock"), self._writing():
            self._remove_leftovers()
            connection = self._connection
            if catalogue.state_of(connection).recent:
                with catalogue.changing(connection):
                    self._settle()
            with self.view() as view:
                files = view.files
            old = [pack.file.path.name for pack in files.packs]
            old += [file.file.path.name for file in files.keys]
            if not files.packs or (len(old) == 2 and not files.gone.any()):
                return
            pack, keys = self._new_files(int(files.firsts[0]))
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
                with catalogue.changing(connection):
                    self._unlist(old)
                    if writer.documents:
                        rows = len(KeyFile(keys))
                        self._list(pack, first, writer.documents, keys, rows)
                    connection.execute("DELETE FROM removed")
            except BaseException:
                writer.abandon()
                keys.unlink(missing_ok=True)
                raise
            for name in old:
                (self.folder / name).unlink(missing_ok=True)

    def _remove_leftovers(self) -> None:
        """Remove files of killed writers, which the catalogue does not list."""
        connection = self._connection
        listed = {
            name
            for table in ("packs", "keys")
            for (name,) in connection.execute(f"SELECT name FROM {table}")
        }
        for path in (*self.folder.glob("*.pack"), *self.folder.glob("*.keys")):
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

    # the rest

    def info(self) -> dict[str, Any]:
        """Counts and sizes."""
        state = catalogue.state_of(self._connection)
        listed = [path for path in self.folder.iterdir() if path.is_file()]
        with self.view() as view:
            packs, keys = len(view.files.packs), len(view.files.keys)
            removed = view.connection.execute("SELECT count(*) FROM removed").fetchone()[0]
        return {
            "documents": state.documents,
            "removed": removed,
            "bytes": sum(path.stat().st_size for path in listed),
            "packs": packs,
            "key_files": keys,
            "recent": state.recent,
        }

    def check(self) -> list[str]:
        """What is damaged, a sentence each."""
        faults = []
        connection = self._connection
        for (said,) in connection.execute("PRAGMA integrity_check"):
            if said != "ok":
                faults.append(f"{catalogue.NAME}: {said}")
        names = [name for (name,) in connection.execute("SELECT name FROM packs")]
        names += [name for (name,) in connection.execute("SELECT name FROM keys")]
        found = 0
        for name in names:
            try:
                opened = (Pack if name.endswith(".pack") else KeyFile)(self.folder / name)
            except FileNotFoundError:
                faults.append(f"{name}: the file is missing")
                continue
            except (TwinsetError, ValueError) as fault:
                faults.append(str(fault))
                continue
            faults += opened.file.faults()
            found += len(opened) if isinstance(opened, Pack) else 0
        state = catalogue.state_of(connection)
        gone = connection.execute("SELECT count(*) FROM removed").fetchone()[0]
        if not faults and found - gone + state.recent != state.documents:
            faults.append(
                f"{state.documents:,} documents are counted, and {found - gone + state.recent:,} "
                "are there"
            )
        return faults

    def roles(self) -> dict[str, tuple[str, str]]:
        """The keys of the service: role and hash by name."""
        rows = self._connection.execute("SELECT name, role, hash FROM access ORDER BY name")
        return {name: (role, hashed) for name, role, hashed in rows}

    def set_role(self, name: str, role: str | None, hashed: str = "") -> bool:
        """Add a key of the service, or take it back where ``role`` is None; whether it changed."""
        connection = self._connection
        with catalogue.changing(connection):
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
        self._packs, self._key_files, self._files = {}, {}, None


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
