"""An index in PostgreSQL: several servers and programs may read and write at once.

An index is a schema. A document is a row of ``documents``, with the keys it is found by; ``keys``
has a row for each of them. The numbers of documents come out of a sequence and never come again.
Ids are bytes, since a text of PostgreSQL cannot hold every character, and are unique by their
SHA-256, since an index of PostgreSQL cannot hold long ones.

What is read is of one moment. What is written counts as a whole once it is committed; two writers
that meet at one id do not wait for a lock that all share: the later one begins again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import MissingExtraError, PlanError, ReportError, TwinsetError
from twinset.index.contents import VERSION, Contents
from twinset.index.entries import Entries
from twinset.index.store import (
    NO_CROWD,
    Crowd,
    DiskFullError,
    EntriesWritten,
    IndexBusyError,
    KeptDocuments,
    LostConnectionError,
    Numbers,
    Row,
    Sharers,
    UnreachableError,
    read_anew,
    resolve,
    rows_of,
    whole_of,
)
from twinset.model import FeatureLists, Ints
from twinset.model.columns import utf8
from twinset.system.schemes import without_secrets

try:
    import psycopg
    from psycopg import errors
    from psycopg.conninfo import conninfo_to_dict
except ImportError:
    raise MissingExtraError("psycopg", "postgres") from None

Connection = psycopg.Connection[tuple[object, ...]]
Result = TypeVar("Result")

READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITE = "BEGIN ISOLATION LEVEL REPEATABLE READ"
SCHEMA = "twinset"
"""The schema of an index whose address names none."""
NAMED = re.compile(r"(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,62}")
UNLESS_GIVEN = {
    "connect_timeout": "10",
    "application_name": "twinset",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
"""A server that is gone without a word is noticed within a minute."""
SETTINGS = """
SELECT set_config('search_path', %s, false), set_config('client_encoding', 'UTF8', false),
  -- Everything is found by its index, whatever is known of a table that has just been filled.
  set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('lock_timeout', '60s', false),
  -- What is acknowledged is on the disk.
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
"""
ATTEMPTS = 50
TABLES = """
CREATE TABLE facts (name text PRIMARY KEY, value bytea NOT NULL);
CREATE SEQUENCE numbers AS bigint MINVALUE 0 MAXVALUE 4294967293;
CREATE TABLE documents (
    number bigint PRIMARY KEY, digest bigint NOT NULL, size bigint NOT NULL, seal bigint NOT NULL,
    id bytea NOT NULL, keys bigint[] NOT NULL, body bytea NOT NULL
);
CREATE UNIQUE INDEX documents_id ON documents (sha256(id));
CREATE TABLE keys (key bigint, number bigint, PRIMARY KEY (key, number));
CREATE TABLE access (name text PRIMARY KEY, role text NOT NULL, hash text NOT NULL);
-- Neither packed texts nor hashes become smaller.
ALTER TABLE documents ALTER COLUMN keys SET STORAGE EXTERNAL;
ALTER TABLE documents ALTER COLUMN body SET STORAGE EXTERNAL;
"""
SCHEMA_STATE = """
SELECT to_regnamespace(%(schema)s) IS NOT NULL,
  EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(%(schema)s)),
  to_regclass(%(schema)s || '.facts') IS NOT NULL
"""
COPY_DOCUMENTS = """
COPY documents (number, id, digest, size, seal, body, keys) FROM STDIN WITH (FORMAT binary)
"""
# In rising order, so that their index is filled from left to right.
ADD_KEYS = """
INSERT INTO keys SELECT DISTINCT unnest(keys) AS key, number FROM documents
WHERE number = ANY(%s::bigint[]) ORDER BY key
"""
DROP_KEYS = """
DELETE FROM keys USING (
    SELECT number, unnest(keys) AS key FROM documents WHERE number = ANY(%(numbers)s::bigint[])
) AS gone WHERE keys.key = gone.key AND keys.number = gone.number
"""
DROP_DOCUMENTS = "DELETE FROM documents WHERE number = ANY(%(numbers)s::bigint[])"
SEARCH = """
SELECT wanted.row, keys.number, count(*)
FROM unnest(%s::bigint[], %s::integer[]) AS wanted (key, row) JOIN keys USING (key) GROUP BY 1, 2
"""
BY_NUMBER = (
    "SELECT number, id, digest, size, seal, {} FROM documents WHERE number = ANY(%s::bigint[]) "
    "ORDER BY number"
)
BY_ID = "SELECT id, number, digest FROM documents WHERE sha256(id) = ANY(%s)"
NEXT = """
SELECT number, id, digest, size, seal, body FROM documents WHERE number > %s
ORDER BY number LIMIT %s
"""
DAMAGE = {
    "SELECT count(*) FROM keys WHERE NOT EXISTS "
    "(SELECT FROM documents WHERE documents.number = keys.number)": "{:,} keys lead to no document",
    "SELECT count(*) FROM (SELECT DISTINCT number, unnest(keys) AS key FROM documents) AS wanted "
    "WHERE NOT EXISTS (SELECT FROM keys WHERE keys.key = wanted.key "
    "AND keys.number = wanted.number)": "{:,} keys of documents are missing: they are not found",
}
STRETCH = 4096
"""Documents that are read back at a time."""
AT_ONCE = 10_000
"""Documents that are removed by one command."""


class PostgresView:
    """The index as it is at one moment: inside a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _ask(self, question: str, *values: Any) -> list[Any]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(question, values).fetchall()

    def search(self, keys: FeatureLists, crowd: Crowd = NO_CROWD) -> Sharers:
        """The documents that share keys with each row of ``keys``; of a crowd the nearest."""
        wanted = _array_of(keys.flat.view(np.int64))
        rows = self._ask(SEARCH, wanted, _array_of(keys.owners())) if len(keys.flat) else []
        found, numbers, times = np.array(rows, np.int64).reshape(-1, 3).T
        totals = np.bincount(found, minlength=len(keys))
        narrow = numbers.astype(np.uint32), times.astype(np.uint32)
        return Sharers(found.copy(), *narrow, totals).nearest(crowd)

    def fetch(self, numbers: Numbers, with_bodies: bool = True) -> KeptDocuments:
        """Documents, which come by rising numbers."""
        question = BY_NUMBER.format("body" if with_bodies else "NULL::bytea")
        return KeptDocuments.of_rows(_plain(self._ask(question, _array_of(numbers))))

    def known(self, ids: pa.Array) -> dict[int, tuple[int, int]]:
        """For rows whose id is there the number and the digest of that document."""
        names = [name.encode() for name in ids.to_pylist()]
        hashes = [hashlib.sha256(name).digest() for name in names]
        found = {id: (number, digest % 2**64) for id, number, digest in self._ask(BY_ID, hashes)}
        return {row: found[name] for row, name in enumerate(names) if name in found}

    def documents(self, on_fault: Callable[[str], None] | None) -> Iterator[KeptDocuments]:
        """All documents, some thousands at a time, in the order in which they were added."""
        last = -1
        while rows := _plain(self._ask(NEXT, last, STRETCH)):
            last = rows[-1][0]
            yield KeptDocuments.of_rows(whole_of(rows, on_fault))


def _plain(rows: list[Any]) -> list[Row]:
    return [(number, id.decode("utf-8", "replace"), *rest) for number, id, *rest in rows]


def _array_of(values: NDArray[Any]) -> str:
    """Whole numbers as PostgreSQL writes an array."""
    return "{" + ",".join(map(str, values.tolist())) + "}"


class PostgresStore:
    """Keeps entries in a database."""

    def __init__(self, address: str) -> None:
        where = DatabaseAddress.parse(address)
        self.place = where.shown
        self._connections = Connections(where)
        facts = _facts(self._connections, where)
        self.contents = Contents.from_dict(json.loads(facts["contents"]), facts.get("statistics"))

    @classmethod
    def create(cls, address: str, contents: Contents) -> PostgresStore:
        """A new index; its schema is new or empty."""
        where = DatabaseAddress.parse(address)
        facts = {
            "version": str(VERSION).encode(),
            "contents": json.dumps(contents.as_dict()).encode(),
        }
        if (statistics := contents.statistics_file()) is not None:
            facts["statistics"] = statistics
        connections = Connections(where)
        connections.change(lambda connection: _make(connection, where, facts))
        connections.close()
        return cls(address)

    @contextmanager
    def view(self) -> Iterator[PostgresView]:
        """The index as it is now; each view has a connection of its own."""
        with self._connections.reading() as connection:
            yield PostgresView(connection)

    def write(self, entries: Entries, replace: bool) -> EntriesWritten:
        """Take documents in, all or none of them; they are safe when this returns."""
        return self._connections.change(lambda connection: _write(connection, entries, replace))

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        names = utf8([id.encode() for id in dict.fromkeys(ids)])

        def work(connection: Connection) -> int:
            known = PostgresView(connection).known(names)
            return _drop(connection, np.array(sorted(number for number, _ in known.values())))

        return self._connections.change(work)

    def compact(self) -> None:
        """Free the room of what was removed for new documents; others go on meanwhile."""
        with self._connections.outside() as connection:
            connection.execute("VACUUM (ANALYZE) documents, keys")

    @read_anew
    def info(self) -> dict[str, Any]:
        """Counts and sizes."""
        with self._connections.reading() as connection:
            documents, size, version = connection.execute(
                "SELECT (SELECT count(*) FROM documents), "
                "(SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class "
                "WHERE oid = 'facts'::regclass))::bigint, "
                "current_setting('server_version')"
            ).fetchone() or (0, 0, "")
        return {"documents": documents, "bytes": size, "postgresql": version}

    @read_anew
    def check(self) -> list[str]:
        """What is damaged, a sentence each."""
        faults: list[str] = []
        with self._connections.reading() as connection:
            try:
                connection.execute(  # everything is looked at: then indexes are the slower way
                    "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; "
                    "SET LOCAL enable_mergejoin = on; SET LOCAL enable_nestloop = off; "
                    "SET LOCAL plan_cache_mode = auto"
                )
                for question, sentence in DAMAGE.items():
                    [(count,)] = connection.execute(question).fetchall()
                    faults += [sentence.format(count)] if count else []
                for _ in PostgresView(connection).documents(faults.append):
                    pass
            except DAMAGED as fault:
                said = words_of(fault)
                return [f"the database cannot be read ({said}): restore it from a copy"]
        return faults

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[KeptDocuments]:
        """All documents as they are now, some thousands at a time, in the order of addition.

        With ``on_fault`` what is damaged is passed over, and said.
        """
        with self.view() as view:
            yield from view.documents(on_fault)

    @read_anew
    def roles(self) -> dict[str, tuple[str, str]]:
        """The keys of the service: role and hash by name."""
        with self._connections.reading() as connection:
            rows: Any = connection.execute("SELECT name, role, hash FROM access").fetchall()
        return {name: (role, hashed) for name, role, hashed in sorted(rows)}

    def set_role(self, name: str, role: str | None, hashed: str = "") -> bool:
        """Add a key of the service, or take it back where ``role`` is None; whether it changed."""
        drop = "DELETE FROM access WHERE name = %(name)s"
        add = "INSERT INTO access VALUES (%(name)s, %(role)s, %(hash)s) ON CONFLICT DO NOTHING"
        values = {"name": name, "role": role, "hash": hashed}
        return self._connections.change(
            lambda connection: (
                connection.execute(drop if role is None else add, values).rowcount > 0
            )
        )

    def close(self) -> None:
        """Let go of connections."""
        self._connections.close()


def _state(connection: Connection, where: DatabaseAddress) -> tuple[Any, ...]:
    """Whether the schema is there, whether it has anything in it, and whether that is an index."""
    state = connection.execute(SCHEMA_STATE, {"schema": f'"{where.schema}"'}).fetchone()
    return state or (False, False, False)


def _make(connection: Connection, where: DatabaseAddress, facts: dict[str, bytes]) -> None:
    there, filled, index = _state(connection, where)
    if filled:
        what = "an index" if index else "a schema with something else in it"
        raise ReportError(
            f"{where.shown} has {what} of the name {where.schema} already: name another one by "
            "?index=NAME"
        )
    if not there:
        connection.execute(f'CREATE SCHEMA "{where.schema}"')
    connection.execute(TABLES)
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO facts VALUES (%s, %s)", list(facts.items()))


@read_anew
def _facts(connections: Connections, where: DatabaseAddress) -> dict[str, bytes]:
    with connections.reading() as connection:
        _, _, index = _state(connection, where)
        if not index:
            raise ReportError(
                f"{where.shown} has no index of the name {where.schema}: name one by ?index=NAME, "
                "or make it with 'twinset index create'"
            )
        rows: Any = connection.execute("SELECT name, value FROM facts").fetchall()
    facts = dict(rows)
    version = facts.get("version", b"?").decode()
    if version != str(VERSION):
        raise ReportError(
            f"{where.shown} is an index of format {version}, and this program reads {VERSION}: "
            "create it anew out of 'twinset index export', run by the program that wrote it"
        )
    return facts


def _write(connection: Connection, entries: Entries, replace: bool) -> EntriesWritten:
    known = PostgresView(connection).known(entries.ids)
    rows, gone, written = resolve(entries.ids, entries.digests, known, replace)
    new = entries.take(rows)
    _drop(connection, gone)
    if len(new):
        given = connection.execute(
            "SELECT nextval('numbers') FROM generate_series(1, %s)", [len(new)]
        ).fetchall()
        numbers = np.array(given, np.int64).reshape(-1).astype(np.uint32)
        with connection.cursor() as cursor, cursor.copy(COPY_DOCUMENTS) as copy:
            copy.set_types(["int8", "bytea", "int8", "int8", "int8", "bytea", "int8[]"])
            keys = (some.view(np.int64).tolist() for some in new.keys)
            for (number, id, *rest), some in zip(rows_of(new, numbers), keys, strict=True):
                copy.write_row((number, id.encode(), *rest, some))
        connection.execute(ADD_KEYS, [_array_of(numbers)])
    return written


def _drop(connection: Connection, numbers: Ints) -> int:
    """Take documents out; how many."""
    dropped = 0
    for begin in range(0, len(numbers), AT_ONCE):
        some = {"numbers": _array_of(numbers[begin : begin + AT_ONCE])}
        connection.execute(DROP_KEYS, some)
        dropped += connection.execute(DROP_DOCUMENTS, some).rowcount
    return dropped


# connections: one for each piece of work at a time, kept for the next one


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where an index is: what libpq takes, the schema, and the same to be shown."""

    server: str
    schema: str
    shown: str

    @classmethod
    def parse(cls, text: str) -> DatabaseAddress:
        """``postgresql://user@host/database?index=NAME``, and whatever else libpq knows."""
        shown = without_secrets(text)
        if shown.endswith("://***"):
            raise unreadable(shown, "it has other parts than postgresql://USER@HOST/DATABASE")
        server, _, query = text.partition("?")
        options = parse_qsl(query, keep_blank_values=True)
        names = [value for name, value in options if name == "index"] or [SCHEMA]
        rest = urlencode([pair for pair in options if pair[0] != "index"], quote_via=quote)
        if not NAMED.fullmatch(names[-1]):
            raise PlanError(
                [
                    f"index={names[-1]} in {shown} is no name of an index: take up to 63 Latin "
                    "letters, digits, - and _, a letter first, and not pg_"
                ]
            )
        return cls(f"{server}?{rest}" if rest else server, names[-1], shown)


def unreadable(shown: str, fault: str) -> PlanError:
    """What is said of an address, without the parts that may be secret."""
    return PlanError(
        [
            f"{shown} is no address of a database ({fault}): in its user and password write "
            "%20 for a blank, %25 for %, %2F for /, %3F for ? and %40 for @; options have the "
            "names that libpq knows"
        ]
    )


class Connections:
    """Shared by the threads of a program."""

    def __init__(self, address: DatabaseAddress) -> None:
        self.address = address
        try:
            self._options = {**UNLESS_GIVEN, **conninfo_to_dict(address.server)}
        except psycopg.ProgrammingError as fault:
            # What it quotes may be a part of a password.
            raise unreadable(address.shown, re.split('[":]', str(fault))[0].strip()) from None
        self._guard = threading.Lock()
        self._idle: list[Connection] = []
        self._process = os.getpid()

    # one connection

    def _connect(self) -> Connection:
        try:
            connection = psycopg.connect(**self._options, autocommit=True)  # type: ignore[arg-type]
            connection.execute(SETTINGS, [f'"{self.address.schema}"'])
            return connection
        except psycopg.OperationalError as fault:
            raise not_reached(fault, self.address.shown) from None

    def _take(self) -> tuple[Connection, bool]:
        """A connection, and whether it is new."""
        with self._guard:
            if self._process != os.getpid():  # those of the parent are not ours
                self._idle, self._process = [], os.getpid()
            if self._idle:
                return self._idle.pop(), False
        return self._connect(), True

    def _give(self, connection: Connection) -> None:
        """Keep a connection for the next one that needs it."""
        try:
            connection.rollback()
        except psycopg.Error:
            connection.close()
        if not connection.closed:
            with self._guard:
                self._idle.append(connection)

    def _begun(self, begin: str) -> Connection:
        """A connection with a transaction; others that a server has ended meanwhile are left."""
        while True:
            connection, new = self._take()
            try:
                connection.execute(begin)
            except psycopg.OperationalError:
                connection.close()
                if new:
                    raise
            else:
                return connection

    def close(self) -> None:
        """End the connections that nobody uses."""
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(psycopg.Error):
                connection.close()

    # what is done with them

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """What is read inside is of one moment."""
        with self._translated():
            connection = self._begun(READ)
            try:
                yield connection
            finally:
                self._give(connection)

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """For commands that run in no transaction."""
        with self._translated():
            connection = self._connect()
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as fault:
            raise sentence_of(fault, self.address.shown) from None

    def change(self, work: Callable[[Connection], Result]) -> Result:
        """Do work as one change, which is on the disk afterwards, or not at all.

        It begins again where another writer was quicker, and once where the connection is lost
        before the change was to be made.
        """
        lost = False
        for _ in range(ATTEMPTS):
            with self._translated():
                connection = self._begun(WRITE)
                try:
                    try:
                        result = work(connection)
                    except CONFLICTS:
                        continue
                    except psycopg.OperationalError as fault:
                        if lost or not is_lost(fault):
                            raise
                        lost = True
                        continue
                    self._commit(connection)
                    return result
                finally:
                    self._give(connection)
        raise IndexBusyError(
            f"{self.address.shown}: other programs change the same documents all the time: try "
            "again later"
        )

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except psycopg.OperationalError as fault:
            if is_lost(fault):
                raise unknown_outcome(fault, self.address.shown) from None
            raise


# what PostgreSQL says, as sentences with a remedy

# Connections that fail have no code: these are the words of servers that speak English.
REFUSED = {
    "too many": "try again later, or raise the limit of connections (max_connections of the "
    "server, CONNECTION LIMIT of the database or the user)",
    "remaining connection slots": "try again later, or raise max_connections of the server",
    "not permitted to log in": "let it by ALTER ROLE ... LOGIN, or name another user",
    "permission denied": "grant the user CONNECT on the database",
    "password": "check the user and the password (in the address, PGPASSWORD or ~/.pgpass)",
    "authentication": "check the user, and what pg_hba.conf of the server asks for",
    "pg_hba.conf": "let pg_hba.conf of the server admit this user from here",
    "database": "create it with createdb, or name another",
    "role": "create the user with createuser, or name another",
    "shutting down": "try again when it is back",
    "starting up": "try again when it is ready",
}
NOT_THERE = "check host and port, and that the server runs"
SENTENCES: dict[type[psycopg.Error], str] = {
    errors.OutOfMemory: "the database has too little memory ({}): nothing was changed",
    errors.InsufficientPrivilege: "the database does not allow it ({}): grant the user the rights",
    errors.ReadOnlySqlTransaction: "the database takes no changes ({}): a standby can be asked, "
    "but documents are added and removed at its primary",
    errors.SequenceGeneratorLimitExceeded: "the index has given out all its numbers ({}): create "
    "it anew out of 'twinset index export'",
    errors.UndefinedTable: "the index is not whole, or has been dropped ({}): create it anew",
    errors.QueryCanceled: "the database has stopped the question ({}): raise its statement_timeout",
    errors.DataCorrupted: "the database is damaged ({}): restore it from a copy",
    errors.IndexCorrupted: "the database is damaged ({}): rebuild its indexes by REINDEX",
}
CONFLICTS = (errors.UniqueViolation, errors.SerializationFailure, errors.DeadlockDetected)
"""What a writer meets where another one was quicker."""
DAMAGED = (psycopg.InternalError, psycopg.DataError)
"""What is said of tables that cannot be read."""


def words_of(fault: psycopg.Error) -> str:
    """What the server says, on one line."""
    said = fault.diag.message_primary or str(fault) or type(fault).__name__
    return " ".join(said.split())


def is_lost(fault: psycopg.Error) -> bool:
    """Whether a connection has ended, by the server's will or without a word."""
    ended = (fault.sqlstate or "57P").startswith(("57P", "08"))
    return isinstance(fault, psycopg.OperationalError) and ended


def not_reached(fault: psycopg.Error, place: str) -> TwinsetError:
    """Why there is no connection."""
    words = words_of(fault).removeprefix("connection failed: ")
    said = words.partition("FATAL: ")[2].strip()
    remedy = next((REFUSED[each] for each in REFUSED if each in said), NOT_THERE)
    return UnreachableError(f"{place} cannot be reached ({said or words}): {remedy}")


def sentence_of(fault: psycopg.Error, place: str) -> TwinsetError:
    """Any other fault."""
    words = words_of(fault)
    if isinstance(fault, (*CONFLICTS, errors.LockNotAvailable)):
        return IndexBusyError(
            f"{place} is being changed by another program ({words}): try again later"
        )
    if isinstance(fault, errors.DiskFull):
        return DiskFullError(
            f"{place}: the disk of the database is full ({words}): nothing was changed; make room "
            "there"
        )
    for kind, sentence in SENTENCES.items():
        if isinstance(fault, kind):
            return ReportError(f"{place}: {sentence.format(words)}")
    if is_lost(fault):
        return LostConnectionError(f"{place}: the connection was lost ({words}): try again")
    return TwinsetError(f"{place}: the database refuses ({words})")


def unknown_outcome(fault: psycopg.Error, place: str) -> TwinsetError:
    """A connection that was lost while a change was made."""
    return TwinsetError(
        f"{place}: the connection was lost while a change was made ({words_of(fault)}), and nobody "
        "knows whether it is: do it again, since what is there already is left alone"
    )
