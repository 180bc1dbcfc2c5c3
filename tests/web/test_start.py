"""The first page over HTTP: its tree, what it starts and what it remembers."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import COLLECTION, finished, jobs_in
from twinset.web.app import settings_for
from twinset.web.folders import content_of
from twinset.web.jobs import Job, Jobs, Stage, State, Status
from twinset.web.settings import ForbiddenError, Settings, inside

PATHS = re.compile(r'data-path="([^"]*)"')


@pytest.fixture
def mine(settings: Settings) -> Path:
    """A folder of the user's, with things in it and around it that the page must not show."""
    mine = settings.roots[1]
    for name in ("Letters/2023", "Letters/2024", ".secret/inner", "Empty"):
        (mine / name).mkdir(parents=True)
    (mine / "Letters" / "one.txt").write_text("a letter")
    (mine.parent / "outside" / "private").mkdir(parents=True)
    (mine / "way-out").symlink_to(mine.parent / "outside")
    (mine / "way-in").symlink_to(mine / "Letters")
    return mine


def listed(client: TestClient, at: Path | str) -> list[str]:
    answer = client.get("/start/tree", params={"at": str(at)})
    assert answer.status_code == 200, answer.text
    return PATHS.findall(answer.text)


def test_the_tree_has_folders_that_may_be_opened(client: TestClient, mine: Path) -> None:
    shown = [str(mine / name) for name in ("Empty", "Letters", "Letters")]  # the last by its link
    assert listed(client, mine) == shown
    assert listed(client, mine / "Letters") == [str(mine / "Letters" / y) for y in ("2023", "2024")]
    text = client.get("/start/tree", params={"at": str(mine)}).text
    assert "Letters, 1 file" in text
    assert "Empty, empty" in text


@pytest.mark.parametrize("way", ["..", "../outside", "way-out", "way-out/private", "/", "/etc"])
def test_the_tree_never_lists_outside(client: TestClient, mine: Path, way: str) -> None:
    for address, name in (("tree", "at"), ("folder", "folder")):
        answer = client.get(f"/start/{address}", params={name: str(mine / way)})
        assert answer.status_code == 403, address
        assert "data-path" not in answer.text
    answer = client.post("/start", data={"folder": str(mine / way)})
    assert answer.status_code == 403


def test_a_link_that_leads_out_does_not_make_a_folder_one_to_open(
    client: TestClient, mine: Path
) -> None:
    inner = mine / "Letters" / "2023"
    (inner / "out").symlink_to(mine.parent / "outside")
    line = re.search(
        rf"<li[^>]*{re.escape(str(inner))}[^>]*>",
        client.get("/start/tree", params={"at": str(mine / "Letters")}).text,
    )
    assert line is not None
    assert "aria-expanded" not in line[0]


def test_a_name_that_is_not_text_does_not_break_the_tree(client: TestClient, mine: Path) -> None:
    os.mkdir(os.fsencode(mine) + b"/b\xff")
    assert str(mine / "Letters") in listed(client, mine)


def test_a_folder_is_described_before_the_search(client: TestClient, mine: Path) -> None:
    text = client.get("/start/folder", params={"folder": str(mine)}).text
    assert "1 file, 8" in text
    assert "no files" in client.get("/start/folder", params={"folder": str(mine / "Empty")}).text
    assert client.get("/start/folder", params={"folder": str(mine / "gone")}).status_code == 400
    one = client.get("/start/folder", params={"folder": str(mine / "Letters" / "one.txt")}).text
    assert "single file" in one


def test_a_folder_that_cannot_be_written_is_named_before_the_search(
    client: TestClient, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "notice" not in client.get("/start/folder", params={"folder": str(mine)}).text
    monkeypatch.setattr("twinset.web.start.os.access", lambda path, mode: not mode & os.W_OK)
    text = client.get("/start/folder", params={"folder": str(mine)}).text
    assert "read-only" in text


def test_disks_of_a_person_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    disk = tmp_path / "media" / "stick"
    for folder in (disk, disk.with_name("empty")):
        folder.mkdir(parents=True)
    monkeypatch.setattr("twinset.web.settings.DISKS", (f"{tmp_path}/media/*",))
    monkeypatch.setattr("os.path.ismount", lambda path: path == str(disk))
    settings = Settings((tmp_path / "home",), tmp_path / "own", disks=True)
    assert inside(settings, disk) == disk.resolve()
    for forbidden in (disk.with_name("empty"), tmp_path / "media"):
        with pytest.raises(ForbiddenError):
            inside(settings, forbidden)
    with pytest.raises(ForbiddenError):
        inside(Settings((tmp_path / "home",), tmp_path / "own"), disk)


def test_counting_a_folder_stops_in_time(mine: Path) -> None:
    assert content_of(mine).is_whole
    assert not content_of(COLLECTION, seconds=0).is_whole


def test_without_a_folder_the_page_opens_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = settings_for(home=tmp_path / "state")
    assert settings.roots == (tmp_path.resolve(),)
    assert settings.named == ""


def test_a_click_starts_a_search_and_leads_to_its_result(
    client: TestClient, settings: Settings
) -> None:
    answer = client.post("/start", data={"folder": str(COLLECTION / "russian")})
    place = answer.url.path
    assert place.startswith("/job/")
    name = place.split("/")[2]
    end = time.monotonic() + 30
    while "hx-redirect" not in (part := client.get(f"/job/{name}/part")).headers:
        assert time.monotonic() < end, part.text
        time.sleep(0.1)
    assert part.headers["hx-redirect"].startswith("/report/")
    assert client.get(place, follow_redirects=False).status_code == 303
    search = jobs_in(settings).find(name)
    assert search.way == "clean"
    assert f'href="{place}"' in client.get("/more").text
    again = client.get("/").text
    assert f'data-choose="{COLLECTION / "russian"}"' in again, "a recent folder"
    assert f'value="{COLLECTION / "russian"}"' in again, "chosen again"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Reading the files", "lease.docx", "40\xa0%", "about 1\xa0min")),
        ("ru", ("Чтение файлов", "lease.docx", "40\xa0%", "осталось около 1\xa0мин")),
    ],
)
def test_the_progress_says_what_is_read_and_how_long_it_takes(
    client: TestClient,
    name: str,
    searches: Jobs,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    words: tuple[str, ...],
) -> None:
    stages = [
        Stage("counting words", 3.0, True),
        Stage("reading", 40.0, False, 0.4, 5e6, 60.0, "lease.docx"),
    ]
    monkeypatch.setattr(Job, "state", lambda _: State("running", stages))
    client.headers["accept-language"] = language
    searches.save(searches.find(name).with_(way="clean", out=str(searches.find(name).folder)))
    for address in ("", "/part"):
        text = client.get(f"/job/{name}{address}").text
        assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("status", ["failed", "cancelled", "killed"])
def test_a_search_that_ended_badly_can_be_begun_again(
    client: TestClient, name: str, searches: Jobs, monkeypatch: pytest.MonkeyPatch, status: Status
) -> None:
    monkeypatch.setattr(Job, "state", lambda _: State(status, said=["the disk is full"]))
    search = searches.find(name)
    options = {"each_file": True}
    searches.save(search.with_(way="clean", out=str(search.folder), options=options))
    text = client.get(f"/job/{name}").text
    assert ("the disk is full" in text) == (status == "failed")
    assert 'action="/start"' in text
    assert "hx-get" not in text


def test_nothing_is_started_without_a_folder(client: TestClient, settings: Settings) -> None:
    answer = client.post("/start", data={"folder": " "})
    assert answer.status_code == 400
    assert "no folder is chosen" in answer.text
    assert jobs_in(settings).all() == []


def test_choices_are_remembered(client: TestClient) -> None:
    client.post("/look", data={"language": "ru", "theme": "dark"})
    text = client.get("/").text
    assert '<html lang="ru" data-theme="dark">' in text


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The searches that the page would have started."""
    searches: list[Job] = []
    monkeypatch.setattr("twinset.web.start.start", lambda request, search: searches.append(search))
    return searches


def test_other_folders_are_compared_and_remembered(
    client: TestClient, mine: Path, started: list[Job]
) -> None:
    letters = str(mine / "Letters")
    client.post("/start", data={"folder": str(COLLECTION), "reference": f"{letters}\n\n"})
    assert started[0].options["reference"] == [letters]
    assert f">{letters}</textarea>" in client.get("/").text, "remembered"
    outside = {"folder": str(COLLECTION), "reference": str(mine / "way-out")}
    assert client.post("/start", data=outside).status_code == 403
    one = {"folder": str(COLLECTION), "reference": str(mine / "Letters" / "one.txt")}
    assert client.post("/start", data=one).status_code == 400
    assert len(started) == 1


def test_what_could_not_be_read_is_named_one_click_on(client: TestClient, mine: Path) -> None:
    (mine / "broken.docx").write_bytes(b"PK\x03\x04 and no archive")
    (mine / "empty.txt").write_bytes(b"")
    for name in ("a.txt", "b.txt"):
        (mine / name).write_text("the same lease of the flat in mill lane for five years")
    name = client.post("/start", data={"folder": str(mine)}).url.path.split("/")[2]
    finished(client, name)
    page = client.get(f"/job/{name}")
    link = re.search(r'<a href="([^"]*)#faults-title">1 could not be read\.</a>', page.text)
    assert link is not None
    assert "broken.docx" in client.get(link[1]).text
