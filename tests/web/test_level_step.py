"""A level in the steps: the same words, options and report as ``find --level``."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import finished
from twinset.web.jobs import Jobs
from twinset.web.settings import Settings

FOOT = "Kept by the harbour office, second floor, ask for the keeper."
TEXTS = {"a": f"Of ships.\n\n{FOOT}", "b": f"Of birds.\n\n{FOOT}", "c": "Of rain.\n\nOf rain."}
USUAL = {"threshold": "0.8", "recall": "0.99", "method": "minhash"}
"""What the fields hold that nobody has changed."""


@pytest.fixture
def file(settings: Settings) -> Path:
    file = settings.roots[1] / "notes.jsonl"
    rows = [json.dumps({"id": id, "text": text}) for id, text in TEXTS.items()]
    file.write_text("\n".join(rows), "utf-8")
    return file


@pytest.fixture
def name(client: TestClient, file: Path) -> str:
    """A new search in these notes."""
    return client.post("/search/new", data={"path": str(file)}).url.path.split("/")[2]


@pytest.mark.parametrize("level", ["paragraph", "window"])
def test_a_level_gives_the_report_of_the_command(
    client: TestClient, name: str, file: Path, searches: Jobs, level: str
) -> None:
    client.post(f"/search/{name}/documents", data={"html": "auto"})
    shown = client.post(f"/search/{name}/image/form", data={"level": level, **USUAL}).text
    assert f'value="{level}" selected' in shown
    assert shown.count("whole documents") == 1  # not once more for what stands without a choice
    form = {"level": level, "method": "md5", "method.md5.stop": "none", "method.md5.letters": "0"}
    size = {"level.window.size": "5"} if level == "window" else {}
    assert all(f'name="{field}"' in shown for field in [f"level.{level}.inside", *size])
    answer = client.post(f"/search/{name}/image", data=form | size)
    assert answer.url.path.endswith("/clusters")
    assert 'name="clusters"' not in answer.text
    spelt = "window:size=5" if size else level
    assert f"--level {spelt}" in answer.text
    client.post(f"/search/{name}/clusters", data={"go": "start"})
    finished(client, name)
    page = client.get(f"/search/{name}/results")
    assert page.url.path.endswith("/passages")
    findings = twinset.find(file, level=spelt)
    table = pq.read_table(Path(searches.find(name).out) / "units.parquet")
    assert table.equals(findings.units)
    assert f"in {findings.manifest['totals']['places']} places" in page.text
    assert "harbour office" in page.text
    assert f'href="/search/{name}/compare"' not in client.get(f"/search/{name}/clusters").text


def test_fields_that_nobody_changed_follow_the_level(
    client: TestClient, name: str, searches: Jobs
) -> None:
    client.post(f"/search/{name}/documents", data={"html": "auto"})
    client.post(f"/search/{name}/image/form", data={"level": "line", **USUAL})
    options = {"level": "line", "method": "md5:stop=none,letters=0", "html": "no"}
    assert searches.find(name).options == options
    form = {"level": "", "method": "md5", "method.md5.stop": "none", "method.md5.letters": "0"}
    client.post(f"/search/{name}/image/form", data=form)
    assert searches.find(name).options == {}
    client.post(f"/search/{name}/image/form", data={"level": "line", **USUAL, "threshold": "0.6"})
    assert searches.find(name).options == {"level": "line", "threshold": 0.6, "html": "no"} | {
        "method": "minhash"
    }


def test_what_excludes_a_level_is_a_sentence(client: TestClient, name: str, searches: Jobs) -> None:
    client.post(f"/search/{name}/clusters", data={"clusters": "cliques", "go": "previous"})
    answer = client.post(f"/search/{name}/image", data={"level": "line", **USUAL})
    assert answer.status_code == 400
    assert "level line makes no clusters of documents" in answer.text
    assert "level" not in searches.find(name).options
