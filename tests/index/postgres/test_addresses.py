"""Addresses of indexes in a database: what is taken apart, and what is never shown."""

from __future__ import annotations

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed")

from twinset.errors import PlanError
from twinset.index.index import open_store
from twinset.index.postgres_connections import Connections, DatabaseAddress


@pytest.mark.parametrize(
    ("text", "server", "schema"),
    [
        ("postgresql://host/db", "postgresql://host/db", "twinset"),
        ("postgresql://host/db?index=pages", "postgresql://host/db", "pages"),
        (
            "postgres://u:p%40w@a:1,b:2/db?sslmode=require&index=p-1&host=/run/x",
            "postgres://u:p%40w@a:1,b:2/db?sslmode=require&host=%2Frun%2Fx",
            "p-1",
        ),
        ("postgresql:///db?user=a%20b", "postgresql:///db?user=a%20b", "twinset"),
    ],
)
def test_the_index_is_named_by_the_address(text: str, server: str, schema: str) -> None:
    address = DatabaseAddress.parse(text)
    assert (address.server, address.schema) == (server, schema)
    Connections(address)  # libpq understands the rest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:secret@host/db", "postgresql://u@host/db"),
        ("postgresql://u:secret@host/db?index=a", "postgresql://u@host/db?index=a"),
        ("postgresql://u:se@cret@host/db", "postgresql://u@host/db"),
        ("postgresql://host/db?password=secret&host=/run", "postgresql://host/db?host=/run"),
    ],
)
def test_a_password_is_never_shown(text: str, shown: str) -> None:
    assert DatabaseAddress.parse(text).shown == shown


@pytest.mark.parametrize("name", ["", "1st", "pg_own", "a b", "x" * 64, 'a"b', "a;b"])
def test_a_name_that_no_schema_can_have_is_refused(name: str) -> None:
    with pytest.raises(PlanError, match="is no name of an index"):
        open_store(f"postgresql://host/db?index={name}")


def test_an_option_that_libpq_does_not_know_is_refused() -> None:
    with pytest.raises(PlanError, match=r"is no address of a database: .*colour"):
        open_store("postgresql://u:secret@host/db?colour=red")
