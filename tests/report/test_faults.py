"""Faults by kind: every kind has words and a remedy, and no kind hides the files of another."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import twinset
from twinset.pages.language import LANGUAGES, sentences
from twinset.reading.faults import REMEDIES
from twinset.report.faults import fault_groups
from twinset.report.words import summary


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", [*REMEDIES, "no-text"])
def test_every_kind_has_words_and_a_remedy(kind: str, language: str) -> None:
    for what in ("kind", "remedy"):
        assert f"faults.{what}_{kind.replace('-', '_')}" in sentences(language)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """More broken lines than a report names, and behind them one without its text."""
    file = tmp_path / "records.jsonl"
    good = ['{"text": "some words"}'] * 400  # or else nothing but their lack is reported
    lines = [*good, *["{broken"] * 105, '{"id": "b"}']
    file.write_text("\n".join(lines) + "\n")
    return file


def test_no_kind_hides_the_places_of_another(records: Path) -> None:
    many, few = fault_groups(twinset.find(records).manifest)
    assert (many.kind, many.count, len(many.places)) == ("syntax", 105, 100)
    assert (few.kind, few.count, [place.line for place in few.places]) == ("missing", 1, [506])


def test_the_most_frequent_kind_comes_first() -> None:
    manifest = {"faults": {"syntax": 1, "package": 2, "unheard-of": 1}}
    groups = fault_groups(manifest)
    assert [group.kind for group in groups] == ["package", "syntax", "unheard-of"]
    assert groups[0].words == "2 files need a program that is not installed"
    assert groups[2].words == "1 other fault"
    assert all(group.remedy and not group.places for group in groups)


def test_the_summary_names_the_first_fault_in_russian(records: Path) -> None:
    said = " ".join(summary(twinset.find(records).manifest, "ru"))
    assert "records.jsonl:401: 1 запись нарушена" in said
    places = re.compile(r"\S*/\S+|--\S+ \w+")
    assert re.findall("[a-z]{4,}", places.sub(" ", said)) == []


def test_the_summary_names_the_cause_of_a_broken_last_line(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl.gz"
    lines = "".join(f'{{"text": "the words of {number}"}}\n' for number in range(5000))
    file.write_bytes(gzip.compress(lines.encode())[:-200])
    said = " ".join(summary(twinset.find(file).manifest))
    assert f"The first of 2 faults: {file}: the gzip data are cut off." in said


def test_each_cause_has_its_own_remedy(tmp_path: Path) -> None:
    """Broken lines, documents that no program opens, and folders without files."""
    (tmp_path / "a.jsonl").write_text('{"text": "some words"}\n' * 9 + "{broken\n")
    (tmp_path / "b.docx").write_bytes(b"no ZIP file")
    (tmp_path / "empty").mkdir()
    inputs = [tmp_path / "a.jsonl", tmp_path / "b.docx", tmp_path / "empty"]
    groups = {group.kind: group for group in fault_groups(twinset.find(inputs).manifest)}
    assert {kind: group.count for kind, group in groups.items()} == {
        "syntax": 1,
        "damaged": 1,
        "no-files": 1,
    }
    assert "password" not in groups["syntax"].words + groups["syntax"].remedy
    assert "password" in groups["damaged"].remedy
    assert "folder" in groups["no-files"].remedy
