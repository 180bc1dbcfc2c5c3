"""Reports of spans, reuse and units: the page shows the one in the folder, sealed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import twinset
from twinset.web.settings import Settings

SHARED = "the <b>keeper</b> of the lighthouse wrote down every ship that passed the cape in winter"
TEXTS = {
    "essay": f"Chapter one. It is said that {SHARED}, and nobody knows why.",
    "letter": f"From a letter: {SHARED.replace('winter', 'spring')}. More follows.",
}


@pytest.fixture
def file(settings: Settings) -> Path:
    """Two documents in a folder that the page may open."""
    path = settings.roots[1] / "texts.jsonl"
    rows = [json.dumps({"id": id, "text": text}) for id, text in TEXTS.items()]
    path.write_text("\n".join(rows), "utf-8")
    return path


def opened(client: TestClient, report: Path) -> str:
    """The address that a report opens with."""
    answer = client.post("/open-report", data={"folder": str(report)}, follow_redirects=False)
    assert answer.status_code == 303
    return str(answer.headers["location"])


def test_the_page_of_the_report_is_shown(client: TestClient, file: Path) -> None:
    for findings, found in (
        (twinset.reuse(file, file, least=8), "passages are shared in"),
        (twinset.spans(file, 10), "at least 10 words"),
        (twinset.find(file, level="sentence"), "No sentence"),
    ):
        report = Path(str(findings.save(file.parent / "report", force=True)))
        address = opened(client, report)
        assert address.endswith("/passages")
        answer = client.get(address)
        assert found in answer.text
        assert answer.content == (report / "report.html").read_bytes()
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    (report / "report.html").unlink()
    answer = client.get(address)
    assert 400 <= answer.status_code < 500
    assert "run the search again" in answer.text
    (report / "manifest.json").write_text("no json")
    assert 400 <= client.post("/open-report", data={"folder": str(report)}).status_code < 500
    plain = opened(client, Path(str(twinset.find(file).save(file.parent / "plain"))))
    assert not plain.endswith("/passages")
