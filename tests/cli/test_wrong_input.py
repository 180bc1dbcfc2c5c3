"""A wrong command line is answered with the fault, the value and what to type instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import twinset as library
from tests.cli.conftest import Twinset
from twinset.errors import UnusedOption, did_you_mean, nearest

WRONG = {
    "fnd corpus.jsonl -o w": "no command 'fnd'; did you mean 'find'?",
    "deduplicate corpus.jsonl -o w": "did you mean 'dedup'?",
    "--versoin": "no option --versoin; did you mean --version?",
    "find corpus.jsonl -o w --treshold 1": "no option --treshold; did you mean --threshold?",
    "find corpus.jsonl -o w --text-column a": "did you mean --text?",
    "lab learn corpus.jsonl -o w --truth a": "did you mean --labels?",
    "find corpus.jsonl": "-o DIR is missing; for example: twinset find corpus.jsonl -o report",
    "find": "IN is missing; for example: twinset find",
    "find corpus.jsonl -o w -t abc": "--threshold: 'abc' is not a valid float",
    "find corpus.jsonl -o w --threads=x": "--threads: 'x' is not a whole number",
    "lab mine sets.dat --support 20%": "--support: '20%' is not a whole number",
    "find corpus.jsonl -o w -t 80": "at most 1, not 80; 80% is 0.8",
    "show report --top -3": "--top: -3 is not in the range x>=0",
    "show report a b": "'a b' is more than twinset show takes",
    "show report --sort siz": "did you mean 'size'?",
    "show report --pair a bb": "did you mean 'b'?",
    "show reprot": "did you mean '",
    "show corpus.jsonl": "is a file and no report",
    "find corpus.jsnl -o w": "did you mean 'corpus.jsonl'?",
    "find corpus.jsonl -o w --method minhsh": "no method 'minhsh'; did you mean 'minhash'?",
    "find corpus.jsonl -o w --method minhash:shingel=3": "did you mean 'shingle'?",
    "find corpus.jsonl -o w --preset trainig": "did you mean 'training'?",
    "find corpus.jsonl -o w --measure Jacard": "did you mean 'jaccard'?",
    "find corpus.jsonl -o w --clusters component": "did you mean 'components'?",
    "find corpus.jsonl -o w --unit words": "did you mean 'word'?",
    "find corpus.jsonl -o w --language rus": "did you mean 'ru'?",
    "find corpus.jsonl -o w --plan plan.tml": "did you mean 'plan.toml'?",
    "find corpus.jsonl -o w --plan folder": "folder is a folder: name a file",
    "find corpus.jsonl -o w --plan corpus.jsonl": "not a plan in TOML",
    "dedup corpus.jsonl -o w --keep logest": "did you mean 'longest'?",
    "dedup corpus.jsonl -o w --keep date": "by a field of the input: date:max or date:min",
    "dedup corpus.jsonl -o w --keep dat:max": "did you mean 'date'? the fields are id, text, date",
    "find corpus.jsonl -o w --id ident": "did you mean --id id?",
    "find corpus.jsonl -o w --text txt": "did you mean --text text?",
    "lab evaluate report --truth truth.csv --truth-columns lft,right": "did you mean 'left'?",
    "lab evaluate report --truth truht.csv": "did you mean 'truth.csv'?",
    "lab experiment corpus.jsonl -o w": "'corpus.jsonl' is taken for the experiment",
}


@pytest.fixture
def filled(corpus: Path, report: Path) -> Path:
    """The collection with a date, its report, a plan, a truth and a folder."""
    rows = [json.loads(line) | {"date": "2020-01-01"} for line in corpus.read_text().splitlines()]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = corpus.parent
    (folder / "plan.toml").write_text("threshold = 0.5\n")
    (folder / "truth.csv").write_text("left,right\na,b\n")
    (folder / "folder").mkdir()
    return folder


def test_wrong_input_is_answered_with_the_remedy(twinset: Twinset, filled: Path) -> None:
    for line, said in WRONG.items():
        done = twinset(*line.split(), *(["-q"] if " -o w" in line else []))
        assert done.returncode in (1, 2), line
        assert said in done.stderr, (line, done.stderr)
        assert done.stderr.startswith("twinset: "), line
        assert done.stderr.count("\n") == 1, (line, done.stderr)


def test_a_pattern_that_protects_nothing_is_said(twinset: Twinset, filled: Path) -> None:
    done = twinset("dedup", "corpus.jsonl", "-o", "w", "-q", "--never-remove", "gold-*")
    assert done.returncode == 0
    assert "note: never-remove 'gold-*' matches no id" in done.stderr


def test_misspelt_options_of_reading_are_answered_as_on_the_command_line() -> None:
    with pytest.raises(TypeError, match=r"argument 'txt'; did you mean 'text'\?"):
        library.read(["a text"], txt="body")  # type: ignore[call-arg]


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    with pytest.warns(UnusedOption) as caught:
        library.dedup(["a b", "a b"], never_remove="zz")
    assert caught[0].filename == __file__


def test_the_nearest_name_is_one_that_is_near() -> None:
    assert nearest("PAGE_text", ["page-text", "page"]) == "page-text"
    assert nearest("ident", ["text", "id"]) == "id"
    assert nearest("zzz", ["text", "id"]) is None
    assert nearest("", ["text"]) is None
    assert did_you_mean("treshold", ["threshold"], form="--{}") == "did you mean --threshold? "
    assert did_you_mean("zzz", ["threshold"]) == ""
