"""``twinset lab evaluate`` as a user calls it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    path = tmp_path / "truth.csv"
    path.write_text("left,right\na,b\nb,a\na,d\na,nobody\n", encoding="utf-8")
    return path


def test_numbers_with_their_definitions(report: Path, truth: Path, twinset: Twinset) -> None:
    done = twinset("lab", "evaluate", report, "--truth", truth)
    assert done.returncode == 0, done.stderr
    assert "reference                  3  pairs of the truth" in done.stdout
    assert "precision             0.3333  common / found" in done.stdout
    assert "best F1 " in done.stdout
    assert "counted once: 1" in done.stderr
    assert "ids that no document has: 1 (nobody)" in done.stderr


def test_json_is_one_flat_object(report: Path, truth: Path, twinset: Twinset) -> None:
    done = twinset("lab", "evaluate", report, "--truth", truth, "--json", "--only-known")
    found = json.loads(done.stdout)
    assert found["reference"] == 2
    assert (found["found"], found["common"], found["only_in_found"]) == (3, 1, 2)
    assert (found["only_in_reference"], found["recall"]) == (1, 0.5)
    assert {"f1", "b3_precision", "b3_recall", "b3_f1", "adjusted_rand"} <= found.keys()
    said = twinset("lab", "evaluate", report, "--truth", truth, "--only-known").stdout
    best = f"best F1 {found['best_f1']:>20.4f}  at threshold {found['best_threshold']:.4g} "
    assert best in said


def test_the_folder_is_written_once(
    report: Path, truth: Path, twinset: Twinset, tmp_path: Path
) -> None:
    done = twinset("lab", "evaluate", report, "--truth", truth, "-o", "out")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / "only_in_found.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in lines[1:]] == ['"a","c"', '"b","c"']
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["found"] == {"path": str(report), "sha256": None}
    digest = hashlib.sha256(truth.read_bytes()).hexdigest()
    assert manifest["truth"] == {"path": str(truth), "sha256": digest}
    assert (manifest["ignore"], manifest["grade"], manifest["by"]) == (None, None, "auto")
    again = twinset("lab", "evaluate", report, "--truth", truth, "-o", "out")
    assert again.returncode == 1
    assert "--force" in again.stderr
    assert (
        twinset("lab", "evaluate", report, "--truth", truth, "-o", "out", "--force").returncode == 0
    )


def test_faults_are_sentences(report: Path, truth: Path, twinset: Twinset) -> None:
    done = twinset("lab", "evaluate", report, "--truth", "nowhere.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("twinset: nowhere.csv: there is no such file")
    assert twinset("lab", "evaluate", report, "--truth", truth, "--by", "x").returncode == 2
    done = twinset("lab", "evaluate", report, "--truth", truth, "--log", "nowhere.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("twinset: nowhere.jsonl: there is no such file")
