"""The list of what can go: what it shows, and what a click changes."""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import twinset
from tests.reading.pdfs import pdf_of
from tests.reading.test_mail import letter
from tests.review.test_places import PAGES, pdf
from tests.web.cleaning_sample import FILES, GOING, folder_with_copies
from tests.web.conftest import jobs_in
from twinset.review import opened
from twinset.web.report import cleaning as opening
from twinset.web.report import picture
from twinset.web.settings import ForbiddenError, Settings

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


def test_the_list_is_filtered_and_sorted(client: TestClient, clean: str) -> None:
    asked: dict[str, str]
    for asked, first in (
        ({"sort": "name"}, "garden party"),
        ({"sort": "name", "reverse": "1"}, "Счёт за свет"),
        ({"kind": "revision"}, "Lease"),
        ({"q": "СЧЕТА"}, "Счёт за свет"),
    ):
        text = client.get(clean, params=asked).text
        assert groups(text)[0].startswith(first)
        assert len(groups(text)) == 1 or "sort" in asked
    assert client.get(clean, params={"sort": "nonsense"}).status_code == 400


def test_a_report_of_records_has_nothing_to_remove(client: TestClient, report: str) -> None:
    answer = client.get(f"{report}/clean")
    assert answer.status_code == 200
    assert "about records and not about files" in answer.text
    assert client.post(f"{report}/clean/back").status_code == 400


def boxes(client: TestClient, clean: str, **asked: str) -> dict[str, tuple[str, str]]:
    """Document and group of each file that can be marked."""
    text = client.get(clean, params=asked).text
    found = re.findall(r'id="file-(\d+)-(\d+)"[^>]*aria-label="([^"]*) can go"', text)
    return {html.unescape(name): (document, group) for group, document, name in found}


def mark(client: TestClient, clean: str, file: str, goes: bool) -> str:
    document, group = boxes(client, clean)[file]
    data = {"document": document, "group": group} | ({"goes": "1"} if goes else {})
    return client.post(f"{clean}/mark", data=data, headers=PAGE).text


def compared(client: TestClient, clean: str, file: str, **asked: str) -> str:
    """The page that a file of the list is compared on with the one that stays."""
    text = client.get(clean, params=asked).text
    link = re.search(rf'href="([^"]*)" aria-label="Compare {re.escape(file)} with', text)
    return client.get(html.unescape(link[1])).text


def test_what_is_decided_beside_the_texts_is_decided_in_the_list(
    client: TestClient, clean: str
) -> None:
    file = "Lease (1).txt"
    before = rows(client.get(clean).text)
    text = compared(client, clean, file)
    assert f'href="{clean}"' in text, "the way back"
    assert 'name="verdict"' not in text, "decisions of the report are none of the list"
    assert f'formaction="{clean}/keeper"' in text
    sent = dict(re.findall(r'name="(document|group)" value="(\d+)"', text))
    answer = client.post(f"{clean}/keeper", data=sent, follow_redirects=False)
    assert answer.headers["location"] == clean
    after = rows(client.get(clean).text)
    assert before[file]
    assert not after.get(file, False)
    assert sum(after.values()) == sum(before.values())


def test_a_part_of_another_file_cannot_stay_in_its_place(client: TestClient, clean: str) -> None:
    text = compared(client, clean, "Excerpt.txt", part="alike")
    assert "/clean/keeper" not in text


def test_a_mark_changes_the_totals_and_is_kept(client: TestClient, clean: str) -> None:
    text = mark(client, clean, "Lease (1).txt", False)
    assert "5 files can go" in text
    assert 'id="file-' in text, "the box keeps its name, and with it the focus"
    assert rows(client.get(clean).text)["Lease (1).txt"] is False
    data = {"what": "back"}
    again = client.post(f"{clean}/back", data=data, headers=PAGE | {"hx-target": "groups"}).text
    assert rows(again)["Lease (1).txt"] is True
    assert "6 files can go" in again


def test_the_last_copy_cannot_be_marked(client: TestClient, clean: str) -> None:
    text = mark(client, clean, "Lease v2 signed.txt", True)
    assert "last copy" in text
    assert rows(text)["Lease v2 signed.txt"] is False, "the box is drawn anew"


def test_another_file_is_kept_instead(client: TestClient, clean: str) -> None:
    document, group = boxes(client, clean)["garden party (1).jpg"]
    data = {"document": document, "group": group}
    text = client.post(f"{clean}/keeper", data=data, headers=PAGE).text
    assert rows(text) == {
        "garden party (1).jpg": False,
        "garden party.jpg": True,
    }


def test_marks_by_rule_in_the_groups_that_are_shown(client: TestClient, clean: str) -> None:
    headers = PAGE | {"hx-target": "groups", "hx-current-url": f"http://x{clean}?q=lease"}
    text = client.post(f"{clean}/rule", data={"rule": "none"}, headers=headers).text
    assert not any(rows(text).values())
    others = {name for name, goes in rows(client.get(clean).text).items() if goes}
    assert "garden party (1).jpg" in others, "groups that the filter hides are left alone"
    assert client.post(f"{clean}/rule", data={"rule": "nonsense"}).status_code == 400


def test_a_folder_is_marked_by_one_click(client: TestClient, clean: str) -> None:
    assert "Backup</bdi></strong> = <strong><bdi>Pictures" in client.get(f"{clean}/folders").text
    client.post(f"{clean}/rule", data={"folder": "Downloads", "rule": "outside-folder"})
    marks = rows(client.get(clean).text)
    assert marks["garden party (1).jpg"] is False
    assert marks["Lease v2 signed.txt"] is True
    client.post(f"{clean}/rule", data={"folder": "Downloads", "rule": "in-folder"})
    marks = rows(client.get(clean).text)
    assert marks["garden party (1).jpg"] is True
    assert marks["Lease v2 signed.txt"] is False
    assert client.post(f"{clean}/rule", data={"rule": "in-folder"}).status_code == 400


def test_what_decides_which_copy_stays_is_chosen(client: TestClient, clean: str) -> None:
    headers = PAGE | {"hx-target": "groups"}
    assert "the original name" in client.get(clean).text
    usual = {"policy": ["original-name", "newest", "format", "longest"]}
    client.post(f"{clean}/priorities", data=usual, headers=headers)
    shown = client.get(clean).text
    assert (
        re.findall(r'value="([\w-]+-\w+|\w+)" selected', shown[shown.index("policy-1") :])
        == usual["policy"]
    )
    chosen = {"policy": ["oldest", ""]}
    text = client.post(f"{clean}/priorities", data=chosen, headers=headers).text
    assert rows(text)["Lease.txt"] is False
    assert rows(text)["Lease v2 signed.txt"] is True
    client.post(f"{clean}/priorities", data={"policy": ["newest"]}, headers=headers)
    assert rows(client.get(clean).text)["Lease.txt"] is True
    assert client.post(f"{clean}/priorities", data={"policy": ["nonsense"]}).status_code == 400


def test_folders_are_shown_on_this_machine_alone(
    client: TestClient, clean: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(opening.subprocess, "Popen", lambda command, **_: started.append(command))
    monkeypatch.setattr(opening, "opener_of", lambda _: None)
    document, _ = boxes(client, clean)["Lease (1).txt"]
    assert ">Folder<" not in client.get(clean).text
    assert client.post(f"{clean}/open", data={"document": document}).status_code == 400
    monkeypatch.setattr(opening, "opener_of", lambda _: "/usr/bin/xdg-open")
    assert ">Folder<" in client.get(clean).text
    assert client.post(f"{clean}/open", data={"document": document}).status_code == 204
    assert Path(started[-1][-1]).name in ("Downloads", "Lease (1).txt")
    with pytest.raises(ForbiddenError):
        opening.show_in_folder(settings, Path("/etc/hostname"))
    monkeypatch.undo()
    monkeypatch.setenv("DISPLAY", ":0")
    assert opening.opener_of(dataclasses.replace(settings, host="0.0.0.0")) is None


def test_equal_files_without_text_are_said_to_be_equal(
    client: TestClient, settings: Settings
) -> None:
    folder = settings.roots[1] / "pictures"
    folder.mkdir()
    picture = b"\x89PNG\r\n\x1a\n" + bytes(90)
    for name in ("a.png", "b.png"):
        (folder / name).write_bytes(picture)
    (folder / "a.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    (folder / "b.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    report = twinset.find(folder, preset="files").save(settings.roots[1] / "pictures-report")
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    base = str(answer.headers["location"]).removesuffix("/clean")
    for kind in ("png", "zip"):
        text = client.get(f"{base}/pair", params={"left": f"a.{kind}", "right": f"b.{kind}"}).text
        assert "identical, byte for byte" in text
        assert "gone or has changed" not in text
    text = client.get(f"{base}/pair", params={"left": "a.png", "right": "b.zip"}).text
    assert "it was compared byte for byte" in text


PNG = b"\x89PNG\r\n\x1a\n" + bytes(90)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PICTURES = {
    "a.png": (PNG, "image/png"),
    "b.jpg": (b"\xff\xd8\xff\xe0" + bytes(90), "image/jpeg"),
    "c.gif": (b"GIF89a" + bytes(90), "image/gif"),
    "d.webp": (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(90), "image/webp"),
    "e.tiff": (b"II*\0" + bytes(90), None),
    "f.svg": (SVG, None),
    "svg.png": (SVG, None),
    "page.jpg": (b"<html><script>alert(1)</script>\0", None),
    "sound.webp": (b"RIFF\x10\0\0\0WAVEfmt " + bytes(90), None),
    "large.png": (PNG + bytes(picture.MOST_BYTES), None),
}


def test_only_pictures_that_the_report_lists_are_given_out(
    client: TestClient, settings: Settings
) -> None:
    folder = settings.roots[1] / "pictures"
    (folder / "copies").mkdir(parents=True)
    for name, (content, _) in PICTURES.items():
        (folder / name).write_bytes(content)
        (folder / "copies" / name).write_bytes(content)
    (folder / "letter.eml").write_bytes(bytes(letter("Rent", "words", a_png=PNG)))
    report = twinset.find(folder, preset="files").save(settings.roots[1] / "pictures-report")
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    base = str(answer.headers["location"]).removesuffix("/clean")
    number = opened(report).number
    for name, (content, kind) in PICTURES.items():
        answer = client.get(f"{base}/picture/{number(name)}")
        if kind is None:
            assert answer.status_code == 404
            assert "alert(1)" not in answer.text
            continue
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == kind
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    for other in (number("letter.eml/a.png"), -1, len(opened(report))):  # a part is no file
        assert client.get(f"{base}/picture/{other}").status_code == 404
    text = client.get(f"{base}/clean").text
    assert f'src="{base}/picture/{number("copies/a.png")}" loading="lazy"' in text
    assert text.count("no preview available") == 4  # of the TIFF and what is too large
    pair = {"left": "a.png", "right": "copies/a.png"}
    text = client.get(f"{base}/pair", params=pair).text
    assert all(f'src="{base}/picture/{number(pair[side])}"' in text for side in pair)
    assert "use czkawka" in text
    # what has changed since, and what lies outside the folders of this page
    (folder / "a.png").write_bytes(PNG + b"more")
    assert client.get(f"{base}/picture/{number('a.png')}").status_code == 404
    (folder / "b.jpg").unlink()
    outside = settings.roots[1].parent / "b.jpg"
    outside.write_bytes(PICTURES["b.jpg"][0])
    (folder / "b.jpg").symlink_to(outside)
    assert client.get(f"{base}/picture/{number('b.jpg')}").status_code == 404
    text = client.get(f"{base}/pair", params={"left": "b.jpg", "right": "copies/b.jpg"}).text
    assert text.count("<img") == text.count("no preview available") == 1
    client.cookies.clear()
    assert client.get(f"{base}/picture/{number('c.gif')}").status_code == 401


def test_of_a_part_the_pages_are_shown(client: TestClient, settings: Settings) -> None:
    folder = settings.roots[1] / "reports"
    folder.mkdir()
    (folder / "Annual report.pdf").write_bytes(pdf(PAGES))
    (folder / "part.txt").write_text(" ".join(PAGES[2:5]))
    report = twinset.find(folder, preset="files").save(settings.roots[1] / "reports-report")
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    base = str(answer.headers["location"]).removesuffix("/clean")
    text = client.get(f"{base}/clean", params={"part": "alike"}).text
    assert "pages 3–5 of Annual report.pdf" in text
    pair = {"left": "part.txt", "right": "Annual report.pdf"}
    assert "pages 3–5 of Annual report.pdf" in client.get(f"{base}/pair", params=pair).text
    group = int(re.search(r'id="group-(\d+)"', text)[1])
    asked = {"group": group, "document": opened(report).number("part.txt")}
    client.headers["accept-language"] = "ru"
    shown = client.get(f"{base}/clean/changes", params=asked).text
    assert "страницы 3–5 документа Annual report.pdf" in shown


def test_scans_are_read_by_a_button_of_the_page(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = settings.roots[1] / "scans"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(pdf_of([[]], scans=[0]))
    (folder / "letter.txt").write_text("Some words of a letter.")
    report = twinset.find(folder, preset="files").save(settings.roots[1] / "scans-report")
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    figures = str(answer.headers["location"]).removesuffix("/clean")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    text = client.get(figures).text
    assert "--ocr" not in text
    assert "scan.pdf" in text
    assert "Read the scans" in text
    answer = client.post("/start", data={"folder": str(folder), "ocr": "1"}, follow_redirects=False)
    search = answer.headers["location"].split("/")[2]
    assert jobs_in(settings).find(search).options["ocr"] == "yes"
