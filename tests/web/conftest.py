"""The page without a server: a client that has entered, and reports to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from twinset.web.app import create_app
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

if TYPE_CHECKING:
    from tests.web.browser import Camera

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTION = ROOT / "examples" / "collection"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", help="folder for pictures of the page, for the docs")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A page that may open the example collection and a folder ``mine`` of its own."""
    (tmp_path / "mine").mkdir()
    return Settings((COLLECTION, tmp_path / "mine"), tmp_path / "home", token="t" * 43)


def visitor(settings: Settings, **options: bool) -> TestClient:
    """A browser that has not entered yet; it sends the Origin as browsers do."""
    address = f"http://127.0.0.1:{settings.port}"
    client = TestClient(create_app(settings), base_url=address, **options)
    client.headers["origin"] = address
    return client


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    """A browser that has entered."""
    client = visitor(settings, raise_server_exceptions=False)
    client.cookies.set(cookie_name(settings), pass_of(settings))
    with client:
        yield client


@pytest.fixture(scope="session")
def example_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report over the example collection, made once; do not write in it."""
    import twinset

    results = twinset.dedup(COLLECTION, threshold=0.7)
    return results.save(tmp_path_factory.mktemp("report") / "report")


@pytest.fixture
def camera(request: pytest.FixtureRequest) -> Camera:
    """Takes pictures for the docs under ``--screenshots``, and none otherwise."""
    from tests.web.browser import Camera

    folder = request.config.getoption("--screenshots", default=None)
    return Camera(Path(folder) if folder else None)
