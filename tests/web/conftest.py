"""The page without a server: a client that has entered, and reports to look at."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from fastapi.testclient import TestClient

import twinset
from tests.web.report_sample import DOCUMENTS
from twinset.plan.presets import FOR_FOLDERS
from twinset.web.app import create_app
from twinset.web.jobs import Job, Jobs
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTION = ROOT / "examples" / "collection"
OF_FOLDER = {"keep": list(FOR_FOLDERS)}
"""The options of a search in a folder in which nothing was chosen."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a test in a real browser try a second time, and say so: its processes share two cores."""
    if "browser" not in getattr(item, "fixturenames", ()):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if faults := [report.longreprtext for report in reports if report.failed]:
        warnings.warn(f"{item.nodeid} is tried again after:\n{faults[0]}", stacklevel=1)
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


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
    results = twinset.dedup(COLLECTION, threshold=0.7)
    return results.save(tmp_path_factory.mktemp("report") / "report")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, for the tests of one file: its event loop is in the way of others."""
    from tests.web.browser import browsing

    with browsing() as opened:
        yield opened


@pytest.fixture
def documents() -> Iterator[Path]:
    """A copy of the example under a short name, as a user would have it."""
    with tempfile.TemporaryDirectory(prefix="my-") as folder:
        shutil.copytree(COLLECTION, Path(folder) / "documents")
        yield Path(folder) / "documents"


@pytest.fixture
def name(client: TestClient) -> str:
    """A new search over the Russian part of the example."""
    answer = client.post("/search/new", data={"path": str(COLLECTION / "russian")})
    return answer.url.path.split("/")[2]


def jobs_in(settings: Settings) -> Jobs:
    """What the page of these settings has chosen and started."""
    return Jobs(settings.home / "jobs")


def started(jobs: Jobs, command: list[str], **facts: Any) -> Job:
    """A job that runs a command."""
    return jobs.start(jobs.new(command[0], **facts), command)


@pytest.fixture
def searches(settings: Settings) -> Jobs:
    return jobs_in(settings)


def finished(client: TestClient, name: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while "hx-redirect" not in (answer := client.get(f"/job/{name}/part")).headers:
        assert time.monotonic() < end, answer.text
        time.sleep(0.1)


@pytest.fixture
def corpus(settings: Settings) -> Path:
    file = settings.roots[1] / "corpus.jsonl"
    rows = [json.dumps({"id": id, "text": text}) for id, text in DOCUMENTS.items()]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def folder(corpus: Path) -> Path:
    return twinset.find(corpus, 0.4, exact=True).save(corpus.parent / "report")


@pytest.fixture
def report(client: TestClient, folder: Path) -> str:
    """The address of the report."""
    answer = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    return str(answer.headers["location"])
