"""``find`` and ``dedup`` with ``--against``, and what looks into their reports."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, WORDS, Twinset
from twinset.index import Index

FILES = {
    "old.jsonl": {"a": WORDS, "b": WORDS + "twenty-one", "c": "nothing in common with any other"},
    "new.jsonl": {"a": WORDS, "n": WORDS + "end", "m": "quite another text that nobody has seen"},
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, texts in FILES.items():
        lines = (json.dumps({"id": id, "text": text}) for id, text in texts.items())
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def index(tmp_path: Path) -> str:
    with Index.create(tmp_path / "index") as made:
        made.add(str(tmp_path / "old.jsonl"))
    return "index"


def test_find_names_the_older_documents(twinset: Twinset) -> None:
    done = twinset("find", "new.jsonl", "--against", "old.jsonl", "-o", "r", "-q")
    assert done.stdout.splitlines() == [
        "Of 3 documents, 2 are near-duplicates of one of the 3 documents of old.jsonl at a Jaccard "
        "similarity of 0.8 or more: 4 pairs.",
        "Report: r/report.html",
        "Next: twinset show r",
        "      twinset show r --pair a a",
        "      twinset dedup new.jsonl -o r-dedup --against old.jsonl",
    ]
    for line in done.stdout.splitlines()[2:]:
        again = twinset(*shlex.split(line.removeprefix("Next: "))[1:])
        assert again.returncode == 0, again.stderr


def test_a_pair_that_cannot_be_read_again_is_not_named_next(
    tmp_path: Path,
) -> None:
    command = [*COMMAND, "find", "-", "--against", "old.jsonl", "-o", "r", "-q"]
    with (tmp_path / "new.jsonl").open() as new:
        done = subprocess.run(command, stdin=new, capture_output=True, text=True, cwd=tmp_path)
    assert "Next: twinset show r" in done.stdout
    assert "--pair" not in done.stdout


def test_older_documents_may_have_other_fields(twinset: Twinset, tmp_path: Path) -> None:
    older = {"nr": 7, "data": {"content": WORDS}}
    (tmp_path / "train.jsonl").write_text(json.dumps(older) + "\n", "utf-8")
    command = ("find", "new.jsonl", "--against", "train.jsonl", "-o", "r", "-q")
    failed = twinset(*command)
    assert failed.returncode == 1
    assert failed.stderr.startswith("twinset: train.jsonl: the only row holds no text")
    assert "--against-text" in failed.stderr
    done = twinset(*command, "--against-text", "data.content", "--against-id", "nr")
    assert "Of 3 documents, 2 are near-duplicates of one of the 1 document" in done.stdout
    assert "--against-text data.content" in done.stdout
    assert "[-end-]" in twinset("show", "r", "--pair", "n", "7").stdout
    assert "--against" in twinset(*command[:2], *command[4:], "--against-id", "nr").stderr


def test_dedup_writes_what_is_new(twinset: Twinset, tmp_path: Path, index: str) -> None:
    done = twinset("dedup", "new.jsonl", "--against", index, "-o", "out", "-q")
    first = done.stdout.splitlines()[0]
    assert first.endswith("4 pairs. 1 is in index itself, with the same id and text.")
    kept = (tmp_path / "out" / "kept.jsonl").read_text("utf-8")
    assert [json.loads(line)["id"] for line in kept.splitlines()] == ["m"]
    assert (tmp_path / "out" / "removals.csv").read_text("utf-8").splitlines() == [
        '"removed","kept","score","reason"',
        '"a","a",1,"already there"',
        '"n","a",0.9411764705882353,"near-duplicate"',
    ]
    assert (tmp_path / "out" / "duplicates.txt").read_bytes() == b""
    again = twinset("dedup", "out/kept.jsonl", "--against", index, "-o", "none", "-q")
    assert "None of 1 document is a near-duplicate" in again.stdout


def test_dedup_writes_to_standard_output(twinset: Twinset) -> None:
    done = twinset("dedup", "new.jsonl", "--against", "old.jsonl", "-o", "-", "-q")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["m"]


def test_several_older_inputs_are_one_collection(twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "more.jsonl").write_text(
        json.dumps({"id": "a", "text": FILES["new.jsonl"]["m"]}) + "\n", "utf-8"
    )
    done = twinset(
        *("find", "new.jsonl", "--against", "old.jsonl", "--against", "more.jsonl", "-o", "r"),
        *("-q", "--json"),
    )
    manifest = json.loads(done.stdout)
    assert manifest["against"]["name"] == "old.jsonl, more.jsonl"
    assert (manifest["against"]["documents"], manifest["against"]["matched"]) == (4, 3)
    shown = json.loads(twinset("show", "r", "--json").stdout)
    assert {"left": "m", "right": "a#2"}.items() <= shown["pairs"][1].items()


def test_show_lists_pairs_and_one_of_them(twinset: Twinset, index: str) -> None:
    twinset("find", "new.jsonl", "--against", index, "-o", "r", "-q")
    shown = twinset("show", "r", "--top", "2").stdout.splitlines()
    assert shown[2:] == [
        "score   new → older",
        "0.9412  n → a",
        "0.8889  a → b",
        "and 1 more; --top 3 shows all",
    ]
    assert json.loads(twinset("show", "r", "--threshold", "0.9", "--json").stdout)["total"] == 1
    assert "a → b" not in twinset("show", "r", "--with-id", "n").stdout
    pair = twinset("show", "r", "--pair", "n", "a").stdout
    assert "score 0.9412" in pair
    assert "[-end-]" in pair
    assert json.loads(twinset("show", "r", "--pair", "n", "a", "--json").stdout)["signals"]


NOT_SHOWN = {
    "--pair b a": "'b' is the older document: name the new one first",
    "--pair n nobody": "the text of 'nobody' cannot be had from index",
    "--pair nobody a": "there is no document 'nobody'",
    "--pair n a --original": "leave --original out",
    "--cluster 0": "has no clusters",
    "--threshold 0.5": "run again with --threshold 0.5",
}


def test_what_cannot_be_shown_is_said(twinset: Twinset, tmp_path: Path, index: str) -> None:
    twinset("find", "new.jsonl", "--against", index, "-o", "r", "-q")
    for options, sentence in NOT_SHOWN.items():
        done = twinset("show", "r", *options.split())
        assert done.returncode != 0
        assert sentence in done.stderr
    (tmp_path / index).rename(tmp_path / "elsewhere")
    done = twinset("show", "r", "--pair", "n", "a")
    assert done.returncode == 2
    assert "index" in done.stderr
    assert twinset("show", "r").returncode == 0


def test_what_chooses_among_copies_says_that_there_are_none(
    twinset: Twinset, tmp_path: Path
) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.txt").write_text(WORDS, "utf-8")
    assert twinset("dedup", "new", "--against", "old", "-o", "r", "-q").returncode == 0
    done = twinset("clean", "r")
    assert done.returncode == 1
    assert "older ones" in done.stderr


WRONG = {
    "new.jsonl --against nothing.jsonl": "nothing.jsonl: there is no such file or folder",
    "new.jsonl --against index --against old.jsonl": "held against alone",
    "new.jsonl --against index -t 0.5": "the index index has its own threshold",
    "new.jsonl --against index --resume": "resume keeps parts",
    "new.jsonl --against index --engine spark": "against runs on this machine",
    "new.jsonl --against index --reference old.jsonl": "give against alone",
    "- --against -": "both new and older",
}


@pytest.mark.usefixtures("index")
def test_wrong_options_are_said_before_anything_is_read(twinset: Twinset, tmp_path: Path) -> None:
    for options, sentence in WRONG.items():
        done = twinset("find", "-o", "r", *options.split())
        assert done.returncode == 2
        assert sentence in done.stderr
    assert not (tmp_path / "r").exists()


def test_an_older_input_is_never_replaced_by_the_report(twinset: Twinset, tmp_path: Path) -> None:
    twinset("dedup", "new.jsonl", "--against", "old.jsonl", "-o", "r", "-q")
    done = twinset("dedup", "new.jsonl", "--against", "r/kept.jsonl", "-o", "r", "--force")
    assert done.returncode == 1
    assert "which --force would remove" in done.stderr
    assert (tmp_path / "r" / "kept.jsonl").is_file()
