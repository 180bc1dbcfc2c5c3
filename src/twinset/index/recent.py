"""Recent documents: those that came a few at a time and lie in the catalogue itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np

from twinset.index.entries import Entries, id_keys
from twinset.index.store import KeptDocuments, Numbers
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.model.columns import utf8

AT_ONCE = 500
"""Keys that are asked for in one question, since SQLite has a limit; documents that are read."""


def insert(connection: sqlite3.Connection, entries: Entries, numbers: Numbers) -> None:
    """Documents into the catalogue, inside a transaction."""
    digests, sizes = entries.digests.view(np.int64).tolist(), entries.sizes.tolist()
    bodies = (body.tobytes() for body in entries.bodies)
    rows = zip(numbers.tolist(), entries.ids.to_pylist(), digests, sizes, bodies, strict=True)
    connection.executemany("INSERT INTO recent VALUES (?, ?, ?, ?, ?)", rows)
    keys = np.concatenate([entries.keys.flat, id_keys(entries.ids)]).view(np.int64)
    owners = np.concatenate([np.repeat(numbers, entries.keys.lengths), numbers])
    connection.executemany(
        "INSERT OR IGNORE INTO recent_keys VALUES (?, ?)",
        zip(keys.tolist(), owners.tolist(), strict=True),
    )


def recent_entries(connection: sqlite3.Connection) -> Iterator[tuple[Entries, Numbers]]:
    """The recent documents by rising numbers, some at a time; their keys are elsewhere."""
    asked = connection.execute("SELECT number, id, digest, size, body FROM recent ORDER BY number")
    while rows := asked.fetchmany(AT_ONCE):
        held = kept([row[1:] for row in rows])
        numbers = np.array([row[0] for row in rows], np.uint32)
        nothing: FeatureLists = Ragged(np.empty(0, np.uint64), np.zeros(len(rows) + 1, np.int64))
        ids = utf8([id.encode() for id in held.ids])
        yield Entries(ids, held.digests, held.sizes, nothing, held.bodies), numbers


def recent_keys(connection: sqlite3.Connection) -> tuple[Features, Numbers]:
    """The keys of all recent documents."""
    # row by row: a list of some hundred thousand would stay in the memory of a service
    found = np.fromiter(
        connection.execute("SELECT key, number FROM recent_keys"),
        np.dtype([("key", np.int64), ("number", np.int64)]),
    )
    return found["key"].copy().view(np.uint64), found["number"].astype(np.uint32)


def search_recent(connection: sqlite3.Connection, wanted: Features) -> tuple[Ints, Numbers]:
    """Rows of ``wanted``, and the recent documents that have these keys."""
    asked, found = sorted({*wanted.view(np.int64).tolist()}), []
    for begin in range(0, len(asked), AT_ONCE):
        some = asked[begin : begin + AT_ONCE]
        marks = ",".join("?" * len(some))
        found += connection.execute(
            f"SELECT key, number FROM recent_keys WHERE key IN ({marks})", some
        ).fetchall()
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    order = np.argsort(wanted, kind="stable")
    ordered = wanted[order]
    table = np.array(found, np.int64)
    keys = table[:, 0].copy().view(np.uint64)
    first, last = np.searchsorted(ordered, keys), np.searchsorted(ordered, keys, "right")
    times = last - first
    places = np.repeat(first, times) + np.arange(times.sum())
    places -= np.repeat(np.cumsum(times) - times, times)
    return order[places], np.repeat(table[:, 1], times).astype(np.uint32)


def fetch_recent(
    connection: sqlite3.Connection, numbers: Numbers, with_bodies: bool
) -> KeptDocuments:
    """Recent documents by their numbers."""
    question = f"SELECT id, digest, size, {'body' if with_bodies else 'NULL'} FROM recent"
    rows = [
        connection.execute(f"{question} WHERE number = ?", (number,)).fetchone()
        for number in numbers.tolist()
    ]
    if None in rows:
        raise sqlite3.DatabaseError("keys name documents that are not there")
    return kept(rows)


def drop_recent(connection: sqlite3.Connection, numbers: Ints) -> Ints:
    """Take documents out, inside a transaction; those that are not among the recent ones."""
    gone = [
        number
        for number in numbers.tolist()
        if connection.execute("DELETE FROM recent WHERE number = ?", (number,)).rowcount
    ]
    if gone:
        keys, owners = recent_keys(connection)
        inside = np.isin(owners, gone)
        rows = zip(keys[inside].view(np.int64).tolist(), owners[inside].tolist(), strict=True)
        connection.executemany("DELETE FROM recent_keys WHERE key = ? AND number = ?", rows)
    return np.setdiff1d(numbers, gone)


def kept(rows: Sequence[tuple[str, int, int, bytes | None]]) -> KeptDocuments:
    """Rows of id, digest, size and body as columns."""
    bodies = [row[3] or b"" for row in rows]
    return KeptDocuments(
        [row[0] for row in rows],
        np.array([row[1] for row in rows], np.int64).view(np.uint64),
        np.array([row[2] for row in rows], np.uint32),
        Ragged.from_lengths(np.frombuffer(b"".join(bodies), np.uint8), map(len, bodies)),
    )
