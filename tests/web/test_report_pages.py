"""The pages of a report: every one answers, in both languages, and shows what the library says."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import jobs_in
from tests.web.report_sample import DOCUMENTS, address, decide
from twinset.web.settings import Settings


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_page_answers(client: TestClient, report: str, language: str) -> None:
    client.headers["accept-language"] = language
    pages = [
        report,
        f"{report}?t=0.8",
        f"{report}/clusters",
        f"{report}/clusters?sort=weakest&reverse=1&smallest=2&weakest=0.9&state=open&chained=1",
        f"{report}/cluster/0",
        f"{report}/cluster/0?t=0.6",
        f"{report}/cluster/0/parts",
        f"{report}/heads?first=0&d=1,2",
        address(f"{report}/pair", left="a", right="b"),
        address(f"{report}/pair", left="a", right="alone"),
        address(f"{report}/pair", left="a", right="b", start=1),
        f"{report}/decide",
        f"{report}/export",
    ]
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, (page, answer.text)
        assert "style=" not in answer.text, page
        assert re.search(r"\son\w+=", answer.text) is None, page
        assert "<style" not in answer.text, page


def test_a_pair_and_a_cluster_say_in_words_how_documents_differ(
    client: TestClient, report: str
) -> None:
    pair = client.get(address(f"{report}/pair", left="e", right="f")).text
    assert "<li>only numbers differ, 6 of them</li>" in pair
    client.headers["accept-language"] = "ru"
    pair = client.get(address(f"{report}/pair", left="e", right="f")).text
    assert "<li>различаются только числа: 6</li>" in pair
    client.headers["accept-language"] = "en"
    cluster = client.get(f"{report}/cluster/0").text
    places = set(re.findall(r'id="(said-\d+)"', cluster))
    heads = re.findall(r'hx-get="([^"]*/heads[^"]*)"', cluster)[0]
    sentences = client.get(html.unescape(heads)).text
    assert set(re.findall(r'id="(said-\d+)"', sentences)) < places
    assert "of the words are the same, in the same order" in sentences


def test_the_threshold_makes_other_clusters_at_once(client: TestClient, report: str) -> None:
    def count(answer: str) -> int:
        match = re.search(r'id="count-clustered_documents">(\d+)<', answer)
        assert match
        return int(match[1])

    own = count(client.get(report).text)
    high = client.get(f"{report}?t=0.9").text
    assert count(high) < own
    assert count(client.get(f"{report}?t=0.1").text) == own
    assert "t=0.9" in high
    assert f"{report}/clusters?t=0.9" in high


@pytest.mark.parametrize("t", ["nan", "inf", "-inf", "1e308", "-3", "0"])
def test_thresholds_out_of_bounds(client: TestClient, report: str, t: str) -> None:
    for page in ("", "/clusters", "/export"):
        assert client.get(f"{report}{page}?t={t}").status_code == 200
    figures = client.get(f"{report}?t={t}").text.partition('id="figures"')[2]
    assert not {"t=nan", "t=inf"}.intersection(re.findall(r"\bt=\w+", figures))
    assert client.get(f"{report}?t=much").status_code == 400
    assert client.get(f"{report}/cluster/0?offset=-7").status_code == 200
    assert client.get(f"{report}/clusters?offset=-7").status_code == 200


def test_the_table_is_filtered_and_searched(client: TestClient, report: str) -> None:
    assert "cluster matches" in client.get(f"{report}/clusters?q=a").text
    assert "No cluster matches" in client.get(f"{report}/clusters?q=zebra").text
    assert "No cluster matches" in client.get(f"{report}/clusters?smallest=100").text
    bad = client.get(f"{report}/clusters?sort=colour")
    assert bad.status_code == 400
    assert "sorted by size" in bad.text


def test_documents_are_shown_as_text(client: TestClient, report: str) -> None:
    evil = next(id for id in DOCUMENTS if "evil" in id)
    for page in (
        address(f"{report}/pair", left="a", right=evil),
        address(f"{report}/pair", left=evil, right="a", original=1),
        f"{report}/cluster/0",
        f"{report}/heads?first=0&d=1,2",
        f"{report}/cluster/0/parts",
        f"{report}/clusters",
    ):
        answer = client.get(page)
        text = answer.text
        assert "<script>alert" not in text, page
        assert "<img src=x" not in text, page
        assert "<b>evil" not in text, page
        assert "\u202e" not in _visible(text), page
        assert "\x00" not in text, page
        assert "script-src 'self'" in answer.headers["content-security-policy"]
    shown = client.get(address(f"{report}/pair", left="a", right=evil)).text
    assert "&lt;script&gt;" in shown
    assert "⟨RLO⟩bidi" in shown
    assert "␀null" in shown


def _visible(page: str) -> str:
    """A page without the values of its fields and addresses, where ids must stay as they are."""
    return re.sub(r'(?:value|href|hx-get)="[^"]*"', "", page)


def test_side_by_side(client: TestClient, report: str) -> None:
    page = client.get(address(f"{report}/pair", left="a", right="d")).text
    assert page.count("<del") == 5
    assert page.count("<ins") == 5
    assert 'data-total="5"' in page
    dates = client.get(address(f"{report}/pair", left="e", right="f")).text
    assert "differ in numbers and dates only" in dates
    assert "numbers-only" not in page
    assert (
        "not a listed pair" in client.get(address(f"{report}/pair", left="a", right="alone")).text
    )


def test_every_address_on_the_pages_of_a_report_answers(client: TestClient, folder: Path) -> None:
    lines = [f"line {n} of a text that is the same in both, at length" for n in range(900)]
    files = [folder.parent / "a.txt", folder.parent / "b.txt"]
    files[0].write_text("\n".join(lines))
    files[1].write_text("\n".join([*lines[:600], "another line", *lines[600:]]))
    twinset.find(files).save(folder.parent / "long")
    opened = client.post("/open-report", data={"folder": str(folder.parent / "long")})
    start = opened.url.path
    waiting, known = [start], {start}
    while waiting:
        answer = client.get(page := waiting.pop())
        assert answer.status_code == 200, (page, answer.text)
        for found in re.findall(r'(?:href|hx-get)="(/report/[^"#]*)', answer.text):
            if (each := html.unescape(found)) not in known:
                known.add(each)
                waiting.append(each)
    assert {page for page in known if "/parts" in page}


def test_an_unknown_document_or_cluster(client: TestClient, report: str) -> None:
    answer = client.get(address(f"{report}/pair", left="a", right="zebra"))
    assert answer.status_code == 400
    assert "zebra" in answer.text
    assert client.get(f"{report}/cluster/999").status_code == 400
    assert client.get(f"{report}/cluster/x").status_code == 400


def test_a_long_document_comes_in_windows(
    client: TestClient, settings: Settings, folder: Path
) -> None:
    words = [f"w{n}" for n in range(150_000)]
    changed = [f"x{n}" if n % 500 == 0 else word for n, word in enumerate(words)]
    file = settings.roots[1] / "long.jsonl"
    rows = [{"id": "one", "text": " ".join(words)}, {"id": "two", "text": " ".join(changed)}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    folder = twinset.find(file, 0.5).save(settings.roots[1] / "long")
    base = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = base.headers["location"]
    first = client.get(address(f"{report}/pair", left="one", right="two"))
    assert len(first.content) < 600_000
    assert "start=120" in first.text
    assert 'data-difference="299"' not in first.text
    last = client.get(address(f"{report}/pair", left="one", right="two", at=299)).text
    assert 'data-difference="299"' in last


def test_a_report_deleted_in_the_middle(client: TestClient, report: str, folder: Path) -> None:
    assert client.get(report).status_code == 200
    shutil.rmtree(folder)
    for page in (report, f"{report}/clusters", f"{report}/cluster/0", f"{report}/export"):
        answer = client.get(page)
        assert answer.status_code == 404
        assert "is gone" in answer.text
    form = {"left": "a", "right": "b", "verdict": "not"}
    answer = client.post(f"{report}/decide", data=form)
    assert answer.status_code == 404
    assert "is gone" in answer.text
    part = client.get(f"{report}?t=0.8", headers={"hx-request": "true"})
    assert part.headers["hx-retarget"] == "#messages"


def test_a_source_that_is_gone(client: TestClient, report: str, corpus: Path) -> None:
    corpus.unlink()
    page = client.get(address(f"{report}/pair", left="a", right="b"))
    assert page.status_code == 200
    assert "cannot be read again" in page.text
    for part in ("cluster/0/parts", "heads?first=0&d=1,2"):
        assert client.get(f"{report}/{part}").status_code == 200
    assert decide(client, report, left="a", right="b", verdict="not") == 303


def test_the_lattice(client: TestClient, settings: Settings, corpus: Path) -> None:
    folder = twinset.find(corpus, 0.5, clusters="closed", k=20).save(settings.roots[1] / "closed")
    base = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = base.headers["location"]
    picture = client.get(f"{report}/cluster/0/parts").text
    assert "Lattice of closed sets" in picture
    assert "<svg" in picture
    assert "<style" not in picture
    assert "<b>evil" not in picture


def test_a_report_without_clusters(client: TestClient, settings: Settings) -> None:
    file = settings.roots[1] / "few.jsonl"
    file.write_text('{"id": "x", "text": "one two three"}\n', encoding="utf-8")
    folder = twinset.find(file).save(settings.roots[1] / "few")
    base = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = base.headers["location"]
    assert "No two documents" in client.get(report).text
    assert "No cluster matches" in client.get(f"{report}/clusters").text
    assert "No open cluster" in client.get(f"{report}/decide").text
    assert client.get(f"{report}/export").status_code == 200


def test_a_report_on_images_says_that_it_has_no_texts(
    client: TestClient, settings: Settings
) -> None:
    images = settings.roots[1] / "s.fps"
    images.write_text("a 1 2 3\nb 1 2 3\nc 1 2 4\n", encoding="utf-8")
    folder = twinset.find(images, 0.5).save(images.parent / "on-images")
    answer = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = answer.headers["location"]
    for page in ("", "/cluster/0", "/cluster/0/parts", "/decide", "/export"):
        assert client.get(f"{report}{page}").status_code == 200
    page = client.get(f"{report}/pair?left=a&right=c").text
    assert "holds images: the texts of this report" in page


def test_a_report_leads_to_questions_about_its_documents(
    client: TestClient, settings: Settings, tmp_path: Path
) -> None:
    made = tmp_path / "mine" / "notes.jsonl"
    rows = [{"name": name, "body": text} for name, text in DOCUMENTS.items()]
    made.write_text("\n".join(map(json.dumps, rows)))
    twinset.find(made, text="body", id="name", mask=["dates"]).save(tmp_path / "mine" / "r")
    folder = {"folder": str(tmp_path / "mine" / "r")}
    report = client.post("/open-report", data=folder).url.path
    assert f'action="{report}/ask"' in client.get(report).text
    first = client.post(f"{report}/ask").url.path
    assert client.post(f"{report}/ask").url.path == first
    (search,) = jobs_in(settings).all("find")
    assert first == f"/search/{search.name}/ask"
    assert search.paths == (str(made),)
    assert search.options == {"text": "body", "id": "name", "mask": ["dates"]}
    made.unlink()
    assert f'action="{report}/ask"' not in client.get(report).text
    assert client.post(f"{report}/ask").url.path.endswith("/documents")
