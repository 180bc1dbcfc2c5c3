"""The catalogue of an index in a folder: an SQLite file that says what counts.

Files of keys and packs count once they are listed here; documents that come a few at a time lie
here themselves until there are enough for a pack. A transaction is on the disk when it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twinset.errors import ReportError, TwinsetError
from twinset.index.contents import VERSION
from twinset.index.store import IndexBusyError
from twinset.lazy_dataclass import dataclass

NAME = "catalogue.sqlite"
WAIT = 60_000
"""Milliseconds that a transaction waits for another one."""
ROOM = 1 << 16
"""Bytes of a disk that SQLite needs beside a catalogue which is read: it shares 32 KB."""
TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE state (
    only INTEGER PRIMARY KEY CHECK (only = 1), generation INTEGER NOT NULL,
    next INTEGER NOT NULL, documents INTEGER NOT NULL, recent INTEGER NOT NULL
);
INSERT INTO state VALUES (1, 0, 0, 0, 0);
CREATE TABLE packs (name TEXT PRIMARY KEY, first INTEGER NOT NULL, documents INTEGER NOT NULL);
CREATE TABLE keys (name TEXT PRIMARY KEY, rows INTEGER NOT NULL);
CREATE TABLE removed (
    place INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL UNIQUE
);
CREATE TABLE recent (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, digest INTEGER NOT NULL,
    size INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE TABLE recent_keys (
    key INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)
) WITHOUT ROWID;
CREATE TABLE access (name TEXT PRIMARY KEY, role TEXT NOT NULL, hash TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class CatalogueState:
    """How far the index is: ``generation`` changes with the lists of files."""

    generation: int
    next: int
    documents: int
    recent: int


def is_index_folder(folder: str | os.PathLike[str]) -> bool:
    """Whether there is an index in a folder."""
    return (Path(folder) / NAME).is_file()


def create(folder: Path, facts: dict[str, bytes]) -> None:
    """A new catalogue with these facts."""
    connection = sqlite3.connect(folder / NAME, isolation_level=None)
    try:
        _prepare(connection)
        connection.executescript(f"BEGIN;{TABLES}PRAGMA user_version = {VERSION};COMMIT;")
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
    finally:
        connection.close()


def connect(folder: Path) -> sqlite3.Connection:
    """A connection to the catalogue, whose format is checked."""
    path = folder / NAME
    if not path.is_file():
        raise ReportError(
            f"{folder} is no index: name one, or make it with 'twinset index create {folder}'"
        )
    try:
        connection = _opened(path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as fault:
        raise unreadable(folder, fault) from None
    if version == 0:
        connection.close()
        raise damaged(folder, "its catalogue is empty")
    if version != VERSION:
        connection.close()
        raise ReportError(
            f"{folder} is an index of format {version}, and this program reads {VERSION}: create "
            "it anew out of 'twinset index export', run by the program that wrote it"
        )
    return connection


def _opened(path: Path) -> sqlite3.Connection:
    if os.access(path.parent, os.W_OK):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        _prepare(connection)
        return connection
    written = path.with_name(f"{path.name}-wal")
    if written.exists() and written.stat().st_size:
        raise ReportError(
            f"{path.parent} holds changes that only somebody who may write there can read: a "
            "program is writing, or was killed; let it end, or run 'twinset index check "
            f"{path.parent}' with the right to write"
        )
    # A file system that cannot be written has no place for SQLite's own files, nor for a writer.
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA busy_timeout = {WAIT}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def facts_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """What the index is made by; ``statistics`` are bytes of a file."""
    rows = dict(connection.execute("SELECT name, value FROM facts"))
    statistics = rows.pop("statistics", None)
    facts: dict[str, Any] = {name: json.loads(value) for name, value in rows.items()}
    return facts | {"statistics": statistics}


def state_of(connection: sqlite3.Connection) -> CatalogueState:
    """How far the index is."""
    row = connection.execute("SELECT generation, next, documents, recent FROM state").fetchone()
    return CatalogueState(*row)


def removals(connection: sqlite3.Connection) -> int:
    """How many documents of packs were removed."""
    return int(connection.execute("SELECT count(*) FROM removed").fetchone()[0])


def list_pack(connection: sqlite3.Connection, name: str, first: int, documents: int) -> None:
    """Let a pack count, inside a transaction."""
    connection.execute("INSERT INTO packs VALUES (?, ?, ?)", (name, first, documents))
    connection.execute("UPDATE state SET generation = generation + 1")


def list_keys(connection: sqlite3.Connection, name: str, rows: int) -> None:
    """Let a file of keys count, inside a transaction."""
    connection.execute("INSERT INTO keys VALUES (?, ?)", (name, rows))
    connection.execute("UPDATE state SET generation = generation + 1")


def unlist(connection: sqlite3.Connection, names: Sequence[str]) -> None:
    """Let files count no more, inside a transaction."""
    for table in ("keys", "packs"):
        rows = [(name,) for name in names]
        connection.executemany(f"DELETE FROM {table} WHERE name = ?", rows)
    connection.execute("UPDATE state SET generation = generation + 1")


def files_of(connection: sqlite3.Connection) -> list[str]:
    """The names of all files that count."""
    packs = connection.execute("SELECT name FROM packs ORDER BY first").fetchall()
    keys = connection.execute("SELECT name FROM keys ORDER BY name").fetchall()
    names = [name for (name,) in [*packs, *keys]]
    if any("/" in name or os.sep in name for name in names):
        raise sqlite3.DatabaseError("it names files outside of its folder")
    return names


def unreadable(place: Path, fault: Exception) -> ReportError:
    """What is said where SQLite cannot read: only a file that it did read can be damaged."""
    if not isinstance(fault, sqlite3.OperationalError) or str(fault).startswith("no such"):
        return damaged(place, fault)
    if shutil.disk_usage(place).free < ROOM:
        return ReportError(
            f"{place} cannot be opened ({fault}): its disk is full, and SQLite needs a little room "
            "to read, too; free some space"
        )
    return ReportError(
        f"{place} cannot be opened ({fault}): look at the disk, and whether you may read and write "
        "the files of the folder"
    )


def damaged(place: Path, fault: object) -> ReportError:
    """What is said of a catalogue that holds something else than it should."""
    return ReportError(
        f"{place} is damaged ({fault}): 'twinset index check {place}' says where; restore it from "
        "a copy"
    )


@contextmanager
def reading(connection: sqlite3.Connection, place: Path) -> Iterator[None]:
    """What is read inside is of one moment; damage to the index at ``place`` is said so."""
    try:
        connection.execute("BEGIN")
        try:
            yield
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    except sqlite3.DatabaseError as fault:
        raise unreadable(place, fault) from None


@contextmanager
def changing(connection: sqlite3.Connection) -> Iterator[None]:
    """Changes that are made whole, and are on the disk afterwards, or not at all."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as fault:
        raise IndexBusyError(
            f"the index is in use by another program that writes to it ({fault}): try again"
        ) from None
    try:
        yield
        connection.execute("COMMIT")
    except BaseException as fault:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(fault, sqlite3.OperationalError | sqlite3.DatabaseError):
            raise TwinsetError(
                f"the index could not be written ({fault}): this step is undone, and what was done "
                "before it stays; free some space where the disk is full, and do it again"
            ) from None
        raise
