"""Addresses in place of a folder: a service in front of a database, and runs against both."""

from __future__ import annotations

from typing import Any

import pytest

import twinset
from tests.engine.test_against import divided, figures
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
