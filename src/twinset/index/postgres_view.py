"""What readers see of an index in PostgreSQL: a transaction, which is of one moment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.index.postgres_connections import Connection
from twinset.index.recent import kept
from twinset.index.store import KeptDocuments, Numbers
from twinset.model import FeatureLists, Ints

STRETCH = 4096
"""Documents that are read back at a time."""
SEARCH = """
SELECT DISTINCT wanted.row, keys.number
FROM unnest(%s::bigint[], %s::integer[]) AS wanted (key, row) JOIN keys USING (key) ORDER BY 1, 2
"""
BY_NUMBER = (
    "SELECT id, digest, size, {} FROM documents WHERE number = ANY(%s::bigint[]) ORDER BY number"
)
BY_ID = "SELECT id, number, digest FROM documents WHERE sha256(id) = ANY(%s)"
NEXT = """
SELECT number, id, digest, size, body FROM documents WHERE number > %s ORDER BY number LIMIT %s
"""


class PostgresView:
    """The index as it is at one moment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _ask(self, question: str, *values: Any) -> list[Any]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(question, values).fetchall()

    def search(self, keys: FeatureLists) -> tuple[Ints, Numbers]:
        """Rows of ``keys`` and the documents that share a key with them, each pair once, sorted."""
        wanted = array_of(keys.flat.view(np.int64))
        rows = self._ask(SEARCH, wanted, array_of(keys.owners())) if len(keys.flat) else []
        pairs = np.array(rows, np.int64).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].astype(np.uint32)

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        question = BY_NUMBER.format("body" if with_bodies else "NULL::bytea")
        return _kept(self._ask(question, array_of(numbers)))

    def numbers_of(self, ids: pa.Array) -> Ints:
        """The numbers of the documents with these ids; -1 where there is none."""
        numbers = np.full(len(ids), -1, np.int64)
        for row, (number, _) in self.known(ids).items():
            numbers[row] = number
        return numbers

    def known(self, ids: pa.Array) -> dict[int, tuple[int, int]]:
        """For rows whose id is there the number and the digest of that document."""
        names = [name.encode() for name in ids.to_pylist()]
        hashes = [hashlib.sha256(name).digest() for name in names]
        found = {id: (number, digest % 2**64) for id, number, digest in self._ask(BY_ID, hashes)}
        return {row: found[name] for row, name in enumerate(names) if name in found}

    def stretches(self) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        last = -1
        while rows := self._ask(NEXT, last, STRETCH):
            yield _kept([row[1:] for row in rows])
            last = rows[-1][0]


def _kept(rows: Sequence[tuple[bytes, int, int, bytes | None]]) -> KeptDocuments:
    return kept([(id.decode(), digest, size, body) for id, digest, size, body in rows])


def array_of(values: NDArray[Any]) -> str:
    """Whole numbers as PostgreSQL writes an array."""
    return "{" + ",".join(map(str, values.tolist())) + "}"
