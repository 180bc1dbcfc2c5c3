"""Files that somebody else has named: regular ones, in bounds, of a bounded size."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import twinset
from twinset.errors import ModelError, PlanError, ReportError, TwinsetError
from twinset.finding.methods.similarity_model import read_model
from twinset.lab.lists import ListError, ListFormat, read_list
from twinset.plan import Plan
from twinset.result import read as read_report
from twinset.review import opened
from twinset.system import bounded
from twinset.system.bounded import open_regular, read_regular
from twinset.text.statistics import Statistics

TEXT = "the same words in both documents, enough of them to make a shingle or two out of"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    documents = tmp_path / "documents.jsonl"
    documents.write_text("".join(f'{{"id": "{i}", "text": "{TEXT}"}}\n' for i in "ab"))
    return twinset.find(documents).save(tmp_path / "report")


def name_source(report: Path, path: str) -> None:
    """Let the report say that its documents came from there."""
    facts = json.loads((report / "manifest.json").read_text())
    facts["inputs"][0] |= {"path": path, "bytes": None}
    (report / "manifest.json").write_text(json.dumps(facts))


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(path)
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)


def test_nothing_outside_is_opened_not_even_through_a_link(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "mine-too"
    for folder in (mine, other):
        folder.mkdir()
        (folder / "file").write_text("x")
    (mine / "link").symlink_to(other / "file")
    (other / "way").symlink_to(mine)
    assert read_regular(other / "way" / "file", 10, [mine]) == b"x"
    for path in (other / "file", mine / "link", mine / ".." / "mine-too" / "file"):
        with pytest.raises(PermissionError, match="outside the folders"):
            open_regular(path, [mine])


def test_a_device_is_no_model_plan_statistics_list_or_manifest(
    tmp_path: Path, report: Path
) -> None:
    with pytest.raises(ModelError, match="not a regular file"):
        read_model("/dev/zero")
    with pytest.raises(PlanError, match="not a regular file"):
        Plan.make(plan="/dev/zero")
    with pytest.raises(TwinsetError, match="not a regular file"):
        Statistics.read("/dev/zero")
    with pytest.raises(ListError, match="not a regular file"):
        read_list("/dev/zero", ListFormat("--truth"))
    (report / "pairs.parquet").unlink()
    os.mkfifo(report / "pairs.parquet")
    with pytest.raises(ReportError):
        read_report(report)


def test_sizes_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    with open(file, "wb") as sparse:
        sparse.truncate(bounded.MODEL_BYTES + 1)
    with pytest.raises(ModelError, match="at most 268,435,456 are read"):
        read_model(file)
    with pytest.raises(PlanError, match="at most 1,048,576 are read"):
        Plan.make(plan=file)
    packed = tmp_path / "pairs.csv.gz"
    packed.write_bytes(gzip.compress(b"left,right\n" + b"a,b\n" * 100_000))
    monkeypatch.setattr("twinset.lab.lists.LIST_BYTES", 100_000)
    with pytest.raises(ListError, match="more than 100,000 bytes"):
        read_list(packed, ListFormat("--truth"))


def test_files_that_a_plan_names_are_bound_as_the_documents_are(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.txt").write_text(TEXT)
    (tmp_path / "plan.toml").write_text("threshold = 0.9\n")
    (tmp_path / "model.json").write_text("{}")
    bounds = {"within": (str(mine),)}
    assert Plan.make(plan=tmp_path / "plan.toml").threshold == 0.9
    with pytest.raises(PlanError, match="outside the folders"):
        Plan.make(plan=tmp_path / "plan.toml", **bounds)
    for options in (
        {"method": f"learned:model={tmp_path / 'model.json'}"},
        {"method": "tfidf", "statistics": str(tmp_path / "model.json")},
    ):
        with pytest.raises(TwinsetError, match="outside the folders"):
            twinset.find(mine, **options, **bounds)


def test_show_reads_no_device_that_a_report_names(report: Path, tmp_path: Path) -> None:
    name_source(report, "/dev/zero")
    command = [sys.executable, "-m", "twinset.cli", "show", str(report), "--pair", "a", "b"]
    spool = tmp_path / "spool"
    spool.mkdir()
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=os.environ | {"TMPDIR": str(spool)}
    )
    assert done.returncode == 1
    assert "cannot be read again" in done.stderr
    assert list(spool.iterdir()) == []


def test_tables_of_a_report_lead_nowhere_else(report: Path, tmp_path: Path) -> None:
    bounds = (str(report),)
    assert len(opened(report, bounds).load()) == 2
    (report / "documents.parquet").rename(tmp_path / "moved.parquet")
    (report / "documents.parquet").symlink_to(tmp_path / "moved.parquet")
    os.utime(report / "manifest.json")
    with pytest.raises(ReportError, match="outside the folders"):
        opened(report, bounds).load()
