"""``twinset lab experiment`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from tests.lab.experiment.collection import FIVE, write_collection
from twinset.lab.description import shipped_names

pytestmark = pytest.mark.usefixtures("runs_here")
CALL = ("lab", "experiment", "sweep.toml", "corpus.jsonl", "--truth", "truth.csv", "-o", "out")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_collection(tmp_path)
    return tmp_path


def test_a_sweep_its_page_and_its_best_plan(folder: Path, twinset: Twinset) -> None:
    done = twinset(*CALL, "-q")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Of 4 rows, ")
    assert "Length and size" in lines
    assert "14 documents, read once for all rows." in lines
    assert lines[-3:-1] == ["Best plan: out/best.toml", "Page: out/experiment.html"]
    assert lines[-1].endswith("--plan out/best.toml -o report")
    assert "<svg" in (folder / "out" / "experiment.html").read_text(encoding="utf-8")
    again = json.loads(twinset(*CALL, "--json", "-q").stdout)
    assert again["truth"]["path"] == str(folder / "truth.csv")
    assert again["grade"] is None
    assert again["reused"] == [row["name"] for row in again["rows"]]
    best = next(row for row in again["rows"] if row["name"] == again["best"])
    assert (
        twinset("find", "corpus.jsonl", "--plan", "out/best.toml", "-o", "report").returncode == 0
    )
    shown = twinset("lab", "evaluate", "report", "--truth", "truth.csv", "--json")
    expected = json.loads(shown.stdout)
    assert [best[name] for name in FIVE] == [expected[name] for name in FIVE]


def test_mistakes_are_sentences(folder: Path, twinset: Twinset) -> None:
    for arguments, message in [
        (["lab", "experiment"], "name an experiment"),
        (["lab", "experiment", "sweep.toml", "-o", "out"], "name the documents"),
        (
            ["lab", "experiment", "sweep.toml", "corpus.jsonl"],
            "name a folder for the result with -o",
        ),
        (["lab", "experiment", "nothing", "corpus.jsonl", "-o", "out"], "no experiment 'nothing'"),
        ([*CALL, "--most-rows", "3"], "has more than 3 rows"),
        ([*CALL, "--best", "f"], "there is no column 'f'"),
        ([*CALL, "--by", "words"], "by must be auto, pairs or clusters, not 'words'"),
        ([*CALL, "--table", "dise"], "there is no derived table 'dise'"),
        (["lab", "experiment", "--show", "nothing"], "there is no experiment 'nothing'"),
    ]:
        done = twinset(*arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    assert not (folder / "out").exists()


def test_a_row_that_fails_ends_in_an_exit_code(folder: Path, twinset: Twinset) -> None:
    (folder / "sweep.toml").write_text("[sweep]\nthreshold = [0.6, 1.8]\n")
    done = twinset(*CALL, "-q")
    assert done.returncode == 1
    assert "rows that failed: 1 of 2" in done.stderr
    assert (folder / "out" / "best.toml").is_file()


def test_the_experiments_of_the_package_are_listed_and_shown(twinset: Twinset) -> None:
    listed = twinset("lab", "experiment", "--list")
    assert listed.returncode == 0, listed.stderr
    as_json = json.loads(twinset("lab", "experiment", "--list", "--json").stdout)
    assert [entry["name"] for entry in as_json["experiments"]] == shipped_names()
    for name in shipped_names():
        assert name in listed.stdout
        assert "[" in twinset("lab", "experiment", "--show", name).stdout
