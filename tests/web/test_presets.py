"""The first page begins a search with a preset."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION
from twinset.plan import Plan, presets
from twinset.web.jobs import Jobs
from twinset.web.searches import plan_of


def test_the_way_step_by_step_offers_every_preset_and_begins_with_text(client: TestClient) -> None:
    shown = client.get("/more").text
    # The preset files is what the button of the first page does.
    places = [shown.index(f'<option value="{name}">') for name in presets() if name != "files"]
    assert places == sorted(places)
    assert next(iter(presets())) == "text"


def test_a_search_begins_with_the_options_of_the_preset(client: TestClient, searches: Jobs) -> None:
    for preset in presets():
        data = {"path": str(COLLECTION / "russian"), "preset": preset}
        name = client.post("/search/new", data=data).url.path.split("/")[2]
        assert plan_of(searches.find(name)) == Plan.make(preset=preset)
        assert client.get(f"/search/{name}/image").status_code == 200


def test_an_unknown_preset_is_refused_in_a_sentence(client: TestClient) -> None:
    answer = client.post("/search/new", data={"preset": "texts"})
    assert answer.status_code == 400
    assert "there is no preset" in answer.text
