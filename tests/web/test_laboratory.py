"""The laboratory: forms become commands, faults stay with the form, nothing leaves the bounds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, jobs_in
from tests.web.test_jobs import over, wait
from twinset.web.laboratory import KINDS
from twinset.web.settings import Settings


@pytest.fixture
def table(settings: Settings) -> Path:
    """A file in a folder that the page may open."""
    file = settings.roots[1] / "table.csv"
    file.write_text("left,right\n")
    return file


def test_methods_are_compared_and_the_best_plan_is_searched_with(
    client: TestClient, settings: Settings
) -> None:
    documents = str(COLLECTION / "russian")
    form = {"documents": documents, "use.md5": "yes", "use.exact": "yes"}
    answer = client.post("/laboratory/compare", data=form)
    assert answer.url.path.startswith("/job/"), answer.text
    job = jobs_in(settings).find(answer.url.path.split("/")[2])
    state = wait(job, over)
    assert state.status == "done", state.said
    page = client.get(f"/job/{job.name}").text
    for file in Path(job.out).glob("experiment.*"):  # the tables and the page
        assert f"/job/{job.name}/file/{file.name}" in page
    plan = (Path(job.out) / "best.toml").read_text()
    answer = client.post(f"/job/{job.name}/search")
    (search,) = jobs_in(settings).all("find")
    assert answer.url.path == f"/search/{search.name}/image"
    assert search.paths == (documents,)
    assert f'method = "{search.options["method"]}"\n' in plan


BAD: list[tuple[str, dict[str, str], str]] = [
    ("tune", {}, "no documents are named"),
    ("compare", {"documents": "T", "use.tf": "yes"}, "fewer than two methods are chosen"),
]


@pytest.mark.parametrize(("kind", "form", "fault"), BAD)
def test_a_fault_is_shown_above_the_form_as_it_was_filled_in(
    client: TestClient, table: Path, kind: str, form: dict[str, str], fault: str
) -> None:
    sent = {name: str(table) if value == "T" else value for name, value in form.items()}
    answer = client.post(f"/laboratory/{kind}", data=sent)
    assert answer.status_code == 400
    assert fault in answer.text
    for name, value in sent.items():
        field = re.search(rf'<input[^>]* name="{re.escape(name)}"[^>]*>', answer.text)
        assert field is None or f'value="{value}"' in field[0] or " checked" in field[0], name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["documents", "truth"])
def test_files_outside_the_bounds_are_refused(
    client: TestClient, table: Path, kind: str, field: str
) -> None:
    form = {"documents": str(table), field: "/etc/passwd", "use.tf": "1", "use.md5": "1"}
    answer = client.post(f"/laboratory/{kind}", data=form)
    assert answer.status_code == 403
    assert "lies outside the folders that this page may open" in answer.text


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_drawn_in_both_languages_and_bears_bad_values(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    app: Any = client.app
    monkeypatch.setattr(app.state.jobs, "start", lambda *command, **facts: None)
    for language in ("en", "ru"):
        page = client.get(f"/laboratory/{kind}", headers={"accept-language": language})
        assert f'<html lang="{language}"' in page.text
    names = re.findall(r' name="([^"]+)"', page.text)
    for value in ("-1", "9" * 30, "nan", "a\0b", "..", "é" * 300, "²", ""):
        answer = client.post(f"/laboratory/{kind}", data=dict.fromkeys(names, value))
        assert answer.status_code in (400, 403), value
