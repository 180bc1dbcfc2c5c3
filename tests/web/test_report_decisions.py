"""Decisions on a report: made, undone, refused, downloaded and applied."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.report_sample import address, decide
from twinset.review import Journal, opened
from twinset.web.settings import Settings


def test_deciding_and_undoing(client: TestClient, report: str, folder: Path) -> None:
    journal = Journal(folder)
    assert decide(client, report, left="a", right="b", verdict="duplicate", keep="b") == 303
    assert decide(client, report, left="a", right="d", verdict="not") == 303
    assert decide(client, report, cluster="0", verdict="unsure") == 303
    standing = journal.read().standing
    assert [(d.verdict, d.keep) for d in standing][:2] == [("duplicate", "b"), ("not", None)]
    assert len(standing[2].ids) > 2
    assert "keeps b" in client.get(address(f"{report}/pair", left="a", right="b")).text
    client.post(f"{report}/undo", data={"back": report})
    assert len(journal.read()) == 2
    listed = client.get(f"{report}/export").text
    assert "2 decisions" in listed


@pytest.mark.parametrize(
    "form",
    [
        {"left": "a", "right": "zebra", "verdict": "not"},
        {"left": "a", "right": "a", "verdict": "not"},
        {"left": "a", "right": "b", "verdict": "maybe"},
        {"left": "a", "right": "b", "verdict": "duplicate", "keep": "c"},
        {"cluster": "99", "verdict": "not"},
        {"left": "a", "right": "b"},
    ],
)
def test_decisions_that_cannot_be(
    client: TestClient, report: str, folder: Path, form: dict[str, str]
) -> None:
    assert decide(client, report, **form) == 400
    assert not (folder / "decisions.jsonl").exists()


def test_the_queue_to_its_end(client: TestClient, report: str, folder: Path) -> None:
    clusters = opened(folder).manifest["counts"]["clusters"]
    for _ in range(clusters):
        page = client.get(f"{report}/decide").text
        number = re.search(r'name="cluster" value="(\d+)"', page)[1]  # type: ignore[index]
        assert decide(client, report, cluster=number, verdict="not") == 303, number
    assert "No open cluster is left" in client.get(f"{report}/decide").text
    assert len(Journal(folder).read()) == clusters


def test_downloads(client: TestClient, report: str) -> None:
    decide(client, report, left="a", right="b", verdict="duplicate", keep="a")
    page = client.get(f"{report}/page.html")
    assert page.headers["content-disposition"].startswith("attachment")
    assert "<script" not in page.text
    assert client.get(f"{report}/labels.csv").text == "left,right,label\na,b,1\n"
    assert client.get(f"{report}/labels.json").json()["labels"] == [["a", "b", 1]]
    assert client.get(f"{report}/labels.exe").status_code == 400


def test_apply(client: TestClient, report: str, corpus: Path, settings: Settings) -> None:
    before = corpus.read_bytes()
    decide(client, report, left="a", right="b", verdict="duplicate", keep="b")
    out = settings.roots[1] / "decided"
    answer = client.post(f"{report}/apply", data={"out": str(out), "undecided": "keep"})
    assert answer.status_code == 200
    assert len((out / "removed.jsonl").read_text().splitlines()) == 1
    assert corpus.read_bytes() == before
    again = client.post(f"{report}/apply", data={"out": str(out)})
    assert again.status_code == 400
    assert "exists already" in again.text
    outside = client.post(f"{report}/apply", data={"out": "/etc/decided"})
    assert outside.status_code == 403
