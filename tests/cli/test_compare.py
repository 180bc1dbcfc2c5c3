"""``twinset compare`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset

pytestmark = pytest.mark.usefixtures("runs_here")


def test_a_table_a_page_and_a_second_run(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    done = twinset("compare", corpus, "-o", "out", "--methods", "A0,minhash", "-t", "0.5", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Of 2 methods, minhash has the highest F: 1.000")
    assert "All 3 pairs of the pool were judged." in done.stdout
    assert (tmp_path / "out" / "comparison.html").is_file()
    again = twinset("compare", corpus, "-o", "out", "--methods", "A0", "--methods", "minhash",
                    "-t", "0.5", "--json")  # fmt: skip
    found = json.loads(again.stdout)
    assert found["reused"] == ["A0", "minhash"]
    assert [row["method"] for row in found["methods"]] == ["minhash", "A0"]
    assert "minhash (2 of 2)" in again.stderr


def test_a_truth(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("left,right\na,b\n")
    done = twinset("compare", corpus, "-o", "out", "--methods", "md5", "--truth", "truth.csv", "-q")
    assert done.returncode == 0, done.stderr
    assert "against 1 true pair" in done.stdout


def test_faults_are_sentences(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    wrong = twinset("compare", corpus, "-o", "out", "--methods", "minhush")
    assert wrong.returncode == 2
    assert "minhush" in wrong.stderr
    assert twinset("compare", "nowhere.jsonl", "-o", "out", "--methods", "tf").returncode == 2
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_second_run_says_what_it_used_again(corpus: Path, twinset: Twinset) -> None:
    first = twinset("compare", corpus, "-o", "out", "--methods", "md5,minhash", "-q")
    again = twinset("compare", corpus, "-o", "out", "--methods", "md5,minhash,tf", "-q")
    assert "Used again" not in first.stdout
    assert "Used again from an earlier run: md5, minhash." in again.stdout


def test_no_method_wins_where_nothing_is_found(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a text that stands alone in its collection")
    done = twinset("compare", "one.txt", "-o", "out", "--methods", "md5,tf", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("No method found a pair of near-duplicates\n")


def test_no_method_wins_where_all_are_wrong(twinset: Twinset, tmp_path: Path) -> None:
    texts = ("the same words again", "the same words again", "others", "and others still")
    lines = (json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts))
    (tmp_path / "wrong.jsonl").write_text("\n".join(lines))
    (tmp_path / "wrong.csv").write_text("left,right\n2,3\n")
    methods = ["--methods", "md5,minhash", "--truth", "wrong.csv"]
    done = twinset("compare", "wrong.jsonl", "-o", "wrong", "-q", *methods)
    assert done.returncode == 0
    assert done.stdout.startswith("None of the 2 methods has found a true pair, so none is best\n")
    assert "Best" not in done.stdout
    assert "Next:" not in done.stdout
