"""Files of the page that a full disk or a crash has damaged cost one entry, not the page."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import jobs_in, started
from twinset.web.jobs import Jobs
from twinset.web.settings import Settings

DAMAGE = ["", "{", "[]", "{}", "null", "\x00\x00", '{"name": 5, "paths": 3}']
WRONG = {"command": [3], "created": "x", "kind": {}, "out": 7, "title": []}


def job_folder(settings: Settings, name: str, text: str) -> Path:
    """A job that is over, as its files would tell it, with this ``job.json``."""
    folder = settings.home / "jobs" / name
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(text)
    (folder / "end.json").write_text('{"exit": 0, "cancelled": false, "said": ""}')
    return folder


def facts(settings: Settings, kind: str) -> dict[str, Any]:
    out = str(settings.home / "tasks" / kind)
    about = {"kind": kind, "out": out, "title": f"a {kind} task", "paths": [out]}
    return {"command": [kind], "created": time.time(), **about}


def half(self: Path, data: bytes) -> int:
    """Writes half of a file, as on a disk that is full."""
    with open(self, "wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, "No space left on device", str(self))


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, nothing can be written whole."""

    def fill() -> None:
        monkeypatch.setattr(Path, "write_bytes", half)
        monkeypatch.setattr(Path, "write_text", lambda self, text, **_: half(self, text.encode()))

    return fill


def test_a_job_that_cannot_be_written_down_is_none(
    tmp_path: Path, full_disk: Callable[[], None]
) -> None:
    jobs = Jobs(tmp_path / "jobs")
    full_disk()
    with pytest.raises(OSError, match="No space"):
        started(jobs, ["tune"])
    assert jobs.all() == []
    assert os.listdir(tmp_path / "jobs") == []


def test_a_search_that_cannot_be_saved_stays_as_it_was(
    settings: Settings, client: TestClient, full_disk: Callable[[], None]
) -> None:
    search = jobs_in(settings).new(title="before", paths=("somewhere",))
    full_disk()
    assert client.post("/search/new").status_code == 507
    with pytest.raises(OSError, match="No space"):
        jobs_in(settings).save(search.with_(title="after"))
    assert jobs_in(settings).find(search.name) == search
    assert os.listdir(search.folder) == ["job.json"]
    assert client.get("/").status_code == 200


def test_a_damaged_job_costs_its_own_line(settings: Settings, client: TestClient) -> None:
    whole, broken = (jobs_in(settings).new(title=title) for title in ("whole", "broken"))
    kept = facts(settings, "tune")
    job_folder(settings, "20250101-000000-aaaaaa", json.dumps(kept))
    file = broken.folder / "job.json"
    fields = ("options", "paths", "title", "command", "created")
    others = [json.dumps({**json.loads(file.read_text()), field: [{}]}) for field in fields]
    for text in (*DAMAGE, json.dumps(WRONG), *others):
        file.write_text(text)
        page = client.get("/more")
        assert page.status_code == 200, text
        assert f"/search/{whole.name}/" in page.text
        assert str(file) in page.text
        for address in (f"/search/{broken.name}/documents", f"/job/{broken.name}"):
            answer = client.get(address)
            assert answer.status_code == 404, text
            assert "is damaged" in answer.text
        assert "a tune task" in client.get("/laboratory/tune").text
    assert client.get("/job/20250101-000000-aaaaaa").status_code == 200


@pytest.mark.parametrize("name", ["end.json", "progress.json", "output", "lock"])
def test_other_damaged_files_of_a_job_are_no_fault_of_the_page(
    settings: Settings, client: TestClient, name: str
) -> None:
    about = json.dumps(facts(settings, "tune"))
    folder = job_folder(settings, "20250101-000000-aaaaaa", about)
    for text in [*DAMAGE, '{"past": 5, "stage": 7}', '{"exit": "x"}', "\xff"]:
        (folder / name).write_bytes(text.encode("latin-1"))
        assert client.get("/job/20250101-000000-aaaaaa").status_code == 200, text
        assert client.get("/laboratory/tune").status_code == 200
        assert client.post("/job/20250101-000000-aaaaaa/cancel").status_code == 200
        jobs_in(settings).find(folder.name).state()


def test_a_damaged_list_of_reports_is_begun_anew(settings: Settings, client: TestClient) -> None:
    for text in (*DAMAGE, '{"a": 5}'):
        (settings.home / "reports.json").write_text(text)
        assert client.get("/more").status_code == 200
        assert client.get("/report/0123456789").status_code == 404
