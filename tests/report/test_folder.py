"""A report is read as it was written; what cannot be read is told."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import twinset
from tests.disks import disk_of
from tests.report import synthetic
from twinset.errors import ReportError
from twinset.result import ReportPlaces, read, write

FILES = {
    "documents.parquet",
    "pairs.parquet",
    "clusters.parquet",
    "manifest.json",
    "duplicates.txt",
    "report.html",
}


@pytest.mark.parametrize("dedup", [False, True])
def test_round_trip(tmp_path: Path, dedup: bool) -> None:
    findings = synthetic.make(dedup=dedup)
    folder = write(findings, tmp_path / "report")
    report = read(folder)
    assert report.manifest == findings.manifest
    for name in ("documents", "pairs", "clusters"):
        assert getattr(report, name).equals(getattr(findings, name))
    assert {path.name for path in folder.iterdir()} == FILES | (
        {"removals.csv"} if dedup else set()
    )
    assert "40 clusters" in repr(report)


def test_equal_findings_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(synthetic.make(dedup=True), tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_no_clusters_at_all(tmp_path: Path) -> None:
    folder = write(synthetic.make(groups=0, singles=5), tmp_path / "report")
    assert (folder / "duplicates.txt").read_text() == ""
    assert "None of 5 documents" in (folder / "report.html").read_text()
    assert len(read(folder).pairs) == 0


def test_no_documents_at_all(tmp_path: Path) -> None:
    folder = write(synthetic.make(groups=0, singles=0), tmp_path / "report")
    assert "no documents" in (folder / "report.html").read_text()


def test_also_writes_into_the_same_folder(tmp_path: Path) -> None:
    findings = synthetic.make(groups=1, singles=1)

    def also(places: ReportPlaces) -> None:
        assert places.documents == places.files
        (places.files / "kept.jsonl").write_text("{}")

    write(findings, tmp_path / "out", also=also)
    assert (tmp_path / "out" / "kept.jsonl").is_file()


def test_removed_names_the_kept_one_and_the_reason(tmp_path: Path) -> None:
    findings = synthetic.make(dedup=True)
    folder = write(findings, tmp_path / "report")
    with (folder / "removals.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    same_as = dict(
        zip(*(findings.documents[c].to_pylist() for c in ("id", "same_as")), strict=True)
    )
    assert len(rows) == findings.manifest["counts"]["removed"]
    for row in rows:
        equal = same_as[row["removed"]] == row["kept"]
        assert row["reason"] == ("equal features" if equal else "near-duplicate")
        assert float(row["score"]) >= 0.8


def edit(folder: Path, before: bytes, after: bytes) -> None:
    manifest = folder / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(before, after))


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda folder: shutil.rmtree(folder), "no report folder"),
        (lambda folder: (folder / "manifest.json").unlink(), "not a twinset report"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "cannot read"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "not written by twinset"),
        (lambda folder: (folder / "pairs.parquet").unlink(), "lacks pairs.parquet"),
        (
            lambda folder: edit(folder, b'"threshold"', b'"thre"'),
            r"is damaged: it lacks plan\.threshold; run",
        ),
        (lambda folder: edit(folder, b'"counts"', b'"cou"'), r"is damaged: it lacks counts"),
    ],
)
def test_a_folder_that_is_no_report_is_reported(tmp_path: Path, harm: Any, told: str) -> None:
    folder = write(synthetic.make(groups=2, singles=2), tmp_path / "report")
    harm(folder)
    with pytest.raises(ReportError, match=told):
        read(folder)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        write(synthetic.make(groups=2, singles=2), tmp_path / "report")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    with disk_of("64k", tmp_path) as disk:
        with pytest.raises(OSError, match="No space"):
            write(synthetic.make(groups=400, singles=4000), disk / "report")
        assert list(disk.iterdir()) == []


def test_manifest_is_plain_json(tmp_path: Path) -> None:
    findings = synthetic.make(groups=1, singles=1)
    folder = write(findings, tmp_path / "report")
    text = (folder / "manifest.json").read_text(encoding="utf-8")
    assert json.loads(text) == findings.manifest
    assert text.count("\n") < 120


def test_texts_are_read_again_where_the_manifest_has_no_size_of_the_source(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "a", "text": "the heron waits in the reeds"}\n' * 2, "utf-8")
    folder = Path(str(twinset.find(corpus).save(tmp_path / "report")))
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for entry in manifest["inputs"]:
        del entry["bytes"]
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert twinset.open_report(folder).texts(["a"]) == {"a": "the heron waits in the reeds"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have names in Unicode only")
def test_a_file_whose_name_is_no_unicode_is_reported(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl"))
    path.write_text('{"id": 1, "text": "a b c d e f"}\n' * 2 + "broken\n")
    findings = twinset.dedup([path])
    report = twinset.open_report(findings.save(tmp_path / "out", annotate=True))
    assert report.manifest["inputs"][0]["path"] == str(path)
    assert report.documents.num_rows == 3
