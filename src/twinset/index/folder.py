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
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from twinset.errors import ReadError, ReportError, TwinsetError
from twinset.index import catalogue
from twinset.index.contents import Contents
from twinset.index.entries import Entries, unpacked
from twinset.index.folder_reading import IndexReader
from twinset.index.folder_view import FolderView, readable_documents
from twinset.index.folder_writing import IndexWriter
from twinset.index.key_files import KeyFile
from twinset.index.packs import Pack
from twinset.index.store import EntriesWritten, KeptDocuments
from twinset.model import Ragged


class FolderStore:
    """Keeps entries in a folder."""

    def __init__(self, folder: str | os.PathLike[str], within: Sequence[str] = ()) -> None:
        self.folder = Path(folder)
        self.place = str(folder)
        self._reader = IndexReader(self.folder)
        self._writer = IndexWriter(self._reader)
        try:
            facts = catalogue.facts_of(self._reader.connection)
            self.contents = Contents.from_dict(facts["contents"], facts["statistics"], within)
        except (sqlite3.DatabaseError, LookupError, ValueError, TypeError) as fault:
            if isinstance(fault, TwinsetError):
                raise
            raise catalogue.unreadable(self.folder, fault) from None

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

    def view(self, apart: bool = False) -> AbstractContextManager[FolderView]:
        """The index as it is now; one that is ``apart`` may stay open while others are."""
        return self._reader.view(apart)

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns."""
        return self._writer.write(entries, replace)

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        return self._writer.remove(ids)

    def tidy(self) -> None:
        """Merge files of keys that are many; readers and writers go on meanwhile."""
        self._writer.merger.tidy()

    def compact(self) -> None:
        """Rewrite everything as one pack and one file of keys, without what was removed."""
        self._writer.compact()

    def info(self) -> dict[str, Any]:
        """Counts and sizes."""
        state = catalogue.state_of(self._reader.connection)
        listed = [path for path in self.folder.iterdir() if path.is_file()]
        with self._reader.view() as view:
            packs, keys = len(view.files.packs), len(view.files.keys)
            removed = catalogue.removals(view.connection)
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
        connection = self._reader.connection
        for (said,) in connection.execute("PRAGMA integrity_check"):
            if said != "ok":
                faults.append(f"{catalogue.NAME}: {said}")
        names = catalogue.files_of(connection)
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
        faults += self._recent_faults()
        state = catalogue.state_of(connection)
        gone = catalogue.removals(connection)
        if not faults and found - gone + state.recent != state.documents:
            faults.append(
                f"{state.documents:,} documents are counted, and {found - gone + state.recent:,} "
                "are there"
            )
        return faults

    def _recent_faults(self) -> list[str]:
        """Texts of recent documents that cannot be taken apart."""
        faults: list[str] = []
        if self.contents.kept == "texts":
            for name, body in self._reader.connection.execute("SELECT id, body FROM recent"):
                try:
                    unpacked(Ragged(np.frombuffer(body, np.uint8), np.array([0, len(body)])))
                except (ReadError, ValueError) as fault:
                    faults.append(f"{catalogue.NAME}: the document {name!r}: {fault}")
        return faults

    def readable(self, on_fault: Callable[[str], None]) -> Iterator[KeptDocuments]:
        """All documents that can be read, where some of the index is damaged."""
        connection = catalogue.connect(self.folder)
        try:
            yield from readable_documents(connection, self.folder, on_fault)
        except sqlite3.DatabaseError as fault:
            on_fault(f"{catalogue.NAME}: {fault}")
        finally:
            connection.close()

    def roles(self) -> dict[str, tuple[str, str]]:
        """The keys of the service: role and hash by name."""
        rows = self._reader.connection.execute("SELECT name, role, hash FROM access ORDER BY name")
        return {name: (role, hashed) for name, role, hashed in rows}

    def set_role(self, name: str, role: str | None, hashed: str = "") -> bool:
        """Add a key of the service, or take it back where ``role`` is None; whether it changed."""
        connection = self._reader.connection
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
        self._reader.close()
