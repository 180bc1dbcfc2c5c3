"""Tasks: what they write is offered, sealed, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, jobs_in, started
from tests.web.test_jobs import over, wait
from twinset.web.jobs import Job
from twinset.web.settings import Settings


@pytest.fixture
def job(settings: Settings, client: TestClient) -> Job:
    """A finished task with a page and a list."""
    out = settings.home / "tasks" / "x"
    out.parent.mkdir()
    command = ["compare", str(COLLECTION / "russian"), "--methods", "md5,tf", "-o", str(out)]
    job = started(jobs_in(settings), [*command, "--json"], out=str(out), title="x")
    assert wait(job, over).status == "done"
    (out / "link").symlink_to("/etc/passwd")
    return job


def test_files_are_sealed_and_no_others_are_given(client: TestClient, job: Job) -> None:
    page = client.get(f"/job/{job.name}/file/experiment.html")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert page.headers["content-disposition"].startswith("inline")
    download = client.get(f"/job/{job.name}/file/manifest.json")
    assert download.headers["content-disposition"].startswith("attachment")
    for name in ("link", "nothing", "..%2Fx", "%2E%2E%2Fjob.json"):
        assert client.get(f"/job/{job.name}/file/{name}").status_code == 404


def test_a_task_shows_its_files_and_its_command(client: TestClient, job: Job) -> None:
    shown = client.get(f"/job/{job.name}").text
    assert "experiment.html" in shown
    assert "twinset lab compare " in shown
    assert "link" not in [part.partition("?")[0] for part in shown.split("/file/")]


def test_tasks_outside_the_home_are_not_served(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "outside"
    out.mkdir()
    (out / "a.txt").write_text("secret")
    job = started(jobs_in(settings), ["tune"], out=str(out), title="x")
    wait(job, over)
    assert client.get(f"/job/{job.name}/file/a.txt").status_code == 403
