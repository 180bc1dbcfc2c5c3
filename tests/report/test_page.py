"""The page: self-contained, escaped, well-formed, the same for the same findings."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests.report import synthetic
from tests.report.synthetic import report_page

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Balanced(HTMLParser):
    """Collects tags and fails on one that is not closed by its own end tag."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    return parser


@pytest.fixture(params=[(40, 300, True), (40, 300, False), (0, 10, False), (0, 0, False)])
def page(request: pytest.FixtureRequest) -> str:
    groups, singles, dedup = request.param
    return report_page(synthetic.make(groups=groups, singles=singles, dedup=dedup))


def test_well_formed(page: str) -> None:
    seen = parsed(page).seen
    assert seen.count("h1") == 1
    assert {"html", "head", "title", "main", "h2"} <= set(seen)


def test_nothing_comes_from_elsewhere(page: str) -> None:
    found = parsed(page)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(found.seen)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert not [name for name, _ in found.attributes if name in ("src", "href", "srcset", "action")]
    assert not re.search(r"url\(|@import|https?:", page)
    assert "default-src 'none'" in page


def test_documents_are_escaped() -> None:
    findings = synthetic.make(name="<img src=x onerror=alert(1)>{}&\"'")
    findings.text_by_id = dict.fromkeys(findings.text_by_id, synthetic.HOSTILE)
    hostile = report_page(findings)
    found = parsed(hostile)
    assert not {"script", "img"} & set(found.seen)
    assert "&lt;script&gt;" in hostile
    assert "&lt;img src=x" in hostile
    assert "&lt;b&gt;0xff" in hostile


def test_says_what_was_found() -> None:
    findings = synthetic.make(dedup=True)
    counts = findings.manifest["counts"]
    page = report_page(findings)
    assert f"Of {counts['documents']:,} documents" in page
    assert f"{counts['removed']:,} removed" in page
    assert "21 bands of 6 rows" in page
    assert "broken UTF-8" in page


def test_small() -> None:
    assert len(report_page(synthetic.make(groups=2000, singles=20000)).encode()) < 200_000


def test_an_exact_run_has_no_curve() -> None:
    findings = synthetic.make()
    findings.manifest["plan"]["candidates"] = {"kind": "join"}
    page = report_page(findings)
    assert "probability found" not in page
    assert "The search was exact" in page


def test_missing_heads_do_no_harm() -> None:
    findings = synthetic.make()
    findings.text_by_id = {}
    parsed(report_page(findings))
