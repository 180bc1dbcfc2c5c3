"""What can go wrong with a database: a sentence for each, and an index that stays whole."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.index.pairs import OPTIONS, add, documents, pairs_found, pairs_of, text
from tests.index.postgres.server import Server
from twinset.errors import ReportError, TwinsetError
from twinset.index import Index

Opened = Callable[..., Index]
Sql = Callable[..., list[Any]]


def schema_of(address: str) -> str:
    return address.rpartition("index=")[2]


def prepare(sql: Sql, address: str, when: str, body: str) -> None:
    """Let the database do something whenever documents are written."""
    schema = schema_of(address)
    sql(
        f"CREATE FUNCTION {schema}.act() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$BEGIN {body}; RETURN NULL; END$$"
    )
    rows = "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW" if "CONSTRAINT" in when else ""
    sql(f"CREATE {when} ON {schema}.documents {rows} EXECUTE FUNCTION {schema}.act()")


def test_the_index_is_a_schema_of_its_own(address: str, opened: Opened, sql: Sql) -> None:
    first, second = opened(address, **OPTIONS), opened(address + "b", **OPTIONS)
    add(first, {"a": text(1)})
    add(second, {"a": text(2)})
    assert (first.text("a"), second.text("a")) == (text(1), text(2))
    assert first.place == address
    assert sql(f"SELECT count(*) FROM {schema_of(address)}.documents") == [(1,)]


def test_a_name_may_have_capital_letters_and_dashes(address: str, opened: Opened) -> None:
    index = opened(f"{address}-Own", **OPTIONS)  # which all must quote
    add(index, {"a": text(1)})
    assert index.info()["documents"] == 1
    index.compact()
    assert index.check() == []
    assert opened(f"{address}-Own").text("a") == text(1)


def test_an_empty_schema_is_taken_and_another_one_is_not(
    address: str, opened: Opened, sql: Sql
) -> None:
    schema = schema_of(address)
    sql(f"CREATE SCHEMA {schema}; CREATE SCHEMA {schema}b; CREATE TABLE {schema}b.mine (a int)")
    add(opened(address, **OPTIONS), {"a": text(1)})
    with pytest.raises(ReportError, match=f"something else in it of the name {schema}b already"):
        opened(address + "b", **OPTIONS)
    with pytest.raises(ReportError, match=f"no index of the name {schema}b"):
        opened(address + "b")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("@/postgres", "@/nowhere"), r'"nowhere" does not exist\): create it with createdb'),
        (("twinset@", "nobody@"), r'"nobody" does not exist\): create the user'),
        (("host=/", "host=/none"), r"No such file.*: check host and port"),
        (("twinset@", "guarded:wrong@"), r"check the user and the password"),
        (("twinset@", "barred@"), r"not permitted to log in\): let it by ALTER ROLE"),
        (("twinset@", "limited@"), r"too many connections.*\): try again later"),
    ],
)
def test_a_server_that_lets_nobody_in_is_named_with_the_remedy(
    address: str, opened: Opened, sql: Sql, change: tuple[str, str], sentence: str
) -> None:
    if not sql("SELECT 1 FROM pg_roles WHERE rolname = 'guarded'"):
        sql("CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE barred NOLOGIN")
        sql("CREATE ROLE limited LOGIN CONNECTION LIMIT 0")
    with pytest.raises(TwinsetError, match=r"cannot be reached \(.*" + sentence) as fault:
        opened(address.replace(*change))
    assert "wrong" not in str(fault.value)


def test_whoever_may_not_write_is_told_so(address: str, opened: Opened, sql: Sql) -> None:
    add(opened(address, **OPTIONS), {"a": text(1)})
    schema, reader = schema_of(address), f"reader_of_{schema_of(address)}"
    sql(f"CREATE ROLE {reader} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {reader}")
    sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}")
    index = opened(address.replace("twinset@", f"{reader}@"))
    assert index.text("a") == text(1)
    with pytest.raises(ReportError, match="grant the user the rights"):
        add(index, {"b": text(2)})
    assert index.text("a") == text(1)


def test_a_full_disk_leaves_the_index_as_it_was(address: str, opened: Opened, sql: Sql) -> None:
    index, every = opened(address, **OPTIONS), documents()
    add(index, every)
    prepare(sql, address, "TRIGGER fills AFTER INSERT", "RAISE 'no space' USING ERRCODE = '53100'")
    with pytest.raises(ReportError, match=r"disk of the database is full \(no space\): nothing"):
        add(index, {"page1": text(100), "new": text(101)}, replace=True)
    assert pairs_of(index, every) == pairs_found(every)
    assert index.check() == []


def test_connections_that_are_cut_again_and_again_fail_no_question(
    address: str, opened: Opened, sql: Sql
) -> None:
    index, every = opened(address, **OPTIONS), documents()
    add(index, every)
    expected, done, cuts = pairs_of(index, every), threading.Event(), 0
    name = f"application_name = '{schema_of(address)}'"
    other = opened(address.replace("?", f"?{name.replace(' ', '').replace(chr(39), '')}&"))

    def cut() -> None:
        nonlocal cuts
        while not done.wait(0.15):
            cuts += (
                sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {name}") != []
            )

    with ThreadPoolExecutor(1) as pool:
        cutting = pool.submit(cut)
        try:
            while cuts < 12:
                assert pairs_of(other, every) == expected
                assert other.text("page1") == every["page1"]
                assert other.info()["documents"] == len(every)
        finally:
            done.set()
        cutting.result(60)


def test_a_server_that_is_started_anew_is_asked_again(
    postgres: Server, address: str, opened: Opened
) -> None:
    index = opened(address, **OPTIONS)
    add(index, {"a": text(1)})
    postgres.kill()
    with pytest.raises(TwinsetError, match="cannot be reached"):
        index.text("a")
    postgres.start()
    assert index.text("a") == text(1)
    assert add(index, {"b": text(2)}) == (1, 0, 0)


def test_a_connection_that_is_lost_before_the_commit_costs_a_second_attempt(
    address: str, opened: Opened, sql: Sql
) -> None:
    index, schema = opened(address, **OPTIONS), schema_of(address)
    sql(f"CREATE SEQUENCE {schema}.once")
    prepare(
        *(sql, address, "TRIGGER lost AFTER INSERT"),
        f"IF nextval('{schema}.once') = 1 THEN "
        "PERFORM pg_terminate_backend(pg_backend_pid()); END IF",
    )
    assert add(index, {"a": text(1)}) == (1, 0, 0)
    assert sql(f"SELECT last_value FROM {schema}.once") == [(2,)]
    assert dict(index.documents()) == {"a": text(1)}


def test_a_connection_that_is_lost_at_the_commit_leaves_an_open_question_and_says_so(
    address: str, opened: Opened, sql: Sql
) -> None:
    index = opened(address, **OPTIONS)
    prepare(
        *(sql, address, "CONSTRAINT TRIGGER lost AFTER INSERT"),
        "PERFORM pg_terminate_backend(pg_backend_pid())",
    )
    with pytest.raises(TwinsetError, match=r"nobody knows whether it is: do it again"):
        add(index, {"a": text(1)})
    assert "a" not in index


def test_a_document_that_is_replaced_while_it_is_removed_is_removed(
    postgres: Server, address: str, opened: Opened, sql: Sql
) -> None:
    import psycopg

    index, schema = opened(address, **OPTIONS), schema_of(address)
    add(index, {"a": text(1)})
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with ThreadPoolExecutor(1) as pool, psycopg.connect(postgres.address()) as other:
        other.execute(f"UPDATE {schema}.keys SET number = 7; ".encode())
        other.execute(f"UPDATE {schema}.documents SET number = 7".encode())
        removed = pool.submit(index.remove, ["a"])
        while not sql(waits)[0][0]:
            assert not removed.done()
        other.commit()
        assert removed.result(60) == 1
    assert "a" not in index
    assert index.check() == []


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("DELETE FROM {}.keys WHERE key = (SELECT min(key) FROM {}.keys)", "keys of documents are"),
        ("DELETE FROM {}.documents WHERE id = 'page1'", "keys lead to no document"),
        ("UPDATE {}.documents SET body = '\\x00' WHERE id = 'page1'", "'page1' is not what was"),
        (
            "UPDATE {}.documents AS d SET body = o.body FROM {}.documents AS o "
            "WHERE d.id = 'page1' AND o.id = 'page2'",
            "'page1' is not what was written: remove it, and add",
        ),
    ],
)
def test_a_check_says_what_is_damaged(
    address: str, opened: Opened, sql: Sql, damage: str, sentence: str
) -> None:
    index = opened(address, **OPTIONS)
    add(index, documents())
    assert index.check() == []
    sql(damage.replace("{}", schema_of(address)))
    [fault] = index.check()
    assert sentence in fault


def test_a_child_of_a_program_that_forks_does_not_use_its_connections(
    address: str, opened: Opened, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(address, **OPTIONS)
    connected = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'twinset'"
    add(index, {"a": text(1)})
    assert "a" in index
    before = sql(connected)[0][0]
    held = index.work.store._connections._idle  # type: ignore[attr-defined]
    monkeypatch.setattr(os, "getpid", lambda: -1)  # as a child would see it
    assert "a" in index
    assert sql(connected)[0][0] == before + 1
    assert not held[0].closed


def test_without_its_driver_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("twinset.index.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(TwinsetError, match=r"psycopg is not installed: pip install 'psycopg"):
        Index.open("postgresql://host/db")
