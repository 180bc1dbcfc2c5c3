"""``twinset lab generate`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Twinset


def test_makes_a_collection_and_tells_of_it(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    done = twinset(
        "lab", "generate", corpus, "-o", "made", "--op", "truncate:10%", "--variants", 2, "-q"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Documents read: 5; variants made: 10, from 5 of them; true pairs: 15.",
        "Collection: made/documents.jsonl",
        "Truth: made/truth.csv",
        "Next: twinset find made/documents.jsonl -o report",
        "      twinset lab evaluate report --truth made/truth.csv",
    ]
    assert done.stderr == ""
    assert {path.name for path in (tmp_path / "made").iterdir()} == {
        "documents.jsonl",
        "log.jsonl",
        "manifest.json",
        "truth.csv",
    }
    (read,) = json.loads((tmp_path / "made" / "manifest.json").read_text())["inputs"]
    assert read["path"] == str(corpus)
    assert read["digest"]


def test_all_options(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    done = twinset(
        "lab", "generate", corpus, "-o", "made", "--op", "ocr-noise:3%", "--documents", 2,
        "--originals", "all", "--seed", 5,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "reading: done" in done.stderr
    assert "making: done" in done.stderr
    assert (tmp_path / "made" / "documents.jsonl").read_text().count("\n") == 7


MISTAKES = {
    "": "there is no operation; give at least one of",
    "--op truncate:120%": "percent must be between 0 and 100, not 120",
    "--op truncat:5%": "did you mean 'truncate'?",
    "--op truncate --documents 0": "--documents: 0 is not in the range x>=1",
    "--op replace-words:5%,dictionary=no.txt": "give the path of a text file",
}


def test_mistakes_are_reported_in_a_sentence(
    corpus: Path, twinset: Twinset, tmp_path: Path
) -> None:
    for line, told in MISTAKES.items():
        done = twinset("lab", "generate", corpus, "-o", "made", *line.split())
        assert done.returncode == 2, line
        assert told in done.stderr
    assert not (tmp_path / "made").exists()


def test_what_could_not_be_done_is_reported_with_a_remedy(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("One paragraph of ten words, which is not many really.")
    ops = ["--op", "reorder-paragraphs:50%", "--op", "replace-words:1%"]
    done = twinset("lab", "generate", "one.txt", "-o", "made", *ops, "-q")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()[1:3]
    assert "Unchanged by reorder-paragraphs: 1 of 1 documents" in first
    assert "by=sentence takes smaller parts" in first
    assert "replace-words: 1 of 1 documents; its share" in second
