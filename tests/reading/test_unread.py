"""Input without text is a fault of the run as a whole, with the fields that do hold text."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import twinset
from tests.reading.pdfs import pdf_of
from twinset.errors import PlanError, ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs
from twinset.reading.preview import preview
from twinset.result.words import summary

BODY = "a body of some words that differ from row to row, as in row number"


def records(count: int = 40) -> list[dict[str, object]]:
    return [
        {"id": str(n), "title": f"Title {n}", "content": {"body": f"{BODY} {n}", "lines": n}}
        for n in range(count)
    ]


def jsonl(folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()))
    return path


def parquet(folder: Path) -> Path:
    path = folder / "rows.parquet"
    pa.parquet.write_table(pa.Table.from_pylist(records()), path)
    return path


def csv(folder: Path) -> Path:
    path = folder / "rows.csv"
    flat = [{"id": r["id"], "title": r["title"], "content.body": f'{BODY}, "x"'} for r in records()]
    pa.csv.write_csv(pa.Table.from_pylist(flat), path)
    return path


MAKERS = (jsonl, csv, parquet)


def test_a_wrong_text_field_is_told_from_the_first_rows_of_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records(20_000)))
    inputs = open_inputs(path, batch_bytes=1 << 18)
    with pytest.raises(ReadError, match=r"of the first .* did you mean --text content.body"):
        list(inputs.batches())
    assert inputs.bytes_read < path.stat().st_size / 2


@pytest.mark.parametrize("make", MAKERS)
def test_a_wrong_text_field_is_named_with_the_right_one(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    manifest = twinset.find(path).manifest
    assert "none of the 40 rows holds text in the field 'text'" in manifest["unread"]
    assert "content.body (100%), title (100%), id (100%)" in manifest["unread"]
    assert manifest["unread"].endswith("did you mean --text content.body?")
    good = twinset.find(path, text="content.body").manifest
    assert good["unread"] is None
    assert good["counts"]["ok"] == 40


@pytest.mark.parametrize("make", MAKERS)
def test_the_commands_without_a_report_stop(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    for command in (twinset.tune, twinset.compare):
        with pytest.raises(ReadError, match=r"--text content\.body"):
            command(path)
    with pytest.raises(ReadError, match=r"--text content\.body"):
        twinset.generate(path, ops=["replace-words:10%"])


def half_bad(folder: Path, bad: int, good: int) -> Path:
    path = folder / "rows.jsonl"
    lines = ['{"text": 5}'] * bad + [json.dumps({"text": f"{BODY} {n}"}) for n in range(good)]
    path.write_text("\n".join(lines))
    return path


def test_the_share_of_unread_rows_is_bounded_inclusively(tmp_path: Path) -> None:
    assert twinset.find(half_bad(tmp_path, 10, 10)).manifest["unread"] is None
    path = half_bad(tmp_path, 11, 10)
    fault = twinset.find(path).manifest["unread"]
    assert "11 of 21 rows (52%) could not be read, more than max-unread 0.5 allows" in fault
    assert "rows.jsonl:1" in fault
    assert twinset.find(path, max_unread=0.6).manifest["unread"] is None
    assert twinset.find(half_bad(tmp_path, 1, 10), max_unread=0.0).manifest["unread"]
    with pytest.raises(PlanError, match="max-unread must be between 0 and 1, not 2"):
        twinset.find(path, max_unread=2)


def test_rows_of_one_file_among_many_do_not_end_a_run(tmp_path: Path) -> None:
    half_bad(tmp_path, 3, 0)
    (tmp_path / "more.jsonl").write_text("".join('{"text": "words"}\n' for _ in range(4)))
    assert twinset.find(tmp_path).manifest["unread"] is None


def test_an_empty_input_and_files_that_are_no_documents(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "the input holds no documents" in twinset.find(empty).manifest["unread"]
    (empty / "a.jsonl").write_text("\n\n")
    assert "the input holds no documents" in twinset.find(empty).manifest["unread"]
    (empty / "b.txt").write_text("")
    assert "the only document holds no text" in twinset.find(empty).manifest["unread"]
    images = tmp_path / "images"
    images.mkdir()
    for name in "abc":
        (images / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    manifest = twinset.find(images).manifest
    assert manifest["unread"] is None
    assert manifest["without_reader"] == {"pictures": 3}
    assert manifest["counts"]["bytes"] == 3


def test_a_damaged_document_and_a_scan_are_faults_and_no_pictures(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("other.txt", "not a document")
    (tmp_path / "archive.docx").write_bytes(archive.getvalue())
    (tmp_path / "archive.jar").write_bytes(archive.getvalue())
    (tmp_path / "zeros.docx").write_bytes(bytes(3000))
    (tmp_path / "scan.pdf").write_bytes(pdf_of([[]], scans=[0]))
    findings = twinset.find(tmp_path, preset="files")
    rows = findings.documents.select(["id", "status"]).to_pylist()
    states = {row["id"]: row["status"] for row in rows}
    assert states.pop("archive.jar") == "bytes"
    assert set(states.values()) == {"bad"}
    assert findings.manifest["without_reader"] == {"archives": 1}
    assert findings.manifest["faults"] == {"damaged": 2, "no-text": 1}
    assert findings.manifest["kinds"]["identical"] == 1
    assert "1 file is an identical copy of another." in summary(findings.manifest)


def test_files_of_records_that_cannot_be_read_count_as_rows_do(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "some words"}\n')
    for number in (1, 2):
        (tmp_path / f"{number}.parquet").write_bytes(b"PAR1" + b"nonsense" * number)
    fault = twinset.find(tmp_path).manifest["unread"]
    assert "2 of 3 files of records (67%) could not be read, more than max-unread 0.5" in fault
    assert "1.parquet: the Parquet file is cut off" in fault
    assert twinset.find(tmp_path, max_unread=0.7).manifest["unread"] is None
    (tmp_path / "2.parquet").unlink()
    assert twinset.find(tmp_path).manifest["unread"] is None  # a half is not more than a half


def test_the_preview_offers_the_fields(tmp_path: Path) -> None:
    seen = preview([jsonl(tmp_path)])
    assert seen.documents == []
    assert [field.name for field in seen.fields] == ["content.body", "title", "id"]
    assert "--text content.body" in (seen.unread or "")
    right = preview([jsonl(tmp_path)], ReadOptions(text="title"))
    assert (right.unread, right.fields) == (None, ())
