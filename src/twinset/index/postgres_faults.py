"""What PostgreSQL says, as sentences with a remedy."""

from __future__ import annotations

import psycopg
from psycopg import errors

from twinset.errors import ReportError, TwinsetError
from twinset.index.store import IndexBusyError

STARTING = (
    *("is starting up", "in recovery mode", "not yet accepting connections"),
    *("closed the connection unexpectedly", "crash of another server process"),
)
# Connections that fail have no code: these are the words of servers that speak English.
REFUSED = {
    "password": "check the user and the password (in the address, PGPASSWORD or ~/.pgpass)",
    "authentication": "check the user, and what pg_hba.conf of the server asks for",
    "pg_hba.conf": "let pg_hba.conf of the server admit this user from here",
    "database": "create it with createdb, or name another",
    "role": "create the user with createuser, or name another",
    "too many clients": "try again later, or raise max_connections of the server",
    "remaining connection slots": "try again later, or raise max_connections of the server",
    "shutting down": "try again when it is back",
}
NOT_THERE = "check host and port, and that the server runs"
SENTENCES: dict[type[psycopg.Error], str] = {
    errors.DiskFull: "the disk of the database is full ({}): nothing was changed; make room there",
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


def is_starting(fault: psycopg.Error) -> bool:
    """Whether the server will be there in a moment."""
    return any(each in str(fault) for each in STARTING)


def not_reached(fault: psycopg.Error, place: str) -> TwinsetError:
    """Why there is no connection."""
    words = words_of(fault).removeprefix("connection failed: ")
    said = words.partition("FATAL: ")[2].strip()
    remedy = next((REFUSED[each] for each in REFUSED if each in said), NOT_THERE)
    return TwinsetError(f"{place} cannot be reached ({said or words}): {remedy}")


def sentence_of(fault: psycopg.Error, place: str) -> TwinsetError:
    """Any other fault."""
    words = words_of(fault)
    if isinstance(fault, (*CONFLICTS, errors.LockNotAvailable)):
        return IndexBusyError(
            f"{place} is being changed by another program ({words}): try again later"
        )
    for kind, sentence in SENTENCES.items():
        if isinstance(fault, kind):
            return ReportError(f"{place}: {sentence.format(words)}")
    if isinstance(fault, psycopg.OperationalError):
        return TwinsetError(f"{place}: the database does not answer ({words}): try again")
    return TwinsetError(f"{place}: the database refuses ({words})")


def unknown_outcome(fault: psycopg.Error, place: str) -> TwinsetError:
    """A connection that was lost while a change was made."""
    return TwinsetError(
        f"{place}: the connection was lost while a change was made ({words_of(fault)}), and nobody "
        "knows whether it is: do it again, since what is there already is left alone"
    )
