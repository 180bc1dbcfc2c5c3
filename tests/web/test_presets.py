"""The first page begins a search with a preset."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION
from twinset.plan import Plan, presets
from twinset.web.jobs import Jobs
from twinset.web.searches import plan_of


def test_a_search_begins_with_the_options_of_the_preset(client: TestClient, searches: Jobs) -> None:
    for preset in presets():
        data = {"path": str(COLLECTION / "russian"), "preset": preset}
        name = client.post("/search/new", data=data).url.path.split("/")[2]
        assert plan_of(searches.find(name)) == Plan.make(preset=preset)
        assert client.get(f"/search/{name}/image").status_code == 200
        assert (f'<option value="{preset}">' in client.get("/more").text) == (preset != "files")
    assert client.post("/search/new", data={"preset": "texts"}).status_code == 400
