"""Addresses in place of a folder: a service in front of a database, and runs against both."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

import twinset
from tests.engine.test_against import divided, figures
from tests.index.postgres.server import Server
from tests.index.postgres.test_faults import prepare
from tests.service.test_client import served
from twinset.index import Index

OPTIONS: dict[str, Any] = {"threshold": 0.6}


@pytest.fixture
def filled(address: str) -> str:
    """The address of a database that has the older documents."""
    with Index.create(address, **OPTIONS) as index:
        index.add(divided()[0])
    return address


def test_a_service_in_front_of_a_database_answers_as_it_does(filled: str) -> None:
    older, new = divided()
    with served(filled) as service, Index.open(service) as remote, Index.open(filled) as local:
        assert list(remote.query(new)) == list(local.query(new))
        assert remote.add(new).added == len(new)
        assert remote.remove(["a00", "nobody"]) == int("a00" in older | new)
        assert sorted(remote.documents()) == sorted(local.documents())
        assert remote.info()["documents"] == len(list(local.documents()))


def test_a_service_whose_database_is_away_asks_to_come_again(postgres: Server, filled: str) -> None:
    older, _ = divided()
    body = json.dumps([{"text": text} for text in older.values()])
    with served(filled) as service:
        assert status(service, "GET", "/ready") == (200, None)
        postgres.kill()
        try:
            assert status(service, "POST", "/query", body) == (503, "1")
            assert status(service, "GET", "/documents") == (503, "1")
            assert status(service, "GET", "/ready") == (503, "1")
        finally:
            postgres.start()
        assert status(service, "POST", "/query", body) == (200, None)
        assert status(service, "GET", "/ready") == (200, None)


def test_a_service_whose_database_has_no_room_says_so(
    filled: str, sql: Callable[..., list[Any]]
) -> None:
    prepare(sql, filled, "TRIGGER fills AFTER INSERT", "RAISE 'full' USING ERRCODE = '53100'")
    with served(filled) as service:
        assert status(service, "POST", "/documents", '[{"id": "new", "text": "a b"}]')[0] == 507


def status(service: str, method: str, path: str, body: str = "") -> tuple[int, str | None]:
    """Of an answer, and when to try again."""
    connection = HTTPConnection(urlsplit(service).netloc, timeout=60)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.headers["Retry-After"]
    finally:
        connection.close()


@pytest.mark.parametrize("dedup", [False, True], ids=["find", "dedup"])
def test_new_documents_are_held_against_an_address(filled: str, dedup: bool) -> None:
    older, new = divided()
    run = twinset.dedup if dedup else twinset.find
    expected = run(new, against=older, **OPTIONS)
    assert len(expected.pairs) > 3
    with served(filled) as service:
        for place in (filled, service):
            found = run(new, against=place)
            assert figures(found.pairs) == figures(expected.pairs)
            assert found.documents.equals(expected.documents)
