"""``twinset lab generate`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_json_is_one_object(corpus: Path, twinset: Twinset) -> None:
    done = twinset("lab", "generate", corpus, "-o", "made", "--op", "truncate:10%", "--json", "-q")
    told = json.loads(done.stdout)
    assert (told["made"], told["pairs"], told["folder"]) == (5, 5, "made")


def test_a_recipe_and_all_options(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "edits.toml").write_text('[[operation]]\nname = "ocr-noise"\npercent = 3\n')
    done = twinset(
        "lab", "generate", corpus, "-o", "made", "--recipe", "edits.toml", "--documents", 2,
        "--originals", "all", "--least-similarity", 0.9, "--format", "csv", "--seed", 5,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "reading: done" in done.stderr
    assert "making: done" in done.stderr
    assert (tmp_path / "made" / "documents.csv").read_text().count("\n") == 8
    assert "below the least similarity, in ignore.csv: 2" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "there is no operation; give at least one of"),
        (["--op", "truncate:120%"], "percent must be between 0 and 100, not 120"),
        (["--op", "truncat:5%"], "did you mean 'truncate'?"),
        (["--op", "truncate", "--format", "xml"], "there is no format 'xml'"),
        (["--op", "truncate", "--documents", "0"], "documents must be at least 1, not 0"),
        (["--op", "replace-words:5%,dictionary=no.txt"], "give the path of a text file"),
        (["--op", "truncate", "--recipe", "x.toml"], "operations or a recipe, not both"),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(
    corpus: Path, twinset: Twinset, tmp_path: Path, arguments: list[str], told: str
) -> None:
    done = twinset("lab", "generate", corpus, "-o", "made", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "made").exists()


def test_an_operation_tells_about_itself(twinset: Twinset) -> None:
    told = twinset("list", "parts", "replace-words").stdout
    assert "dictionary" in told
    assert "A text file of words" in told


def test_a_made_collection_is_no_report(corpus: Path, twinset: Twinset) -> None:
    twinset("lab", "generate", corpus, "-o", "made", "--op", "truncate:10%", "-q")
    done = twinset("show", "made")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_what_could_not_be_done_is_reported_with_a_remedy(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("One paragraph of ten words, which is not many really.")
    ops = ["--op", "reorder-paragraphs:50%", "--op", "replace-words:1%"]
    done = twinset("lab", "generate", "one.txt", "-o", "made", *ops, "-q")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()[1:3]
    assert "Unchanged by reorder-paragraphs: 1 of 1 documents" in first
    assert "by=sentence takes smaller parts" in first
    assert "replace-words: 1 of 1 documents; its share" in second


def test_an_operation_without_a_name(corpus: Path, twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "edits.toml").write_text("[[operation]]\npercent = 3\n")
    done = twinset("lab", "generate", corpus, "-o", "made", "--recipe", "edits.toml")
    assert done.returncode == 2
    assert "operation 1: it has no name; write name =" in done.stderr
