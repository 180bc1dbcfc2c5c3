"""Tasks: what they write is offered, sealed, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION
from tests.web.test_jobs import over, wait
from twinset.pages.drawing import draw
from twinset.pages.language import speaker
from twinset.web.jobs import Job, Jobs
from twinset.web.plots import plots
from twinset.web.searches import Searches
from twinset.web.settings import Settings


@pytest.fixture
def job(settings: Settings, client: TestClient) -> Job:
    """A finished task with a page and a list."""
    out = settings.home / "tasks" / "x"
    out.parent.mkdir()
    command = ["find", str(COLLECTION / "russian"), "-o", str(out), "--json"]
    job = Jobs(settings.home / "jobs").start(command, kind="compare", out=str(out), title="x")
    assert wait(job, over).status == "done"
    (out / "link").symlink_to("/etc/passwd")
    return job


def test_files_are_sealed_and_no_others_are_given(client: TestClient, job: Job) -> None:
    page = client.get(f"/task/{job.name}/file/report.html")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert page.headers["content-disposition"].startswith("inline")
    download = client.get(f"/task/{job.name}/file/duplicates.txt")
    assert download.headers["content-disposition"].startswith("attachment")
    for name in ("link", "nothing", "..%2Fx", "%2E%2E%2Fjob.json"):
        assert client.get(f"/task/{job.name}/file/{name}").status_code == 404


def test_a_task_shows_its_files_and_its_command(client: TestClient, job: Job) -> None:
    shown = client.get(f"/task/{job.name}").text
    assert "report.html" in shown
    assert "twinset find " in shown
    assert "link" not in [part.partition("?")[0] for part in shown.split("/file/")]


def test_tasks_outside_the_home_are_not_served(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "outside"
    out.mkdir()
    (out / "a.txt").write_text("secret")
    job = Jobs(settings.home / "jobs").start(["tune"], kind="tune", out=str(out), title="x")
    wait(job, over)
    assert client.get(f"/task/{job.name}/file/a.txt").status_code == 403


def test_numbers_become_plots(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("left,right,jaccard,edit\na,b,0.5,0.9\nc,d,0.55,0.8\n")
    method = {"seconds": 0.5, "f": 0.75}
    rows = [{"method": name, **method} for name in ("minhash", "tf")]
    dice = [{"method": name, "minhash": 1.0, "tf": 1.0} for name in ("minhash", "tf")]
    drawn = plots("compare", {"methods": rows, "dice": dice}, tmp_path, speaker("en"))
    assert len(drawn) == 3
    assert all(draw(chart).startswith("<svg") for chart, _ in drawn)
    ((chart, _),) = plots("generate", {"made": 2}, tmp_path, speaker("ru"))
    assert "2 пары" in draw(chart, "ru")
    assert plots("compare", {"methods": []}, tmp_path, speaker("en")) == []


def test_searches_follow_from_tasks(client: TestClient, settings: Settings) -> None:
    out = settings.home / "tasks" / "made"
    command = ["generate", str(COLLECTION / "russian"), "-o", str(out), "--op", "truncate:5%"]
    facts = {"kind": "generate", "out": str(out), "title": "made"}
    out.parent.mkdir()
    job = Jobs(settings.home / "jobs").start([*command, "--json"], **facts)
    assert wait(job, over).status == "done"
    assert "true pairs" in client.get(f"/task/{job.name}").text
    answer = client.post(f"/task/{job.name}/search")
    (search,) = Searches(settings).all()
    assert answer.url.path == f"/search/{search.name}/image"
    assert search.paths == (str(out / "documents.jsonl"),)
