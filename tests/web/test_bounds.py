"""What a visitor, a report or a method's options name: nothing outside the allowed folders."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

import twinset
from tests.web.conftest import COLLECTION, jobs_in, started
from twinset.errors import PlanError
from twinset.web.jobs import Jobs
from twinset.web.settings import Settings

TEXT = "the same words in both documents, enough of them to make a shingle or two out of"


@pytest.fixture
def name(settings: Settings) -> str:
    return jobs_in(settings).new(paths=(str(COLLECTION / "russian"),), title="a").name


@pytest.fixture
def report(settings: Settings) -> Path:
    documents = settings.roots[1] / "documents.jsonl"
    documents.write_text("".join(f'{{"id": "{i}", "text": "{TEXT}"}}\n' for i in "ab"))
    return twinset.find(documents).save(settings.roots[1] / "report")


STEPS = ("image", "image/form", "clusters", "clusters/form")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("path", ["/dev/zero", "/etc/passwd"])
def test_a_method_is_a_name_and_opens_nothing(
    client: TestClient, name: str, settings: Settings, step: str, path: str
) -> None:
    data = {"method": f"learned:model={path}"}
    answer = client.post(f"/search/{name}/{step}", data=data)
    # A form that is drawn again shows the fault, and the others refuse the request.
    assert answer.status_code == (200 if step.endswith("/form") else 400)
    assert "there is no method &#39;learned:model=" in answer.text
    assert jobs_in(settings).find(name).options == {}


def test_an_option_is_no_way_to_another_one(client: TestClient, name: str, tmp_path: Path) -> None:
    inner = f"{tmp_path}/mine/x,model=/dev/zero"
    data = {"method": "learned", "method.learned.model": inner}
    answer = client.post(f"/search/{name}/image", data=data)
    assert answer.status_code == 400
    assert f"{inner}: " in html.unescape(answer.text), "one name of a file"


def test_a_model_is_a_regular_file(client: TestClient, name: str, settings: Settings) -> None:
    pipe = settings.roots[1] / "pipe"
    os.mkfifo(pipe)
    data = {"method": "learned", "method.learned.model": str(pipe)}
    answer = client.post(f"/search/{name}/image", data=data)
    assert answer.status_code == 400
    assert "not a regular file" in answer.text


@pytest.mark.parametrize("command", [["ui"], ["export"], ["--version"], ["show"], ["find", "\0"]])
def test_jobs_are_of_a_few_kinds(tmp_path: Path, command: list[str]) -> None:
    jobs = Jobs(tmp_path / "jobs")
    with pytest.raises((PlanError, ValidationError)):
        started(jobs, command)
    assert [job for job in jobs.all() if job.is_started] == []


def test_a_search_that_was_tampered_with_starts_nothing_else(
    client: TestClient, name: str, settings: Settings
) -> None:
    file = settings.home / "jobs" / name / "job.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"kind": "ui"}))
    answer = client.post(f"/search/{name}/clusters", data={"go": "start"})
    assert answer.status_code == 404
    assert "is damaged" in answer.text
    assert os.listdir(settings.home / "jobs" / name) == ["job.json"]


@pytest.mark.parametrize("source", ["/dev/zero", "/", "/etc/passwd"])
def test_a_report_shows_nothing_that_it_only_names(
    client: TestClient, report: Path, source: str
) -> None:
    facts = json.loads((report / "manifest.json").read_text())
    facts["inputs"][0] |= {"path": source, "bytes": None}
    facts["plan"]["read"]["within"] = ["/"]
    (report / "manifest.json").write_text(json.dumps(facts))
    place = client.post("/open-report", data={"folder": str(report)}).url.path
    shown = client.get(f"{place}/pair", params={"left": "a", "right": "b"})
    assert shown.status_code == 200
    assert "outside the folders that this page may open" in shown.text
    for page in ("heads?d=0,1", "page.html", "cluster/0/parts"):
        answer = client.get(f"{place}/{page}")
        assert answer.status_code < 500
        assert "root:" not in answer.text


def test_a_report_whose_files_lead_out_is_not_opened(
    client: TestClient, report: Path, tmp_path: Path
) -> None:
    place = client.post("/open-report", data={"folder": str(report)}).url.path
    assert client.get(place).status_code == 200
    secret = tmp_path / "secret.html"
    secret.write_text("secret")
    (report / "report.html").unlink()
    (report / "report.html").symlink_to(secret)
    assert client.get(place).status_code == 403
