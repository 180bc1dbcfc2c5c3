"""The first page begins a search with a preset."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION
from twinset.plan import Plan, presets
from twinset.plan.presets import FOR_FOLDERS
from twinset.web.jobs import Jobs
from twinset.web.searches import plan_of


def test_a_search_begins_with_the_options_of_the_preset(client: TestClient, searches: Jobs) -> None:
    for preset in presets():
        data = {"path": str(COLLECTION / "russian"), "preset": preset}
        name = client.post("/search/new", data=data).url.path.split("/")[2]
        assert plan_of(searches.find(name)) == Plan.make(preset=preset, keep=FOR_FOLDERS)
        assert client.get(f"/search/{name}/image").status_code == 200
        assert (f'<option value="{preset}">' in client.get("/more").text) == (preset != "files")
    assert client.post("/search/new", data={"preset": "texts"}).status_code == 400


def test_records_and_units_have_no_names_to_go_by(
    client: TestClient, name: str, searches: Jobs, tmp_path: Path
) -> None:
    client.post(f"/search/{name}/image/form", data={"level": "paragraph"})
    assert "keep" not in searches.find(name).options
    client.post(f"/search/{name}/image/form", data={"level": ""})
    assert searches.find(name).options["keep"] == list(FOR_FOLDERS)
    records = tmp_path / "mine" / "records.jsonl"
    records.write_text('{"id": "a", "text": "some words"}\n', encoding="utf-8")
    answer = client.post("/search/new", data={"path": str(records), "preset": "text"})
    assert searches.find(answer.url.path.split("/")[2]).options["keep"] == "longest"
