"""A report of documents that were held against older ones opens on the page."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

import twinset
from tests.web.report_sample import address, body
from twinset.web.settings import Settings


@pytest.mark.parametrize("language", ["en", "ru"])
def test_its_pages_answer(client: TestClient, settings: Settings, language: str) -> None:
    documents = settings.roots[1]
    for name, changed in (("old", 3), ("new", 4)):
        (documents / name).mkdir()
        (documents / name / f"{name}.txt").write_text(body(changed), "utf-8")
    run = twinset.dedup([documents / "new"], against=[documents / "old"], threshold=0.5)
    folder = run.save(documents / "report")
    client.headers["accept-language"] = language
    answer = client.post("/open-report", data={"folder": str(folder)}, follow_redirects=False)
    report = str(answer.headers["location"])
    for page in ("", "/clusters", "/decide", "/export", "?t=0.9"):
        answer = client.get(report + page)
        assert answer.status_code == 200, (page, answer.text)
    assert "older" in client.get(report).text or language == "ru"
    pair = client.get(address(f"{report}/pair", left="new.txt", right="old.txt"))
    assert pair.status_code < 500
    assert "--pair NEW OLD" in pair.text
