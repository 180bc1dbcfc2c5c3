"""The laboratory: forms become commands, faults stay with the form, nothing leaves the bounds."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, jobs_in
from tests.web.test_jobs import over, wait
from twinset.web.jobs import Job
from twinset.web.laboratory import KINDS
from twinset.web.searches import plan_of
from twinset.web.settings import Settings

TABLE = "1 2 3\n1 2 3\n1 2\n2 3\n4\n"
MINE = {"support": "2", "closed": "", "least_items": "2", "algorithm": "search"}


@pytest.fixture
def table(settings: Settings) -> Path:
    """A FIMI file in a folder that the page may open."""
    file = settings.roots[1] / "table.dat"
    file.write_text(TABLE)
    return file


def ended(client: TestClient, settings: Settings, command: str, **form: str) -> tuple[Job, str]:
    """The task that a form starts, and its page when it is over."""
    answer = client.post(f"/laboratory/{command}", data=form)
    assert answer.url.path.startswith("/job/"), answer.text
    job = jobs_in(settings).find(answer.url.path.split("/")[2])
    state = wait(job, over)
    assert state.status == "done", state.said
    return job, client.get(f"/job/{job.name}").text


def cells(page: str) -> list[str]:
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page)]


def test_sets_are_mined_shown_and_offered(
    client: TestClient, settings: Settings, table: Path
) -> None:
    form = MINE | {"closed": "yes", "algorithm": "addintent"}
    job, page = ended(client, settings, "mine", table=str(table), **form)
    assert "3 sets." in page
    assert cells(page)[3:] == ["1 2", "2", "3", "1 2 3", "3", "2", "2 3", "2", "3"]
    sets = client.get(f"/job/{job.name}/file/sets.txt?keep=true").text
    assert sets == "1 2 3\n1 2 3 2\n2 3 3\n"
    assert (
        f"twinset lab mine {table} -o {job.out}/sets.txt --support=2 --algorithm=addintent" in page
    )


def test_algorithms_are_compared_in_a_table(
    client: TestClient, settings: Settings, table: Path
) -> None:
    form = MINE | {"table": str(table), "compare": "yes", "seconds": "20"}
    job, page = ended(client, settings, "mine", **form)
    rows = {name: cells(page)[cells(page).index(name) :][:5] for name in ("search", "fpmax")}
    assert rows["search"][1] == rows["fpmax"][1] == "1"
    assert rows["search"][4] == rows["fpmax"][4] == "finished"
    assert "All that finished found the same sets. Support: 2 lines." in page
    assert "<svg" in page
    assert client.get(f"/job/{job.name}/file/times.txt").text.startswith("algorithm")


def test_a_model_is_trained_shown_and_used(client: TestClient, settings: Settings) -> None:
    shutil.copy(COLLECTION.parent / "clusters.csv", settings.roots[1] / "labels.csv")
    form = {
        "documents": str(COLLECTION / "licenses.jsonl"),
        "labels": str(settings.roots[1] / "labels.csv"),
        "features": "paper",
        "kernel": "linear",
        "c": "1",
        "folds": "2",
        "training_pairs": "300",
    }
    job, page = ended(client, settings, "learn", **form)
    assert "--folds=2" in job.command
    assert "--seed=1" not in job.command, "only what was changed"
    held_out = json.loads(job.output())["held_out"]
    assert f"{held_out['model']['precision']:.3f}" in cells(page)
    assert "support vector machine with the kernel linear and C 1." in page
    assert "Weights of the similarities" in page
    model = f"{job.out}/model.json"
    answer = client.post(f"/job/{job.name}/search")
    (search,) = jobs_in(settings).all("find")
    assert answer.url.path == f"/search/{search.name}/image"
    assert plan_of(search).method.model == model
    assert "the model model.json gives a score" in answer.text
    assert f'<option value="{model}">' in answer.text


BAD: list[tuple[str, dict[str, str], str]] = [
    ("mine", MINE, "no table is named"),
    ("learn", {}, "no documents are named"),
    ("learn", {"documents": "T"}, "there is nothing to learn from"),
    ("learn", {"documents": "T", "labels": "T", "folds": "1"}, "folds must be between 2 and 100"),
    ("compare", {"documents": "T", "use.tf": "yes"}, "fewer than two methods are chosen"),
    ("generate", {"documents": "T", "variants": "1"}, "no operation is chosen"),
]


@pytest.mark.parametrize(("kind", "form", "fault"), BAD)
def test_a_fault_is_shown_above_the_form_as_it_was_filled_in(
    client: TestClient, table: Path, kind: str, form: dict[str, str], fault: str
) -> None:
    sent = {name: str(table) if value == "T" else value for name, value in form.items()}
    answer = client.post(f"/laboratory/{kind}", data=sent)
    assert answer.status_code == 400
    shown = answer.text.replace("&#39;", "'").replace("&#34;", '"')
    assert fault in shown
    for name, value in sent.items():
        field = re.search(rf'<input[^>]* name="{re.escape(name)}"[^>]*>', shown)
        assert field is None or f'value="{value}"' in field[0] or " checked" in field[0], name


FILES = [("mine", "table"), ("learn", "labels"), ("compare", "truth"), ("tune", "truth")]


@pytest.mark.parametrize(("kind", "field"), FILES)
def test_files_outside_the_bounds_are_refused(
    client: TestClient, table: Path, kind: str, field: str
) -> None:
    form = MINE | {"documents": str(table), field: "/etc/passwd", "use.tf": "1", "use.md5": "1"}
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
