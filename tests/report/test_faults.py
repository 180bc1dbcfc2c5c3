"""Faults by kind: every kind has words and a remedy, and no kind hides the files of another."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from twinset.pages.language import LANGUAGES, sentences
from twinset.reading.faults import REMEDIES
from twinset.result.words import brief, fault_groups, summary


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


def test_the_summary_names_the_first_faults_in_russian(records: Path) -> None:
    said = (
        " ".join(summary(twinset.find(records).manifest, "ru"))
        .replace("JSON", "")
        .replace("null", "")
    )
    assert re.search(r"105 записей нарушены[^;]*; первая: \S*records.jsonl:401\.", said)
    assert re.search(r"1 запись без текста: поля нет или в нём : \S*records.jsonl:506\.", said)
    places = re.compile(r"\S*/\S+|--\S+ \w+")
    assert re.findall("[a-z]{4,}", places.sub(" ", said)) == []


def test_the_summary_names_the_cause_of_a_broken_last_line(tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl.gz"
    lines = "".join(f'{{"text": "the words of {number}"}}\n' for number in range(5000))
    file.write_bytes(gzip.compress(lines.encode())[:-200])
    said = " ".join(summary(twinset.find(file).manifest))
    assert f"1 file ends too early: {file}: the gzip data are cut off." in said


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """Files of records, of which two have their text in another field."""
    good = "".join(f'{{"text": "the words of {n}"}}\n' for n in range(40))
    (tmp_path / "a.jsonl").write_text(good + "{broken\n" * 3 + '{"id": "b"}\n')
    pq.write_table(pa.table({"content": ["one text", "another text"]}), tmp_path / "b.parquet")
    (tmp_path / "c.jsonl").write_text('{"body": "a text"}\n' * 5)
    (tmp_path / "d.jsonl").write_text("{broken\n" * 2)
    return tmp_path


def test_files_without_the_field_are_named_once(shards: Path) -> None:
    manifest = twinset.find(shards).manifest
    assert manifest["unread"] is None
    unread = manifest["unread_files"]
    assert (unread["files"], unread["documents"]) == (2, 7)
    assert unread["faults"] == {"missing": 6}  # a column is missing once, a field in every record
    first, second = unread["first"]
    assert (first["source"], first["documents"]) == (str(shards / "b.parquet"), 2)
    assert first["fault"].startswith("none of the 2 rows holds text in the field 'text';")
    assert first["fault"].endswith("did you mean --text content?")
    assert second["fault"].endswith("did you mean --text body?")
    alone = twinset.find(shards / "c.jsonl").manifest
    assert second["fault"] == alone["unread"]
    assert alone["unread_files"] is None


def test_faults_are_counted_by_cause(shards: Path) -> None:
    manifest = twinset.find(shards).manifest
    files, broken, missing = fault_groups(manifest)
    assert (files.count, [place.source for place in files.places]) == (
        2,
        [str(shards / "b.parquet"), str(shards / "c.jsonl")],
    )
    assert (broken.kind, broken.count, missing.kind, missing.count) == ("syntax", 5, "missing", 1)
    assert [(Path(place.source).name, place.line) for place in missing.places] == [("a.jsonl", 44)]
    assert manifest["counts"]["bad"] == manifest["unread_files"]["documents"] + 5 + 1


def test_summary_and_report_name_what_was_not_read(shards: Path) -> None:
    findings = twinset.find(shards)
    said = brief(findings.manifest)
    assert sum("did you mean --text content?" in sentence for sentence in said) == 1
    assert any(s.startswith("5 records are broken") and "a.jsonl:41: " in s for s in said)
    page = findings.save(shards.parent / "report") / "report.html"
    assert "did you mean --text body?" in page.read_text()
    russian = " ".join(brief(findings.manifest, "ru"))
    assert f"Из {shards / 'b.parquet'} ничего не прочитано: 2 записи без текста" in russian


def test_many_files_without_the_field_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "some words"}\n' * 99)
    for n in range(30):
        (tmp_path / f"b{n:02}.jsonl").write_text('{"body": "a text"}\n')
    manifest = twinset.find(tmp_path).manifest
    assert manifest["unread_files"]["files"] == 30
    assert len(manifest["unread_files"]["first"]) == 20
    said = brief(manifest)
    assert sum("did you mean --text body?" in sentence for sentence in said) == 3
    assert "Nothing was read of 27 more files, either; the report names them." in said


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
