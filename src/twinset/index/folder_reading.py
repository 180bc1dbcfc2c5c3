"""What reads an index in a folder: a connection for each thread, and the files that count."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import ReportError
from twinset.index import catalogue
from twinset.index.folder_view import Files, FolderView
from twinset.index.key_files import KeyFile
from twinset.index.packs import Pack

ATTEMPTS = 20
"""Times that the catalogue is read anew, where files were merged away meanwhile."""


class IndexReader:
    """Shared by the threads of a program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._own = threading.local()
        self._guard = threading.Lock()
        self._packs: dict[str, Pack] = {}
        self._key_files: dict[str, KeyFile] = {}
        self._gone: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._removals = 0
        self._files: Files | None = None
        self._has_recent = False

    @property
    def connection(self) -> sqlite3.Connection:
        """A connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = catalogue.connect(self.folder)
        return connection

    def view(self, apart: bool = False) -> AbstractContextManager[FolderView]:
        """The index as it is now; one that is ``apart`` may stay open while others are."""
        # most who find recent documents find some the next time as well
        settled = None if apart or self._has_recent else self._settled(self.connection)
        return self._view(apart) if settled is None else nullcontext(settled)

    @contextmanager
    def _view(self, apart: bool) -> Iterator[FolderView]:
        """What is read of the catalogue is of one moment."""
        connection = catalogue.connect(self.folder) if apart else self.connection
        try:
            for _ in range(ATTEMPTS):
                with catalogue.reading(connection, self.folder):
                    state = catalogue.state_of(connection)
                    self._has_recent = state.recent > 0
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

    def _settled(self, connection: sqlite3.Connection) -> FolderView | None:
        """The view where all documents are in files that are open: these never change."""
        files = self._files
        if files is None:
            return None
        try:
            state = catalogue.state_of(connection)
        except sqlite3.DatabaseError as fault:
            raise catalogue.unreadable(self.folder, fault) from None
        is_settled = state.recent == 0 and state.generation == files.generation
        return FolderView(connection, state, files) if is_settled else None

    def _files_of(self, connection: sqlite3.Connection, state: catalogue.CatalogueState) -> Files:
        files = self._files
        if files is not None and files.generation == state.generation:
            return files
        catalogue.files_of(connection)  # refuses names that lead outside of the folder
        listed = [name for (name,) in connection.execute("SELECT name FROM packs ORDER BY first")]
        keys = [name for (name,) in connection.execute("SELECT name FROM keys ORDER BY name")]
        with self._guard:
            packs, key_files = self._packs, self._key_files
            packs = {name: packs[name] if name in packs else self._pack(name) for name in listed}
            key_files = {
                name: key_files[name] if name in key_files else KeyFile(self.folder / name)
                for name in keys
            }
            self._packs, self._key_files = packs, key_files
            search, documents = _kernels.KeySearch(), _kernels.PackedDocuments()
            for file in key_files.values():
                file.add_to(search)
            for pack in packs.values():
                pack.add_to(documents)
            files = Files(
                state.generation,
                list(packs.values()),
                documents,
                list(key_files.values()),
                search,
                self._mark_gone(connection),
            )
            self._files = files
        return files

    def _pack(self, name: str) -> Pack:
        return Pack(self.folder / name)

    def _mark_gone(self, connection: sqlite3.Connection) -> NDArray[np.uint8]:
        """Which documents were removed; numbers never come again, so that marks may stay."""
        new = connection.execute(
            "SELECT place, number FROM removed WHERE place > ?", (self._removals,)
        ).fetchall()
        if new:
            table = np.array(new, np.int64)
            marks = np.zeros(max(len(self._gone), int(table[:, 1].max()) + 1), np.uint8)
            marks[: len(self._gone)] = self._gone
            marks[table[:, 1]] = 1
            self._gone, self._removals = marks, int(table[:, 0].max())
        return self._gone

    def close(self) -> None:
        """Let go of files and of this thread's connection."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
            self._own.connection = None
        self._packs, self._key_files, self._files = {}, {}, None
