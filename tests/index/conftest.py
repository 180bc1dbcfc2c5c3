"""The places that an index is kept in, each for the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.index.postgres.server import Server, programs
from twinset.index import Index, folder

NAMES = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One server for all tests of this process; they are skipped where it cannot run."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (the package postgresql)")
    server = Server(folder)
    yield server
    server.stop()


@pytest.fixture
def sql(postgres: Server) -> Iterator[Callable[..., list[Any]]]:
    """Asks the database itself."""
    import psycopg

    with psycopg.connect(postgres.address(), autocommit=True) as connection:

        def ask(question: str, *values: object) -> list[Any]:
            cursor = connection.execute(question.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

        yield ask


@pytest.fixture
def address(postgres: Server) -> str:
    """The address of an index that is not there yet."""
    return postgres.address(index=f"test{next(NAMES)}")


@pytest.fixture(params=["folder", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an index can be made: a folder, an address."""
    if request.param == "folder":
        return str(tmp_path / "index")
    address: str = request.getfixturevalue("address")
    return address


@pytest.fixture
def opened() -> Iterator[Callable[..., Index]]:
    """Opens indexes, as another program would, and closes them at the end."""
    indexes: list[Index] = []

    def open_index(place: str, **options: Any) -> Index:
        indexes.append(Index.create(place, **options) if options else Index.open(place))
        return indexes[-1]

    yield open_index
    for index in indexes:
        index.close()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of keys and merges come after few documents."""
    monkeypatch.setattr(folder, "FEW", 5)
    monkeypatch.setattr(folder, "RECENT", 20)
    monkeypatch.setattr(folder, "TIER", 3)
