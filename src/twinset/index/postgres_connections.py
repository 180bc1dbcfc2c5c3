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
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from twinset.errors import MissingExtraError, PlanError
from twinset.index.store import IndexBusyError
from twinset.lazy_dataclass import dataclass

try:
    import psycopg
    from psycopg import errors
    from psycopg.conninfo import conninfo_to_dict
except ImportError:
    raise MissingExtraError("psycopg", "postgres") from None

from twinset.index.postgres_faults import (
    CONFLICTS,
    is_starting,
    not_reached,
    sentence_of,
    unknown_outcome,
)

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
STARTING = 20.0
"""Seconds that a server may take until it is ready, after its own crash for example."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where an index is: what libpq takes, the schema, and the same to be shown."""

    server: str
    schema: str
    shown: str

    @classmethod
    def parse(cls, text: str) -> DatabaseAddress:
        """``postgresql://user@host/database?index=NAME``, and whatever else libpq knows."""
        server, _, query = text.partition("?")
        options = parse_qsl(query, keep_blank_values=True)
        names = [value for name, value in options if name == "index"] or [SCHEMA]
        rest = urlencode([pair for pair in options if pair[0] != "index"], quote_via=quote)
        hidden = [pair for pair in options if pair[0] not in ("password", "sslpassword")]
        shown = re.sub(r"^(\w+://[^:/@]*):[^/]*@", r"\1@", server)
        if hidden:
            shown += "?" + urlencode(hidden, quote_via=quote, safe="/")
        if not NAMED.fullmatch(names[-1]):
            raise PlanError(
                [
                    f"index={names[-1]} in {shown} is no name of an index: take up to 63 Latin "
                    "letters, digits, - and _, a letter first, and not pg_"
                ]
            )
        return cls(f"{server}?{rest}" if rest else server, names[-1], shown)


class Connections:
    """Shared by the threads of a program."""

    def __init__(self, address: DatabaseAddress) -> None:
        self.address = address
        try:
            self._options = {**UNLESS_GIVEN, **conninfo_to_dict(address.server)}
        except psycopg.ProgrammingError as fault:
            raise PlanError(
                [f"{address.shown} is no address of a database: {str(fault).strip()}"]
            ) from None
        self._guard = threading.Lock()
        self._idle: list[Connection] = []
        self._process = os.getpid()

    # one connection

    def _connect(self) -> Connection:
        until = time.monotonic() + STARTING
        while True:
            try:
                connection = psycopg.connect(**self._options, autocommit=True)  # type: ignore[arg-type]
                connection.execute(SETTINGS, [f'"{self.address.schema}"'])
                return connection
            except psycopg.OperationalError as fault:
                if not is_starting(fault) or time.monotonic() > until:
                    raise not_reached(fault, self.address.shown) from None
                time.sleep(0.1)
            except psycopg.Error as fault:
                raise sentence_of(fault, self.address.shown) from None

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
        connection, new = self._take()
        try:
            connection.execute(begin)
        except psycopg.OperationalError as fault:
            connection.close()
            if new:
                raise sentence_of(fault, self.address.shown) from None
            self.close()
            connection = self._connect()
            connection.execute(begin)
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
                    except psycopg.OperationalError:
                        if lost or not connection.broken:
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
            if connection.broken or isinstance(fault, errors.AdminShutdown):
                raise unknown_outcome(fault, self.address.shown) from None
            raise
