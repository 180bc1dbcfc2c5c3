"""``twinset index``: what is printed, and what is said of mistakes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Twinset


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def index(corpus: Path, twinset: Twinset) -> str:
    """An index of the small collection."""
    done = twinset("index", "create", "kept", "--threshold", "0.5", "--exact", "--json")
    assert lines(done)[0]["threshold"] == 0.5
    [added] = lines(twinset("index", "add", "kept", corpus, "-q", "--json"))
    assert added == {"added": 5, "replaced": 0, "unchanged": 0}
    return "kept"


def test_every_document_has_a_line(index: str, corpus: Path, twinset: Twinset) -> None:
    answers = lines(twinset("index", "query", index, corpus, "-q", "--json"))
    assert [answer["id"] for answer in answers] == list("abcde")
    matches = {answer["id"]: [m["id"] for m in answer["matches"]] for answer in answers}
    assert matches == {"a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"], "d": [], "e": []}
    assert answers[0]["matches"][0]["score"] == 1
    [first, *_] = lines(twinset("index", "query", index, corpus, "-q", "--json", "--top", "1"))
    assert ([m["id"] for m in first["matches"]], first["more"]) == (["b"], 1)


def test_a_lower_score_is_asked_for(index: str, corpus: Path, twinset: Twinset) -> None:
    lower = ("index", "query", index, corpus, "-q", "--least", "0.3", "--top", "1")
    assert lines(twinset(*lower, "--json"))[0]["recall"] == 0  # an exact join seeks none below
    told = (
        "Below the threshold of 0.5 not every match is found: 0.0000 of those at 0.3 are expected."
    )
    assert twinset(*lower).stdout.splitlines()[-1] == told
    said = "Recall at the threshold: 1.0000 · at 0.4: 0.0000 · at 0.3: 0.0000 · at 0.2: 0.0000"
    assert said in twinset("index", "info", index).stdout


def test_a_text_on_stdin(index: str, corpus: Path, tmp_path: Path) -> None:
    text = json.loads(corpus.read_text("utf-8").splitlines()[2])["text"]
    command = [*COMMAND, "index", "query", index]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=tmp_path, check=True
    )
    shown = done.stdout.splitlines()
    assert shown[0] == "the text on stdin"
    assert shown[1] == "  1.0000  c"
    assert shown[-1] == "Documents: 1 asked about, 1 with a match"


def test_what_is_there_is_told(index: str, corpus: Path, twinset: Twinset) -> None:
    [again] = lines(twinset("index", "add", index, corpus, "-q", "--json"))
    assert (again["added"], again["unchanged"]) == (0, 5)
    assert "Documents: 5" in twinset("index", "info", index).stdout
    assert twinset("index", "check", index).stdout == "kept is whole\n"


def test_a_day_without_documents(index: str, twinset: Twinset, tmp_path: Path) -> None:
    (tmp_path / "today.jsonl").write_text("")
    assert twinset("index", "add", index, "today.jsonl", "-q").stdout == "Documents: 0 added\n"
    assert lines(twinset("index", "query", index, "today.jsonl", "-q", "--json")) == []
    for command in ("find", "dedup"):
        done = twinset(command, "today.jsonl", "--against", index, "-q", "-o", command)
        assert (done.returncode, "There were no documents" in done.stdout) == (0, True)
    assert (tmp_path / "dedup" / "kept.jsonl").read_text() == ""


def test_a_damaged_document_is_said_and_the_others_are_answered(
    index: str, corpus: Path, twinset: Twinset, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / index / "index.sqlite")) as catalogue:
        catalogue.execute("UPDATE documents SET body = x'28b52ffd0000' WHERE id = 'b'")
        catalogue.commit()
    done = twinset("index", "query", index, corpus, "-q", "--json")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    found = [[match["id"] for match in answer["matches"]] for answer in answers]
    assert found == [["c"], ["a", "c"], ["a"], [], []]
    assert [answer.get("unread") for answer in answers] == [1, 1, 1, None, None]
    assert (done.returncode, "were not compared (3 times)" in done.stderr) == (1, True)
    assert "'b'" in twinset("index", "check", index).stdout
    done = twinset("index", "export", index)
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 4)


def test_removing_compacting_and_writing(index: str, twinset: Twinset, tmp_path: Path) -> None:
    Path("gone.txt").write_bytes("\ufeffa\r\n\r\nnever\u2028there\r\n".encode())
    [removed] = lines(twinset("index", "remove", index, "b", "--file", "gone.txt", "--json"))
    assert removed == {"removed": 2, "missing": 1}
    assert twinset("index", "compact", index).returncode == 0
    assert [row["id"] for row in lines(twinset("index", "export", index))] == ["c", "d", "e"]
    done = twinset("index", "export", index, "-o", "all.jsonl", "--json")
    assert lines(done) == [{"file": "all.jsonl", "documents": 3}]
    rows = map(json.loads, Path("all.jsonl").read_text("utf-8").splitlines())
    assert [row["id"] for row in rows] == ["c", "d", "e"]
    assert twinset("index", "export", index, "-o", "all.jsonl", "--force").returncode == 0


def test_only_new_documents(index: str, corpus: Path, twinset: Twinset) -> None:
    renamed = corpus.read_text("utf-8").replace('"id": "', '"id": "new ')
    Path("today.jsonl").write_text(renamed, encoding="utf-8")
    done = twinset("index", "add", index, "today.jsonl", "--dedup", "-q")
    shown = done.stdout.splitlines()
    assert shown[0] == "new a: there as a, 1.0000"
    assert shown[-1] == "Documents: 0 added, 5 near-duplicates left out"


MISTAKES = {
    "query nowhere corpus.jsonl": "nowhere is no index",
    "query kept missing.jsonl": "missing.jsonl",
    "create kept": "kept is there already and not empty",
    "create other --method tfidfcosine": "weighs words by counts of a collection",
    "create other --method tfidf": "--statistics statistics.parquet",
    "remove kept": "there is nothing to remove",
    "remove kept --file missing.txt": "missing.txt",
    "add kept other-text.jsonl": "has the id 'a' with another text",
    "ask kept": "there is no command 'ask'",
    "create other --drop-boilerplate 3": "'twinset index create --help-all' lists all",
    "add kept": "IN is missing",
    "add kept --nonsense": "'twinset index add -h' lists all",
    "export kept -o other-text.jsonl": "exists: choose another name, or --force",
    "export kept -o all.parquet": "name a .jsonl file",
    "export kept -o nowhere/all.jsonl": "there is no folder nowhere",
    "export kept -o kept": "kept is a folder: name a file",
}


@pytest.mark.usefixtures("index")
def test_mistakes_are_answered_in_a_sentence(twinset: Twinset) -> None:
    Path("other-text.jsonl").write_text('{"id": "a", "text": "another"}\n', encoding="utf-8")
    for line, said in MISTAKES.items():
        done = twinset("index", *line.split())
        assert done.returncode in ((2,) if "nowhere corpus" in line else (1, 2)), line
        assert said in done.stderr
        faults = [each for each in done.stderr.splitlines() if each.startswith("twinset:")]
        assert len(faults) == 1, line
    assert not Path("other").exists()


def test_bad_documents_are_counted_and_the_others_added(twinset: Twinset) -> None:
    Path("bad.jsonl").write_bytes(
        b'{"id": "a", "text": "good words"}\n' * 9 + b'{"id": 3\n{"id": "b"}\n'
    )
    twinset("index", "create", "kept")
    done = twinset("index", "add", "kept", "bad.jsonl", "-q")
    assert "1 added" in done.stdout
    assert "2 could not be read" in done.stdout
    assert "bad.jsonl:10: " in done.stderr
    assert "bad.jsonl:11: " in done.stderr


def test_no_command_shows_the_help(twinset: Twinset) -> None:
    done = twinset("index")
    assert done.returncode == 2
    assert "Ask which documents are already there" in done.stdout
