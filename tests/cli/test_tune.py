"""``twinset tune`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from tests.lab.tuning.collections import collection


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    texts, truth = collection()
    path = tmp_path / "edited.jsonl"
    rows = (json.dumps({"id": id, "text": text}) for id, text in texts)
    path.write_text("\n".join(rows), encoding="utf-8")
    lines = "".join(f"{left},{right}\n" for left, right in truth)
    (tmp_path / "truth.csv").write_text("foo,bar\n" + lines, encoding="utf-8")
    return path


def test_find_takes_the_plan(edited: Path, twinset: Twinset, tmp_path: Path) -> None:
    done = twinset("tune", edited, "-o", "plan.toml", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Looked at 360 of 360 documents")
    assert len(done.stdout.splitlines()) <= 6
    command = f"twinset find {edited} --plan plan.toml -o report"
    assert done.stdout.endswith(f"Next: {command}\n")
    found = twinset("find", edited, "--plan", "plan.toml", "-o", "report", "-q")
    assert found.returncode == 0, found.stderr
    plan = json.loads((tmp_path / "report" / "manifest.json").read_text())["plan"]
    assert f"threshold = {plan['threshold']}\n" in (tmp_path / "plan.toml").read_text()


def test_labels_with_other_names_of_columns(edited: Path, twinset: Twinset) -> None:
    refused = twinset("tune", edited, "--truth", "truth.csv", "-q")
    assert refused.returncode == 1
    assert "--truth-columns foo,bar" in refused.stderr
    done = twinset("tune", edited, "--truth", "truth.csv", "--truth-columns", "foo,bar", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["labelled"] is True


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-o", "none/plan.toml"], "there is no folder none: make it, or choose another"),
        (["-o", "truth.csv"], "truth.csv exists: choose another name, or --force to replace it"),
        (["-o", "."], "is a folder: name a file, as plan.toml"),
        (["--sample", "5"], "sample must be at least 100 documents, not 5"),
    ],
)
def test_faults_come_before_the_work(
    edited: Path, twinset: Twinset, options: list[str], told: str
) -> None:
    done = twinset("tune", edited, *options)
    assert done.returncode in (1, 2)
    assert told in done.stderr
    assert "drawing" not in done.stderr
