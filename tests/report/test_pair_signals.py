"""Signals of two documents of a run: the same from a run, a saved report and its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import twinset
from twinset.errors import PlanError, ReportError
from twinset.result import pair_signals
from twinset.review import opened
from twinset.review.compare import against_first, in_words

FORM = (
    "application of the resident for a permit to park in zone {} under the rules of the town as "
    "they were last changed by its council and read aloud on the market place in spring"
)
TEXTS = {
    **{f"form {n}": FORM.format(n) for n in range(8)},
    "longer": f"{FORM.format(1)} {' '.join(f'unrelated{n}' for n in range(40))}",
    **{
        f"other {n}": f"something else {n} altogether {n + 1} of another kind {n + 2}"
        for n in range(20)
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("signals")
    lines = [json.dumps({"id": id, "text": text}) for id, text in TEXTS.items()]
    (place / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    findings = twinset.find(place / "in.jsonl", 0.3, exact=True, threads=1)
    return findings.save(place / "report")


def test_a_run_a_report_and_the_page_say_the_same(folder: Path) -> None:
    report, run = twinset.open_report(folder), twinset.find(TEXTS, 0.3, exact=True, threads=1)
    index = opened(folder)
    for left, right in (("form 1", "form 2"), ("form 1", "longer"), ("form 0", "other 1")):
        sentences = report.in_words(left, right)
        assert sentences
        assert run.in_words(left, right) == sentences
        assert in_words(index, index.number(left), index.number(right)) == sentences
        assert run.signals(left, right) == report.signals(left, right)
    assert report.in_words("form 1", "form 2")[0] == "only numbers differ, 2 of them"
    assert report.in_words("form 1", "form 2", "ru")[0] == "различаются только числа: 2"
    assert "one holds 100\u00a0% of the other" in report.in_words("form 1", "longer")
    assert report.signals("form 1", "form 2")["numbers"] == 0


def test_members_are_held_against_the_first(folder: Path) -> None:
    index = opened(folder)
    numbers = [index.number(id) for id in ("form 1", "form 2", "longer")]
    sentences = against_first(index, numbers)
    assert sentences == {n: in_words(index, numbers[0], n) for n in numbers[1:]}
    assert against_first(index, numbers[:1]) == {}


def test_a_text_that_cannot_be_had_is_named(folder: Path) -> None:
    report = twinset.open_report(folder)
    with pytest.raises(ReportError, match="there is no document 'nobody'"):
        report.signals("form 1", "nobody")
    with pytest.raises(PlanError, match="no language 'xx'"):
        report.in_words("form 1", "form 2", "xx")


def test_texts_that_are_gone_or_long_leave_the_sentences_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(folder)
    numbers = [index.number(id) for id in ("form 1", "form 2", "longer")]
    monkeypatch.setattr("twinset.review.compare.MOST_CHARACTERS", 400)
    assert list(against_first(index, numbers)) == numbers[1:2]
    monkeypatch.setattr("twinset.review.texts.ReportTexts.texts", lambda *_, **__: {})
    assert in_words(index, *numbers[:2]) == []


def test_the_page_of_a_run_shows_them_for_the_closest_calls(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(r"one holds \d\d\s% of the other", (folder / "report.html").read_text("utf-8"))
    monkeypatch.setattr(pair_signals, "MOST_BYTES", 100)
    report = twinset.open_report(folder)
    calls = [("form 1", "longer")]
    assert pair_signals.sentences_of(report, calls, "en") == [[]]
    monkeypatch.setattr(pair_signals, "MOST_BYTES", 1 << 20)
    assert pair_signals.sentences_of(report, calls, "en")[0]
    monkeypatch.setattr(pair_signals, "MOST_DOCUMENTS", 3)
    assert pair_signals.sentences_of(report, calls, "en") == [[]]
