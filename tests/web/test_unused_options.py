"""Step 2: options that the chosen method ignores are not asked, and not lost either."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, OF_FOLDER, jobs_in
from twinset.web.forms import labels_of
from twinset.web.searches import command_of
from twinset.web.settings import Settings

GOAL = ("threshold", "measure", "recall")


@pytest.fixture
def name(client: TestClient) -> str:
    """A new search over the Russian part of the example."""
    answer = client.post("/search/new", data={"path": str(COLLECTION / "russian")})
    return answer.url.path.split("/")[2]


def asked(page: str) -> list[str]:
    return [name for name in GOAL if f'name="{name}"' in page]


@pytest.mark.parametrize(
    ("method", "fields"),
    [("minhash", GOAL), ("exact", GOAL[:2]), ("tf", ()), ("megashingles", ()), ("simhash", ())],
)
def test_a_method_is_asked_for_what_it_uses(
    client: TestClient, name: str, method: str, fields: tuple[str, ...]
) -> None:
    shown = client.post(f"/search/{name}/image/form", data={"method": method, "threshold": "0.6"})
    assert asked(shown.text) == list(fields)
    sentence = re.findall(r'id="unused">([^<]*)<', shown.text)
    assert len(sentence) == (fields != GOAL)
    assert ("Minimum similarity of a pair" in "".join(sentence)) == ("threshold" not in fields)
    assert ('data-drag="threshold"' in shown.text) == ("threshold" in fields)
    has_curve = "<svg" in shown.text.partition('id="meaning"')[2]
    assert has_curve == (method in ("minhash", "exact", "megashingles"))


def test_the_threshold_survives_a_method_that_ignores_it(
    client: TestClient, name: str, settings: Settings
) -> None:
    form = {"method": "tf", "threshold": "0.6", "go": "next"}
    assert client.post(f"/search/{name}/image", data=form).url.path.endswith("/clusters")
    search = jobs_in(settings).find(name)
    assert "--threshold" not in command_of(search, None, settings)
    shown = client.post(f"/search/{name}/image/form", data={"method": "minhash"}).text
    assert re.search(r'<input id="threshold"[^>]*value="0.6"', shown)


def test_a_wrong_value_that_is_ignored_is_not_kept(
    client: TestClient, name: str, settings: Settings
) -> None:
    form = {"method": "tf", "threshold": "x", "recall": "7"}
    assert client.post(f"/search/{name}/image/form", data=form).status_code == 200
    assert jobs_in(settings).find(name).options == OF_FOLDER | {"method": "tf"}


def test_methods_are_called_as_in_the_paper() -> None:
    english, russian = labels_of("en", "method"), labels_of("ru", "method")
    assert english["tf"] == "A1 · tf"
    assert english["longsent"] == russian["longsent"] == "A4 · longsent (Long Sent)"
    assert russian["decomposition"] == "A11 · decomposition (метод декомпозиции)"
    numbers = [label.split(" · ")[0] for label in english.values() if " · " in label]
    assert numbers == [f"A{number}" for number in range(13)]
    assert english["minhash"] == "minhash"
