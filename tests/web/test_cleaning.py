"""The list of what can go: what it shows, and what a click changes."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.cleaning_sample import FILES, GOING, folder_with_copies
from twinset.web.settings import Settings

PAGE = {"hx-request": "true"}


@pytest.fixture
def place(settings: Settings) -> Path:
    """Where the folder and its report lie."""
    return settings.roots[1]


@pytest.fixture
def clean(client: TestClient, place: Path) -> str:
    """The address of the list."""
    folder = folder_with_copies(place)
    answer = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    return str(answer.headers["location"]).removesuffix("/clean") + "/clean"


def rows(text: str) -> dict[str, bool]:
    """The files of the page that can be marked, and whether they go."""
    boxes = re.findall(r'<input type="checkbox" id="file-[^>]*>', text)
    names = [html.unescape(re.search(r'aria-label="([^"]*) can go"', box)[1]) for box in boxes]
    return {name: " checked" in box for name, box in zip(names, boxes, strict=True)}


def groups(text: str) -> list[str]:
    return [
        html.unescape(title) for title in re.findall(r"<h2[^>]*id=\"title-\d+\"><bdi>(.*?)</", text)
    ]


def test_the_list_shows_what_can_go_and_what_is_gained(client: TestClient, clean: str) -> None:
    text = client.get(clean).text
    assert "What can go" in text
    going = {name for name, goes in rows(text).items() if goes}
    assert going == {path.rpartition("/")[2] for path in GOING}
    gain = sum(len(file.content.encode()) for file in FILES if file.path in GOING)
    assert f'6 files can go</strong> <span class="muted">frees {round(gain / 1000)}' in text
    assert groups(text)[0] == "garden party", "what gains most comes first"
    assert "<b>&" not in text
    assert "Invoice" not in text


def test_forms_and_parts_are_listed_apart_and_stay(client: TestClient, clean: str) -> None:
    text = client.get(clean, params={"part": "alike"}).text
    assert not any(rows(text).values())
    assert "Invoice 17.txt" in text
    assert "Excerpt.txt" in text
    assert "None of them is proposed to go." in text


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ({"sort": "name"}, "garden party"),
        ({"sort": "name", "reverse": "1"}, "Счёт за свет"),
        ({"kind": "revision"}, "Lease"),
        ({"q": "СЧЕТА"}, "Счёт за свет"),
        ({"sort": "nonsense", "state": "nonsense", "kind": "nonsense"}, "garden party"),
    ],
)
def test_the_list_is_filtered_and_sorted(
    client: TestClient, clean: str, asked: dict[str, str], first: str
) -> None:
    text = client.get(clean, params=asked, headers=PAGE | {"hx-target": "groups"}).text
    assert "<html" not in text
    assert groups(text)[0].startswith(first)
    if "kind" in asked and asked["kind"] == "revision":
        assert len(groups(text)) == 1


def test_a_report_of_records_has_nothing_to_remove(client: TestClient, report: str) -> None:
    answer = client.get(f"{report}/clean")
    assert answer.status_code == 200
    assert "about records and not about files" in answer.text
    assert client.post(f"{report}/clean/settle").status_code == 400
