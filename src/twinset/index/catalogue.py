"""The catalogue of an index in a folder: an SQLite file with the documents, and what else counts.

A transaction is on the disk when it ends. What is kept here has seals, digests that are compared
whenever it is read: SQLite itself looks at its own structure alone. Nothing is changed, and sealed
anew, that was not whole before.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import MissingReportError, ReportError, TwinsetError
from twinset.index.contents import VERSION
from twinset.index.key_files import ListedKeys
from twinset.index.store import DiskFullError, IndexBusyError

NAME = "index.sqlite"
WAIT = 60.0
"""Seconds that a writer waits for another one."""
ROOM = 1 << 16
"""Bytes of a disk that SQLite needs beside a catalogue which is read: it shares 32 KB."""
TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE state (
    only INTEGER PRIMARY KEY CHECK (only = 1), generation INTEGER NOT NULL,
    next INTEGER NOT NULL, documents INTEGER NOT NULL, settled INTEGER NOT NULL,
    removed INTEGER NOT NULL, files INTEGER NOT NULL, seal INTEGER NOT NULL
);
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, digest INTEGER NOT NULL, size INTEGER NOT NULL,
    seal INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE TABLE recent (number INTEGER PRIMARY KEY, keys BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE keys (
    name TEXT PRIMARY KEY, rows INTEGER NOT NULL, bits INTEGER NOT NULL, digest INTEGER NOT NULL
);
CREATE TABLE removed (
    place INTEGER PRIMARY KEY AUTOINCREMENT, numbers BLOB NOT NULL, seal INTEGER NOT NULL
);
CREATE TABLE access (name TEXT PRIMARY KEY, role TEXT NOT NULL, hash TEXT NOT NULL);
"""
PAGE = 1 << 14
"""Bytes of a page of SQLite: of 4 KB, as is usual, a third would be left empty by packed texts."""


MAPPED = 1 << 40
"""Bytes of the catalogue that are mapped into memory, so that a question copies no pages."""


class CatalogueState(NamedTuple):
    """How far the index is: ``next`` is the number of the next document.

    The keys of documents below ``settled`` are in files, and ``files`` is the seal of their list.
    ``generation`` changes with these files and with what was ``removed`` since they were merged.
    """

    generation: int = 0
    next: int = 0
    documents: int = 0
    settled: int = 0
    removed: int = 0
    files: int = 0


def is_index_folder(folder: str | os.PathLike[str]) -> bool:
    """Whether there is an index in a folder."""
    return (Path(folder) / NAME).is_file()


def create(folder: Path, facts: dict[str, bytes]) -> None:
    """A new catalogue with these facts."""
    connection = sqlite3.connect(folder / NAME, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        _prepare(connection)
        connection.executescript(f"BEGIN;{TABLES}PRAGMA user_version = {VERSION};")
        rows = ((name, value, seal_of(name, value)) for name, value in facts.items())
        connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", rows)
        connection.execute("INSERT INTO state VALUES (1, 0, 0, 0, 0, 0, 0, 0)")
        put(connection, CatalogueState(files=seal_of([])))
        connection.execute("COMMIT")
    finally:
        connection.close()


def connect(folder: Path) -> sqlite3.Connection:
    """A connection to the catalogue, whose format is checked."""
    path = folder / NAME
    if not path.is_file():
        raise MissingReportError(
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
    connection.execute(f"PRAGMA busy_timeout = {round(WAIT * 1000)}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA mmap_size = {MAPPED}")


def seal_of(*values: Any) -> int:
    """A digest of plain values, as SQLite holds it; that of bytes stands for these."""
    plain = [digest_of(each) if isinstance(each, bytes) else each for each in values]
    return digest_of(repr(plain).encode("utf-8", "surrogatepass"))


def digest_of(data: bytes) -> int:
    """A digest of bytes, as SQLite holds it."""
    digest = _kernels.Digest()
    digest.update(np.frombuffer(data, np.uint8))
    return digest.value() - (1 << 63)


def ensure_sealed(what: str, seal: object, *values: Any) -> None:
    """Raise where values are not those that were sealed."""
    if seal != seal_of(*values):
        raise sqlite3.DatabaseError(f"{what} not what was written")


def facts_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """What the index is made by; ``statistics`` are bytes of a file."""
    facts: dict[str, Any] = {"statistics": None}
    for name, value, seal in connection.execute("SELECT name, value, seal FROM facts"):
        ensure_sealed("its plan or word counts are", seal, name, value)
        facts[name] = value if name == "statistics" else json.loads(value)
    return facts


def state_of(connection: sqlite3.Connection) -> CatalogueState:
    """How far the index is."""
    return _unsealed(connection.execute("SELECT * FROM state").fetchone())


@lru_cache(maxsize=16)  # every question asks for it
def _unsealed(row: tuple[Any, ...] | None) -> CatalogueState:
    _, *values, seal = row or (None, None)
    ensure_sealed("its counts are", seal, *values)
    return CatalogueState(*values)


def put(connection: sqlite3.Connection, state: CatalogueState) -> None:
    """Note how far the index is."""
    connection.execute(
        "UPDATE state SET (generation, next, documents, settled, removed, files, seal) = "
        "(?, ?, ?, ?, ?, ?, ?)",
        (*state, seal_of(*state)),
    )


def removed_since(connection: sqlite3.Connection, place: int) -> tuple[NDArray[np.uint32], int]:
    """The documents that were removed behind a place of the list, and its last place."""
    numbers, last = [np.empty(0, np.uint32)], place
    question = "SELECT place, numbers, seal FROM removed WHERE place > ? ORDER BY place"
    for at, some, seal in connection.execute(question, (place,)):
        ensure_sealed("its list of what was removed is", seal, some)
        numbers.append(np.frombuffer(some, np.uint32))
        last = at
    return np.concatenate(numbers), last


def listed(connection: sqlite3.Connection, state: CatalogueState) -> list[ListedKeys]:
    """The files of keys that count."""
    rows = connection.execute("SELECT * FROM keys ORDER BY name").fetchall()
    ensure_sealed("its list of files is", state.files, rows)
    return [ListedKeys(*row) for row in rows]


def empty_log(connection: sqlite3.Connection) -> None:
    """Bring all changes into the catalogue itself.

    The log stays for now where somebody reads, or the disk is full.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(f"PRAGMA busy_timeout = {round(WAIT * 1000)}")


def unreadable(place: Path, fault: Exception) -> ReportError:
    """What is said where SQLite cannot read: only a file that it did read can be damaged."""
    told = "no such", "Could not decode"
    if not isinstance(fault, sqlite3.OperationalError) or str(fault).startswith(told):
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
def said(place: Path) -> Iterator[None]:
    """Damage to the index at ``place`` is said in a sentence."""
    try:
        yield
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
        if isinstance(fault, sqlite3.OperationalError):
            kind = DiskFullError if "disk is full" in str(fault) else TwinsetError
            raise kind(
                f"the index could not be written ({fault}): this step is undone, and what was done "
                "before it stays; free some space where the disk is full, and do it again"
            ) from None
        raise
