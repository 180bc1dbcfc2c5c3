"""``twinset reuse``: what it says and writes, and what it refuses before the work."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from tests.cli.conftest import Twinset

QUESTION = "which of the rivers named below flows north and ends in a lake without an outlet"


def put(name: str, *rows: object) -> str:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    Path(name).write_text("\n".join(lines), "utf-8")
    return name


def sides() -> tuple[str, str]:
    left = put("left.jsonl", {"id": "q", "text": QUESTION}, {"id": "r", "text": "something else"})
    page = f"A quiz. {QUESTION.replace('named', 'given').capitalize()}? See below."
    right = put("right.jsonl", {"id": "page", "text": page}, "broken", {"id": "n", "text": "no"})
    return left, right


def test_passages_are_counted_and_listed(twinset: Twinset) -> None:
    done = twinset("reuse", *sides(), "-o", "out", "-q", "--least", 12)
    assert done.returncode == 0
    assert "1 passage is shared in 1 pair of documents" in done.stdout
    assert "The fault: right.jsonl:2: the line is not JSON" in done.stdout
    assert "2 documents have fewer words than a shingle (5) and are not looked for" in done.stdout
    [row] = pq.read_table("out/reuse.parquet").to_pylist()
    assert (row["left"], row["right"], row["left_start"]) == ("q", "page", 0)
    assert 0.9 < row["score"] < 1
    assert not row["exact"]
    [pair] = pq.read_table("out/pairs.parquet").to_pylist()
    assert pair["containment_left"] == 1.0
    page = Path("out/report.html").read_text("utf-8")
    assert "<del" in page
    assert "<ins" in page
    assert twinset("reuse", *sides(), "-o", "out", "-q").returncode != 0
    assert twinset("reuse", *sides(), "-o", "out", "-q", "--force").returncode == 0


def test_json_and_russian(twinset: Twinset) -> None:
    options = ("--json", "--language", "ru", "--least", 12, "-t", "0.999")
    done = twinset("reuse", *sides(), "-o", "out", "-q", *options)
    assert json.loads(done.stdout)["totals"]["passages"] == 0
    assert "Ни один отрывок" in Path("out/report.html").read_text("utf-8")


def test_single_documents(twinset: Twinset) -> None:
    put("a.txt", QUESTION)
    put("b.txt", f"{QUESTION}, {QUESTION}")
    assert twinset("reuse", "a.txt", "b.txt", "-o", "out", "-q").returncode == 0
    assert pq.read_table("out/pairs.parquet").num_rows == 1


def test_wrong_options_are_said_together(twinset: Twinset) -> None:
    done = twinset("reuse", *sides(), "-o", "out", "--least", "0", "--threshold", "2")
    assert done.returncode == 2
    assert "least must be between 1" in done.stderr
    assert "threshold must be" in done.stderr
    assert twinset("reuse", "left.jsonl", "gone.jsonl", "-o", "out").returncode == 2
    assert not Path("out").exists()


def test_the_side_without_text_is_named(twinset: Twinset) -> None:
    put("empty.txt")
    left, _ = sides()
    for given, named in (((left, "empty.txt"), "B"), (("empty.txt", left), "A")):
        done = twinset("reuse", *given, "-o", f"out-{named}", "-q")
        assert done.returncode == 1
        assert f"{named}: the only document holds no text; name files" in done.stderr


def test_stdin_is_one_side_at_most(twinset: Twinset) -> None:
    done = twinset("reuse", "-", "-", "-o", "out", "-q")
    assert done.returncode == 2
    assert "cannot both be -" in done.stderr
    assert not Path("out").exists()


def test_a_report_is_not_written_to_stdout(twinset: Twinset) -> None:
    for command in (("reuse", *sides()), ("spans", "left.jsonl")):
        done = twinset(*command, "-o", "-")
        assert done.returncode == 2
        assert "writes a report of several files: name a folder with -o" in done.stderr
    assert not Path("-").exists()


def test_commands_on_pairs_say_where_to_look(twinset: Twinset) -> None:
    twinset("reuse", *sides(), "-o", "out", "-q")
    twinset("spans", "left.jsonl", "-o", "repeats", "-q")
    for command, folder in (("reuse", "out"), ("spans", "repeats")):
        done = twinset("show", folder)
        assert done.returncode == 1
        assert f"{folder} is about passages, of twinset {command}" in done.stderr
        assert "or twinset ui" in done.stderr


def test_sets_are_looked_up_and_fail_above_a_share(twinset: Twinset) -> None:
    quiz = put("quiz.jsonl", {"id": "q", "question": QUESTION}, {"id": "r", "question": "or not"})
    Path("sets").mkdir()
    put("sets/other.v1.jsonl", {"id": "o", "question": "nothing like it stands there at all"})
    training = put("training.jsonl", {"key": "k", "body": f"1. {QUESTION}?"})
    fields = ("--text", "question", "--against-text", "body", "--against-id", "key")
    both = (
        "reuse",
        "--set",
        f"river={quiz}",
        "--set",
        "sets",
        training,
        *fields,
        "-q",
        "-o",
        "out",
    )
    done = twinset(*both, "--language", "ru")
    assert done.returncode == 0
    assert [row["set"] for row in pq.read_table("out/sets.parquet").to_pylist()] == [
        "river",
        "other",
    ]
    assert pq.read_table("out/items.parquet")["document"].to_pylist() == ["k", None, None]
    page = Path("out/report.html").read_text("utf-8")
    assert "с правками" in page
    assert "lake without an outlet" in page
    for share, code in (("50%", 0), ("0.49", 1)):
        done = twinset(*both, "--force", "--json", "--fail-above", share)
        assert done.returncode == code
        assert json.loads(done.stdout)["sets"][0]["share"] == 0.5
    assert "more than 49 % is in the training text of: river (50 %)" in done.stderr.replace(
        "\xa0", " "
    )


def test_what_sets_are_asked_for_has_to_fit(twinset: Twinset) -> None:
    left, right = sides()
    for options, fault in (
        ((left, right, "--portion", 0.2, "--fail-above", "1%"), "only with --set"),
        (("--set", left, left, right), "name two sides"),
        (("--set", left, "--set", f"left={right}", right), "two sets are called 'left'"),
        (("--set", left, right, "--fail-above", "1"), "fail-above must be a share"),
    ):
        done = twinset("reuse", *options, "-o", "out")
        assert done.returncode == 2
        assert fault in done.stderr
    assert not Path("out").exists()


def test_each_side_has_its_own_fields(twinset: Twinset) -> None:
    left = put("a.jsonl", {"id": "q", "question": QUESTION})
    right = put("b.jsonl", {"key": "k", "body": QUESTION})
    fields = ("--text", "question", "--against-text", "body", "--against-id", "key")
    assert twinset("reuse", left, right, *fields, "-o", "out", "-q").returncode == 0
    assert pq.read_table("out/pairs.parquet")["right"].to_pylist() == ["k"]
