"""The documents of a search: chosen and read, and nothing outside."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.testclient import TestClient

from tests.web.archives import zipped
from tests.web.conftest import finished
from twinset.web.jobs import Jobs


def test_the_browser_stays_inside(client: TestClient, name: str, tmp_path: Path) -> None:
    (tmp_path / "mine" / "out").symlink_to("/etc")
    (tmp_path / "mine" / ".hidden").write_text("x")
    (tmp_path / "mine" / "<b>.txt").write_text("x")
    shown = client.get(f"/search/{name}/documents", params={"at": str(tmp_path / "mine")}).text
    assert "&lt;b&gt;.txt" in shown
    assert ".hidden" not in shown
    assert ">out<" not in shown
    for outside in ("/etc", str(tmp_path), str(tmp_path / "mine" / "out"), "/"):
        assert client.get(f"/search/{name}/documents", params={"at": outside}).status_code == 403
        assert client.post(f"/search/{name}/add", data={"path": outside}).status_code == 403


def test_a_run_reads_nothing_outside_through_links(
    client: TestClient, tmp_path: Path, searches: Jobs
) -> None:
    folder = tmp_path / "mine" / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("one document of its own with a few words")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("the secret outside")
    (folder / "link").symlink_to(outside)
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    answer = client.post("/search/new", data={"path": str(folder)})
    name = answer.url.path.split("/")[2]
    assert "secret" not in client.post(f"/search/{name}/preview", data={}).text
    client.post(f"/search/{name}/clusters", data={"go": "start"})
    finished(client, name)
    import twinset

    report = twinset.open_report(searches.find(name).out)
    assert report.documents["id"].to_pylist() == ["a.txt"]
    assert report.manifest["faults"] == {"outside": 2}


def test_documents_are_shown_as_text(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "mine" / "<img src=x>.txt").write_text("<script>alert(1)</script> & words")
    answer = client.post("/search/new", data={"path": str(tmp_path / "mine")})
    name = answer.url.path.split("/")[2]
    shown = client.post(f"/search/{name}/preview", data={"html": "no"}).text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "<img" not in answer.text + shown


def test_what_has_no_text_is_compared_by_its_bytes_and_what_is_broken_is_counted_apart(
    client: TestClient, tmp_path: Path, searches: Jobs
) -> None:
    folder = tmp_path / "mine" / "mixed"
    folder.mkdir()
    for copy in ("a.txt", "b.txt"):
        (folder / copy).write_text("the same few words of one document in two files")
    (folder / "old.jar").write_bytes(zipped(one=b"words"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    for number in range(12):
        (folder / f"{number}.bin").write_bytes(b"\0\1\2")
    name = client.post("/search/new", data={"path": str(folder)}).url.path.split("/")[2]
    client.post(f"/search/{name}/clusters", data={"go": "start"})
    finished(client, name)
    shown = client.get(f"/search/{name}/results").text
    assert "15 documents were read. 14 of them have near-duplicates." in shown
    assert "nothing reads their text: 1 archive, 12 other files" in shown
    assert "1 more could not be read" in shown
    assert "broken.pdf" in shown
    assert re.search(r'href="/report/\w+/clusters">Look at the clusters', shown)
    client.headers["accept-language"] = "ru"
    assert "<dt>документов</dt><dd>16</dd>" in client.get(f"/search/{name}/results").text


def test_a_search_without_text_is_refused_and_the_columns_are_offered(
    client: TestClient, tmp_path: Path, searches: Jobs
) -> None:
    rows = tmp_path / "mine" / "rows.jsonl"
    rows.write_text('{"id": 1, "content": {"body": "some words"}, "title": "T"}\n' * 3)
    name = client.post("/search/new", data={"path": str(rows)}).url.path.split("/")[2]
    shown = client.post(f"/search/{name}/preview").text
    assert "none of the 3 rows holds text" in shown
    assert 'name="text" value="content.body"' in shown
    for address, form in (("documents", {}), ("clusters", {"go": "start"})):
        refused = client.post(f"/search/{name}/{address}", data=form)
        assert refused.status_code == 400
        assert "did you mean --text content.body?" in refused.text
    assert not searches.find(name).is_started
    client.post(f"/search/{name}/column", data={"text": "content.body"})
    assert searches.find(name).options == {"text": "content.body"}
    assert "some words" in client.post(f"/search/{name}/preview").text
    client.post(f"/search/{name}/clusters", data={"go": "start"})
    finished(client, name)
    assert "3 documents were read" in client.get(f"/search/{name}/results").text
