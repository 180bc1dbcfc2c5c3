"""An index on the page: what it says of itself, what it answers, and what it refuses."""

from __future__ import annotations

import html
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import visitor
from twinset.index import Index
from twinset.index.catalogue import NAME, seal_of
from twinset.web.app import settings_for
from twinset.web.security import cookie_name, pass_of
from twinset.web.settings import Settings

WORDS = [f"word{number}" for number in range(60)]
TEXT = " ".join(WORDS)
NEAR = " ".join([*WORDS[:-1], "another"])
DOCUMENTS = {
    "whole": TEXT,
    "end": " ".join([*WORDS[:-3], "quite", "another", "end"]),
    "apart": "nothing in common with any of the others at all",
}


def made(folder: Path, documents: dict[str, str] = DOCUMENTS, **options: Any) -> Path:
    goal = {} if "method" in options else {"threshold": 0.7}
    with Index.create(folder, **goal | options) as index:
        index.add(documents)
    return folder


@pytest.fixture
def folder(settings: Settings) -> Path:
    return made(settings.roots[1] / "kept")


@pytest.fixture
def address(client: TestClient, folder: Path) -> str:
    return opened(client, folder)


def opened(client: TestClient, folder: Path) -> str:
    """The address of an index that was chosen on the first page."""
    answer = client.post("/start", data={"folder": str(folder)}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"].startswith("/index/")
    return str(answer.headers["location"])


def ids(page: str) -> list[str]:
    """The documents of the table."""
    return re.findall(r'data-row name="show" value="\d+"><bdi>([^<]*)', page)


def chosen(page: str) -> list[str]:
    """The document that is shown."""
    return re.findall(r'aria-current="true">.*?<bdi>([^<]*)', page, re.DOTALL)


def spoken(page: str) -> str:
    text = html.unescape(re.sub(r"<[^>]*>", " ", page)).replace("\u00a0", " ")
    return " ".join(text.split())


def upload(client: TestClient, address: str, name: str, content: bytes, **data: str) -> Any:
    return client.post(address, data=data, files={"file": (name, content)})


def test_an_index_is_chosen_wherever_a_folder_is(
    client: TestClient, folder: Path, tmp_path: Path
) -> None:
    said = client.get("/start/folder", params={"folder": str(folder)}).text
    assert "This folder is an index" in said
    assert 'href="/index/' not in client.get("/more").text
    address = opened(client, folder)
    for form, field in (("/open-report", "folder"), ("/search/new", "path")):
        answer = client.post(form, data={field: str(folder)}, follow_redirects=False)
        assert answer.headers["location"] == address
    assert f'href="{address}"' in client.get("/more").text
    settings = settings_for(str(folder), home=tmp_path / "home")
    assert settings.first == address
    assert settings.roots == (folder.resolve(),)


def test_it_says_what_it_is(client: TestClient, address: str, folder: Path) -> None:
    said = spoken(client.get(address).text)
    assert "3 documents are in it." in said
    assert "from a similarity of 0.7 on" in said
    assert re.search(r"at exactly this similarity 99(\.\d)? % are found", said)
    assert "Method: minhash ." in said
    assert "It keeps the texts" in said
    assert f"twinset index query {folder} FILE" in said


def test_the_nearest_comes_first_and_is_shown_side_by_side(
    client: TestClient, address: str
) -> None:
    page = client.post(address, data={"text": NEAR}).text
    assert ids(page) == ["whole", "end"]
    assert chosen(page) == ["whole"]
    said = spoken(page)
    assert "0.9649" in said  # 55 of 57 shingles of five words
    assert "98.2 % of your text is in it, 98.2 % of it is in your text" in said
    assert re.search("<del[^>]*>another</del>", page)
    assert re.search("<ins[^>]*>word59</ins>", page)
    other = client.post(address, data={"text": NEAR, "show": "1"}).text
    assert chosen(other) == ["end"]
    assert re.search("<ins[^>]*>quite", other)


def test_a_file_is_read_as_the_command_line_reads_it(
    client: TestClient, address: str, settings: Settings
) -> None:
    for name, content in {
        "page.html": f"<html><body><p>{NEAR}</p></body></html>".encode(),
        "utf-16.txt": NEAR.encode("utf-16"),
        "one.jsonl": f'{{"id": "x", "text": "{NEAR}"}}\n'.encode(),
        "../../etc/<b>.txt": NEAR.encode(),
    }.items():
        answer = upload(client, address, name, content, text="pasted before")
        assert answer.status_code == 200, name
        assert ids(answer.text) == ["whole", "end"], name
        assert f"Near “{name.replace('<b>', '&lt;b&gt;')}”" in answer.text
        sent = re.findall('name="text" value="([^"]*)"', answer.text)
        assert sent == [NEAR], "the rows send the text of the file"
    assert not [path for path in settings.home.rglob("*") if path.is_dir()], "it is kept nowhere"


def test_a_file_without_a_document_is_answered_in_a_sentence(
    client: TestClient, address: str
) -> None:
    for name, content, sentence in (
        ("a.txt", b" \n", "a.txt holds no text"),
        ("a.bin", bytes(range(256)) * 9, "a.bin cannot be read: 1 file holds no text"),
        ("a.pdf", b"%PDF-1.4 cut", "a.pdf cannot be read: 1 file is damaged"),
        ("a.jsonl", b"{cut\n", "a.jsonl cannot be read: 1 record is broken"),
        ("a.csv", b"id,text\n1,one\n2,two\n", "a.csv holds several documents"),
    ):
        answer = upload(client, address, name, content)
        assert answer.status_code == 400
        assert sentence in spoken(answer.text)
        assert "twinset-temporary" not in answer.text


def test_nothing_to_ask_about_and_nothing_near(
    client: TestClient, settings: Settings, address: str
) -> None:
    for empty in ("", " \r\n "):
        answer = client.post(address, data={"text": empty})
        assert answer.status_code == 400
        assert "there is nothing to ask about" in answer.text
    answer = client.post(address, data={"text": "words that no document has"})
    assert "No document of the index with a similarity of 0.7 or more" in answer.text
    assert ids(answer.text) == []
    empty_index = opened(client, made(settings.roots[1] / "empty", {}))
    assert "The index is empty" in client.post(empty_index, data={"text": TEXT}).text


def test_long_texts_are_shown_in_parts(client: TestClient, settings: Settings) -> None:
    def long(every: int) -> str:
        lines = (" ".join(f"w{line}x{n}" for n in range(9)) for line in range(3000))
        return "\n".join(
            f"{at} {line}" if at % every == 0 else line for at, line in enumerate(lines)
        )

    address = opened(client, made(settings.roots[1] / "kept", {"long": long(12)}, threshold=0.1))
    text = long(9)
    page = client.post(address, data={"text": text}).text
    assert "<details" in page
    assert page.count('class="pane-row differs"') < 130
    following = re.search(r'name="show" value="(0-\d+)"', page)
    assert following is not None
    rest = client.post(address, data={"text": text, "show": following[1]}).text
    rows = [set(re.findall('id="row-([0-9]+)"', each)) for each in (page, rest)]
    assert min(map(len, rows)) > 0
    assert not rows[0] & rows[1]
    assert "From the beginning" in rest


def test_ids_and_texts_are_never_live(client: TestClient, settings: Settings) -> None:
    attack = "<script>alert(1)</script>"
    documents = {f"{attack}\n\u202e": f"{attack} {TEXT}", "x" * 5000: TEXT}
    address = opened(client, made(settings.roots[1] / "kept", documents))
    for show in ("0", "1", "2", "9" * 30, "-1", "²", "0-" + "9" * 30, "1-x"):
        data = {"text": f"{attack} {NEAR}", "id": attack, "called": attack, "show": show}
        answer = client.post(address, data=data)
        assert answer.status_code == 200
        assert attack not in answer.text
        assert "\u202e" not in answer.text


def test_nothing_is_written_to_the_index(client: TestClient, folder: Path, address: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    client.post(address, data={"text": NEAR})
    upload(client, address, "a.txt", NEAR.encode())
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    beside = {f"{NAME}-shm", f"{NAME}-wal"}  # SQLite's own, which readers share
    assert {name: after[name] for name in after if name not in beside} == {
        name: before[name] for name in before if name not in beside
    }


def test_an_index_that_is_gone_damaged_or_foreign(
    client: TestClient, folder: Path, address: str, tmp_path: Path
) -> None:
    assert client.get("/index/0123456789").status_code == 404
    catalogue = folder / NAME
    whole = catalogue.read_bytes()
    for broken in (b"", b"no database at all", whole[:5000], whole[:100] + b"\xff" * 9000):
        catalogue.write_bytes(broken)
        for answer in (client.get(address), client.post(address, data={"text": TEXT})):
            assert answer.status_code == 400, broken[:9]
            assert str(folder) in answer.text, "the sentence names the index"
    for table in ("documents", "facts", "state"):
        catalogue.write_bytes(whole)
        with closing(sqlite3.connect(catalogue, isolation_level=None)) as connection:
            connection.execute(f"DROP TABLE {table}")
        answer = client.post(address, data={"text": TEXT})
        assert answer.status_code == 400, table
        assert "is damaged (no such table" in answer.text
    catalogue.unlink()
    assert client.get(address).status_code == 404
    (tmp_path / "elsewhere").write_bytes(whole)
    catalogue.symlink_to(tmp_path / "elsewhere")
    assert client.get(address).status_code == 403
    assert f'href="{address}"' in client.get("/more").text


def test_a_file_that_an_index_names_lies_in_the_folders_of_the_page(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    inside, outside = settings.roots[1] / "words.txt", tmp_path / "outside.txt"
    for synonyms in (inside, outside):
        synonyms.write_text("word1, word2\n")
        place = settings.roots[1] / synonyms.stem
        made(place, synonyms=str(synonyms))
        with closing(sqlite3.connect(place / NAME, isolation_level=None)) as catalogue:
            [(facts,)] = catalogue.execute("SELECT value FROM facts")
            named = facts.replace(b"=word1|word2", str(synonyms).encode())
            assert named != facts
            change = "UPDATE facts SET value = ?, seal = ?"
            catalogue.execute(change, (named, seal_of("contents", named)))
    assert client.get(opened(client, settings.roots[1] / "words")).status_code == 200
    answer = client.get(opened(client, settings.roots[1] / "outside"))
    assert answer.status_code == 400
    assert "outside" in answer.text


def test_a_document_has_a_limit_of_its_own(settings: Settings, folder: Path) -> None:
    import dataclasses

    small = dataclasses.replace(settings, request_bytes=5000, document_bytes=50_000)
    client = visitor(small, raise_server_exceptions=False)
    client.cookies.set(cookie_name(small), pass_of(small))
    with client:
        address = opened(client, folder)
        assert client.post(address, data={"text": NEAR * 40}).status_code == 200
        assert upload(client, address, "a.txt", b"words " * 9000).status_code == 413
        chunks = (b"text=" + b"word " * 200 for _ in range(90))  # no length is declared
        kind = {"content-type": "application/x-www-form-urlencoded"}
        assert client.post(address, content=chunks, headers=kind).status_code == 413
