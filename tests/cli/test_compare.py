"""``twinset lab compare`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset

pytestmark = pytest.mark.usefixtures("runs_here")


def test_a_table_a_page_and_a_second_run(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    done = twinset(
        "lab", "compare", corpus, "-o", "out", "--methods", "A0,minhash", "-t", "0.5", "-q"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Of 2 rows, minhash has the highest F1: 1.000")
    assert "all 3 pairs that any row found were judged" in done.stdout
    assert (tmp_path / "out" / "experiment.html").is_file()
    methods = ("--methods", "A0", "--methods", "minhash")
    again = twinset("lab", "compare", corpus, "-o", "out", *methods, "-t", "0.5", "--json")
    found = json.loads(again.stdout)
    assert sorted(found["reused"]) == ["A0", "minhash"]
    assert [row["name"] for row in found["rows"]] == ["minhash", "A0"]


def test_a_truth(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("left,right\na,b\n")
    done = twinset(
        "lab", "compare", corpus, "-o", "out", "--methods", "md5", "--truth", "truth.csv", "-q"
    )
    assert done.returncode == 0, done.stderr
    assert "with 1 reference pair" in done.stdout


def test_faults_are_sentences(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    wrong = twinset("lab", "compare", corpus, "-o", "out", "--methods", "minhush")
    assert wrong.returncode == 2
    assert "minhush" in wrong.stderr
    assert (
        twinset("lab", "compare", "nowhere.jsonl", "-o", "out", "--methods", "tf").returncode == 2
    )
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_no_method_wins_where_all_are_wrong(twinset: Twinset, tmp_path: Path) -> None:
    texts = ("the same words again", "the same words again", "others", "and others still")
    lines = (json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts))
    (tmp_path / "wrong.jsonl").write_text("\n".join(lines))
    (tmp_path / "wrong.csv").write_text("left,right\n2,3\n")
    methods = ["--methods", "md5,minhash", "--truth", "wrong.csv"]
    done = twinset("lab", "compare", "wrong.jsonl", "-o", "wrong", "-q", *methods)
    assert done.returncode == 0
    assert done.stdout.startswith("None of 2 rows can be called the best\n")
    assert "Best" not in done.stdout
    assert "Next:" not in done.stdout
