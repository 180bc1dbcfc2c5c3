"""The tab of boilerplate: what stands in many documents, and the search without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import twinset
from tests.web.conftest import finished
from twinset.web.searches import Searches
from twinset.web.settings import Settings

FOOTER = "All <b>rights</b> reserved"


@pytest.fixture
def mails(settings: Settings) -> Path:
    path = settings.roots[1] / "mails.jsonl"
    rows = ({"id": f"m{n}", "text": f"word{n} other{n}\n\n{FOOTER}"} for n in range(5))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def opened(client: TestClient, report: Path) -> str:
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    return str(answer.headers["location"]) + "/boilerplate"


def test_the_tab_counts_paragraphs_and_searches_again_without_them(
    client: TestClient, settings: Settings, mails: Path
) -> None:
    report = twinset.dedup(mails, 0.5, exact=True, html="no").save(settings.roots[1] / "plain")
    address = opened(client, Path(str(report)))
    page = client.get(address).text
    assert "All &lt;b&gt;rights&lt;/b&gt; reserved" in page
    assert ">100\u00a0%<" in page
    answer = client.post(address, data={"more_than": "3"}, follow_redirects=False)
    assert answer.status_code == 303
    search = Searches(settings).all()[0]
    assert (search.kind, search.paths) == ("dedup", (str(mails),))
    assert search.options["drop_boilerplate"] == 3
    assert search.options["threshold"] == 0.5
    assert search.options["html"] == "no"
    finished(client, search.name)
    new = opened(client, Path(search.out))
    assert "left out the paragraphs that stand in more than 3 documents" in client.get(new).text
    assert twinset.open_report(search.out).manifest["counts"]["pairs"] == 0


def test_bad_numbers_and_documents_that_are_gone(
    client: TestClient, settings: Settings, mails: Path
) -> None:
    address = opened(client, Path(str(twinset.find(mails).save(settings.roots[1] / "plain"))))
    for number in ("", "many", "2.5", "-1", "nan"):
        answer = client.post(address, data={"more_than": number})
        assert 400 <= answer.status_code < 500, number
    mails.unlink()
    assert Searches(settings).all() == []
    memory = twinset.find(["a b", "c d"]).save(settings.roots[1] / "memory")
    address = opened(client, Path(str(memory)))
    assert '<form class="card' not in client.get(address).text
    assert client.post(address, data={"more_than": "3"}).status_code == 400


def test_where_nothing_stands_in_many_documents(client: TestClient, settings: Settings) -> None:
    path = settings.roots[1] / "own.jsonl"
    path.write_text('{"id": "a", "text": "one two"}\n{"id": "b", "text": "three"}\n')
    for options, said in (
        ({}, "three different documents"),
        ({"drop_boilerplate": 9}, "more than 9"),
    ):
        folder = twinset.find(path, **options).save(settings.roots[1] / "out", force=True)
        assert said in client.get(opened(client, Path(str(folder)))).text
