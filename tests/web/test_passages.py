"""The tab of passages: the list, a passage in its context, and what cannot be shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import twinset
from twinset.web.settings import Settings

SHARED = "the <b>keeper</b> of the lighthouse wrote down every ship that passed the cape in winter"
LEFT = f"Chapter one. It is said that {SHARED}, and nobody knows why."
RIGHT = f"From a letter: {SHARED.replace('winter', 'spring')}. More follows."


@pytest.fixture
def folder(settings: Settings) -> Path:
    """Where the page may look."""
    return settings.roots[1]


def written(folder: Path, name: str, **texts: str) -> Path:
    rows = [json.dumps({"id": id, "text": text}) for id, text in texts.items()]
    (folder / name).write_text("\n".join(rows), "utf-8")
    return folder / name


def opened(client: TestClient, report: Path) -> str:
    """The address of the tab that a report opens with."""
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    assert answer.status_code == 303
    return str(answer.headers["location"])


def reuse(folder: Path) -> Path:
    left = written(folder, "left.jsonl", essay=LEFT)
    right = written(folder, "right.jsonl", letter=RIGHT, other="nothing")
    return Path(str(twinset.reuse(left, right, least=8).save(folder / "reuse")))


def test_reused_passages_side_by_side(client: TestClient, folder: Path) -> None:
    address = opened(client, reuse(folder))
    assert address.endswith("/passages")
    page = client.get(address).text
    assert "1 passage is shared in 1 pair of documents" in page
    assert "essay" in page
    shown = client.get(address, params={"at": 0}).text
    assert "<mark>the &lt;b&gt;keeper" in shown
    assert "From a letter: " in shown  # what stands before it
    assert client.get(address, params={"at": 5}).status_code < 500
    (folder / "right.jsonl").write_text("{}")
    assert "cannot be read again" in client.get(address, params={"at": 0}).text


def test_spans_with_their_places(client: TestClient, folder: Path) -> None:
    file = written(folder, "texts.jsonl", a=LEFT, b=f"{LEFT} Again.")
    address = opened(client, Path(str(twinset.spans(file, 10).save(folder / "spans"))))
    page = client.get(address, headers={"accept-language": "ru"}).text
    assert "Отрывки" in page
    shown = client.get(address, params={"at": 0}).text
    assert shown.count("<mark>") == 2
    assert "Again." in shown


def test_nothing_found_and_other_reports(client: TestClient, folder: Path) -> None:
    file = written(folder, "texts.jsonl", a="one", b="two")
    for command in (twinset.spans, lambda file: twinset.reuse(file, file)):
        address = opened(client, Path(str(command(file).save(folder / "none", force=True))))
        assert "No " in client.get(address).text
        assert client.get(address, params={"at": 0}).status_code < 500
    plain = opened(client, Path(str(twinset.find(file).save(folder / "plain"))))
    assert client.get(f"{plain.split('?')[0]}/passages").status_code < 500


def test_of_a_long_passage_the_beginning_is_shown(client: TestClient, folder: Path) -> None:
    text = " ".join(f"word{number}" for number in range(4000))
    left, right = (written(folder, f"{name}.jsonl", **{name: text}) for name in ("book", "copy"))
    address = opened(client, Path(str(twinset.reuse(left, right).save(folder / "long"))))
    shown = client.get(address, params={"at": 0}).text
    assert "Only the beginning is shown." in shown
    assert shown.count("word1000 ") >= 2
    assert "word3999" not in shown
    short = client.get(opened(client, reuse(folder)), params={"at": 0}).text
    assert "Only the beginning" not in short


DAMAGE = [
    ("manifest.json", "{}"),
    ("manifest.json", '{"twinset": "1", "command": "reuse"}'),
    ("manifest.json", "no json"),
    ("reuse.parquet", "broken"),
    ("documents.parquet", "broken"),
]


@pytest.mark.parametrize(("file", "content"), DAMAGE)
def test_a_damaged_report_is_a_sentence(
    client: TestClient, folder: Path, file: str, content: str
) -> None:
    report = reuse(folder)
    address = opened(client, report)
    (report / file).write_text(content)
    answer = client.get(address)
    assert 400 <= answer.status_code < 500
    assert "Traceback" not in answer.text


def test_texts_outside_the_allowed_folders_are_not_shown(
    client: TestClient, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    texts = {"a": LEFT, "b": LEFT}
    file = written(outside, "texts.jsonl", **texts)
    address = opened(client, Path(str(twinset.spans(file, 10).save(folder / "spans"))))
    shown = client.get(address, params={"at": 0}).text
    assert "keeper" not in shown
    assert "cannot be read again" in shown
