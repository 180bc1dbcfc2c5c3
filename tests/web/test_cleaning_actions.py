"""Removing what is marked: the plan that is shown, the trash, moving, links, undo, bounds."""

from __future__ import annotations

import html
import re
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from tests.review.cleaning.actions.conftest import own_trash  # noqa: F401
from tests.web.cleaning_sample import GOING, folder_with_copies
from twinset.web.settings import Settings


@pytest.fixture
def place(settings: Settings, request: pytest.FixtureRequest) -> Path:
    """Where the folder and its report lie; the trash is one of its own."""
    request.getfixturevalue("own_trash")
    folder_with_copies(settings.roots[1])
    return settings.roots[1]


@pytest.fixture
def clean(client: TestClient, place: Path) -> str:
    """The address of the list."""
    data = {"folder": str(place / "report")}
    answer = client.post("/open-report", data=data, follow_redirects=False)
    return str(answer.headers["location"]).removesuffix("/clean") + "/clean"


def files(place: Path) -> dict[str, bytes]:
    folder = place / "folder"
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def shown(client: TestClient, clean: str, **asked: str) -> dict[str, str]:
    """The form that confirms what is shown."""
    text = client.get(f"{clean}/remove", params=asked).text
    fields = re.findall(r'<input type="hidden" name="(how|target|mark)" value="([^"]*)"', text)
    return {name: html.unescape(value) for name, value in fields}


def done(client: TestClient, address: str) -> str:
    """The end of a work."""
    end = time.monotonic() + 20
    while "every 400ms" in (text := client.get(address).text):
        assert time.monotonic() < end, text
        time.sleep(0.02)
    return text


def carry_out(client: TestClient, clean: str, **asked: str) -> str:
    form = shown(client, clean, **asked)
    answer = client.post(f"{clean}/remove", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return done(client, answer.headers["location"])


def bring_back(client: TestClient, clean: str, text: str) -> str:
    operation = re.search(r'name="operation" value="([^"]*)"', text)
    assert operation is not None, text
    data = {"operation": operation[1]}
    answer = client.post(f"{clean}/undo", data=data, follow_redirects=False)
    return done(client, answer.headers["location"])


@pytest.mark.parametrize("how", ["trash", "move"])
def test_what_is_marked_goes_and_comes_back(
    client: TestClient, clean: str, place: Path, how: str
) -> None:
    before = files(place)
    page = client.get(f"{clean}/remove", params={"how": how}).text
    assert f"6 files {'go to the trash' if how == 'trash' else 'are moved to'}" in page
    assert "5 copies; 1 other version, whose text is then nowhere else." in page
    text = carry_out(client, clean, how=how)
    assert set(before) - set(files(place)) == GOING
    if how == "move":
        moved = [path for path in (place / "folder removed").rglob("*") if path.is_file()]
        assert len(moved) == 6
    left = client.get(clean).text
    assert "No copies are left" in left, "the list knows what has gone"
    assert "No copies were found" not in left
    assert "6 files are back" in bring_back(client, clean, text)
    assert files(place) == before
    assert client.get(clean).text.count('type="checkbox" id="file-') == 9
    assert "undone" in client.get(f"{clean}/history").text


def test_one_file_of_several_comes_back(client: TestClient, clean: str, place: Path) -> None:
    before = files(place)
    carry_out(client, clean, how="trash")
    page = client.get(f"{clean}/history").text
    forms = re.findall(r'value="([^"]*)"><input type="hidden" name="step" value="(\d+)"', page)
    assert len(forms) == len(GOING)
    data = dict(zip(("operation", "step"), forms[0], strict=True))
    answer = client.post(f"{clean}/undo", data=data, follow_redirects=False)
    assert "1 file is back in its place" in done(client, answer.headers["location"])
    assert len(set(before) - set(files(place))) == len(GOING) - 1
    page = client.get(f"{clean}/history").text
    assert "partly undone" in page
    assert "5 files are back" in bring_back(client, clean, page)
    assert files(place) == before


def test_remove_acts_on_what_the_filter_shows(client: TestClient, clean: str, place: Path) -> None:
    before = files(place)
    listed = client.get(clean, params={"q": "garden", "kind": "equal-bytes"}).text
    assert "2 files that the filter shows can go" in listed
    assert "6 in all" in listed
    link = re.search(r'id="continue" href="([^"]*)"', listed)
    assert link is not None
    page = client.get(html.unescape(link[1])).text
    assert "2 files go to the trash" in page
    assert "4 more are marked" in page
    action = re.search(r'<form method="post" action="([^"]*/remove[^"]*)"', page)
    assert action is not None
    fields = re.findall(r'<input type="hidden" name="(how|target|mark)" value="([^"]*)"', page)
    answer = client.post(html.unescape(action[1]), data=dict(fields), follow_redirects=False)
    done(client, answer.headers["location"])
    assert set(before) - set(files(place)) == {
        "Downloads/garden party (1).jpg",
        "Backup/garden party.jpg",
    }


def test_nothing_happens_that_was_not_shown(client: TestClient, clean: str, place: Path) -> None:
    before = files(place)
    form = shown(client, clean, how="trash")
    client.post(f"{clean}/rule", data={"rule": "none"})
    answer = client.post(f"{clean}/remove", data=form)
    assert answer.status_code == 400
    assert "the list has changed" in answer.text
    assert client.post(f"{clean}/remove", data={"how": "shred"}).status_code == 400
    assert client.get(f"{clean}/remove", params={"how": "shred"}).status_code == 400
    assert client.post(f"{clean}/undo", data={"operation": "../x"}).status_code == 400
    assert files(place) == before


def test_a_changed_file_is_left_alone(client: TestClient, clean: str, place: Path) -> None:
    changed = place / "folder" / "Downloads" / "Lease (1).txt"
    changed.write_text("another text now")
    page = client.get(f"{clean}/remove").text
    assert "5 files go to the trash" in page
    assert "changed since the search: <bdi>Downloads/Lease (1).txt" in page
    carry_out(client, clean)
    assert changed.read_text() == "another text now"


def test_nothing_outside_the_allowed_folders_is_touched(
    client: TestClient, clean: str, place: Path, settings: Settings
) -> None:
    secret = settings.home.parent / "secret.txt"
    kept = place / "folder" / "Backup" / "garden party.jpg"
    secret.write_bytes(kept.read_bytes())
    table = pq.read_table(place / "report" / "documents.parquet")
    names = [bytes(secret) if name == bytes(kept) else name for name in table["file"].to_pylist()]
    column = table.column_names.index("file")
    changed = table.set_column(column, "file", pa.array(names, pa.binary()))
    facts = secret.stat()
    times = table["modified"].to_pylist()
    times[names.index(bytes(secret))] = facts.st_mtime_ns
    column = table.column_names.index("modified")
    pq.write_table(
        changed.set_column(column, "modified", pa.array(times, pa.int64())),
        place / "report" / "documents.parquet",
    )
    (place / "report" / "manifest.json").touch()
    page = client.get(f"{clean}/remove").text
    assert "outside the folders that this page may touch: <bdi>secret.txt" in page
    carry_out(client, clean)
    assert secret.exists()
    answer = client.get(f"{clean}/remove", params={"how": "move", "target": "/etc/removed"})
    assert answer.status_code == 403


def test_lists_to_take_along(client: TestClient, clean: str, place: Path) -> None:
    before = files(place)
    table = client.get(f"{clean}/list.csv")
    assert table.headers["content-disposition"].startswith("attachment")
    assert table.text.count(",remove,") == 6
    assert files(place) == before
