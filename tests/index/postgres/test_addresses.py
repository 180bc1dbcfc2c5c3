"""Addresses of indexes in a database: what is taken apart, and what is never shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed")

import twinset
from twinset.errors import PlanError, TwinsetError
from twinset.index import Index
from twinset.index.local import open_store
from twinset.index.postgres import Connections, DatabaseAddress


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
        ("postgresql://host/db?password=secret&host=/run", "postgresql://host/db?host=/run"),
        ("postgresql://u:secret@[::1]:5,b/db?sslmode=a", "postgresql://u@[::1]:5,b/db?sslmode=a"),
    ],
)
def test_a_password_is_never_shown(text: str, shown: str) -> None:
    assert DatabaseAddress.parse(text).shown == shown


@pytest.mark.parametrize(
    "address",
    [
        *(f"postgresql://u:{word}@host/db" for word in ("cret%zz", "a cret", "a/cret", "a?cret")),
        *(f"postgresql://u:{word}@host/db?index=a" for word in ("a@cret", "cret@a")),
        *(f"postgresql://host/db?{word}" for word in ("Password=cret", "password=a&cret=1")),
        *(f"{scheme}u:cret@host/db" for scheme in ("postgress://", "POSTGRES://")),
        *("http://u:cret@host", "postgress://u:a/cret@host"),
    ],
)
@pytest.mark.parametrize(
    "work", [Index.open, Index.create, lambda place: twinset.find({"a": "b"}, against=place)]
)
def test_an_address_that_is_odd_is_refused_without_its_password(
    address: str, work: Callable[..., Any]
) -> None:
    with pytest.raises(TwinsetError) as fault:
        work(address)
    assert "cret" not in str(fault.value)


@pytest.mark.parametrize("name", ["", "1st", "pg_own", "a b", "x" * 64, 'a"b', "a;b"])
def test_a_name_that_no_schema_can_have_is_refused(name: str) -> None:
    with pytest.raises(PlanError, match="is no name of an index"):
        open_store(f"postgresql://host/db?index={name}")


def test_an_option_that_libpq_does_not_know_is_refused() -> None:
    with pytest.raises(PlanError, match=r"is no address of a database .*invalid URI query par"):
        open_store("postgresql://u:secret@host/db?colour=red")
