"""Connections to PostgreSQL: one for each piece of work at a time, kept for the next one.

What is read is of one moment. What is written counts as a whole once it is committed; two writers
that meet at one id do not wait for a lock that all share: the later one begins again.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from twinset.errors import MissingExtraError, PlanError, ReportError, TwinsetError
from twinset.index.store import (
    DiskFullError,
    IndexBusyError,
    LostConnectionError,
    UnreachableError,
)
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
        begun = time.monotonic()
        while True:
            try:
                connection = psycopg.connect(**self._options, autocommit=True)  # type: ignore[arg-type]
                connection.execute(SETTINGS, [f'"{self.address.schema}"'])
                return connection
            except psycopg.OperationalError as fault:
                if time.monotonic() - begun >= patience_with(fault):
                    raise not_reached(fault, self.address.shown) from None
                time.sleep(0.1)

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

# Seconds that a server which begins or ends may take until it is ready, by what it says, and one
# that is being started anew until it says anything.
RESTARTING = {
    **dict.fromkeys(("is starting up", "in recovery mode", "not yet accepting connections"), 20),
    **dict.fromkeys(("closed the connection unexpectedly", "terminating connection"), 20),
    **dict.fromkeys(("is shutting down", "crash of another server process"), 20),
    **dict.fromkeys(("Connection refused", "No such file or directory"), 5),
}
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
    errors.IndexCorrupted: "the database is damaged ({}): rebuild the index by 'twinset index "
    "compact'",
}
CONFLICTS = (errors.UniqueViolation, errors.SerializationFailure, errors.DeadlockDetected)
"""What a writer meets where another one was quicker."""
DAMAGED = (psycopg.InternalError, psycopg.DataError)
"""What is said of tables that cannot be read."""


def words_of(fault: psycopg.Error) -> str:
    """What the server says, on one line."""
    said = fault.diag.message_primary or str(fault) or type(fault).__name__
    return " ".join(said.split())


def patience_with(fault: psycopg.Error) -> int:
    """Seconds for which a connection is tried: the server may be there in a moment."""
    return max((RESTARTING[each] for each in RESTARTING if each in str(fault)), default=0)


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
