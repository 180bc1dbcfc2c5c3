"""Pages in Russian: nothing on them is English but data."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import twinset
from tests.report import synthetic
from tests.report.synthetic import report_page
from twinset.errors import PlanError
from twinset.pages.language import sentences
from twinset.result.words import summary

DATA = re.compile(
    r"<style>.*?</style>|<table>.*?</table>|<code>.*?</code>|<bdi>.*?</bdi>", re.DOTALL
)
TAGS = re.compile(r"<[^>]*>")
CLOSED = {"clusters": "closed", "k": 8, "image": "full", "shingle": 1, "threads": 1}
CHAIN = [" ".join(f"w{n}" for n in range(first, first + 10)) for first in (0, 2, 4)]


def english_left(page: str) -> set[str]:
    """English words among those that the page says itself."""
    spoken = {w for text in sentences("en").values() for w in re.findall("[a-z]{4,}", text)}
    spoken -= {w for text in sentences("ru").values() for w in re.findall("[a-z]{4,}", text)}
    names = " ".join(re.findall(r'(?:aria-label|title)="([^"]*)"', page))
    text = html.unescape(TAGS.sub(" ", DATA.sub(" ", page)) + names)
    return spoken & set(re.findall(r"[a-z]{4,}", text))


@pytest.mark.parametrize("dedup", [False, True])
def test_a_russian_report_has_no_english_sentence(dedup: bool) -> None:
    findings = synthetic.make(dedup=dedup)
    findings.text_by_id = {}
    findings.manifest |= {"first_faults": [], "timings": {"compare": 1.0, "tables": 0.5}}
    assert english_left(report_page(findings, "en"))
    assert english_left(report_page(findings, "ru")) == set()


def test_lattices_are_in_russian_too() -> None:
    page = report_page(twinset.find(CHAIN, **CLOSED), "ru")
    assert "Где компоненты тянутся цепочкой" in page
    assert english_left(page) == set()


def test_what_a_method_decides_is_said_in_russian() -> None:
    told = " ".join(summary(twinset.find(CHAIN, method="md5", threads=1).manifest, "ru"))
    assert re.findall("[a-z]{4,}", told.replace("--verify edit:0.8", "")) == []


def test_the_language_is_an_option_of_saving(tmp_path: Path) -> None:
    findings = twinset.find(CHAIN, threads=1)
    page = findings.save(tmp_path / "ru", language="ru") / "report.html"
    assert '<html lang="ru">' in page.read_text(encoding="utf-8")
    with pytest.raises(PlanError, match="no language 'de'; choose en or ru"):
        findings.save(tmp_path / "de", language="de")
    assert not (tmp_path / "de").exists()
