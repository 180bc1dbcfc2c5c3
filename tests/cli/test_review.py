"""``show`` at a threshold, ``decide`` and ``export`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset

WORDS = [f"word{n}" for n in range(60)]


def text(changed: int) -> str:
    return " ".join(["other"] * changed + WORDS[changed:])


@pytest.fixture
def review(tmp_path: Path, twinset: Twinset) -> Path:
    rows = [("a", text(0)), ("b", text(3)), ("c", text(12))]
    rows.append(("d", "<html><body><p>a page</p>" + text(50)))
    rows += [("e", text(0).replace("word7 ", "17 ")), ("f", text(0).replace("word7 ", "18 "))]
    lines = [json.dumps({"id": id, "text": body}) for id, body in rows]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = twinset("find", tmp_path / "in.jsonl", "-o", tmp_path / "r", "--exact", "-t", "0.5")
    assert done.returncode == 0, done.stderr
    return tmp_path / "r"


def test_clusters_at_a_higher_threshold(twinset: Twinset, review: Path) -> None:
    low = json.loads(twinset("show", review, "--json").stdout)
    high = json.loads(twinset("show", review, "--threshold", "0.89", "--json").stdout)
    assert (low["clusters"][0]["size"], high["clusters"][0]["size"]) == (5, 2)
    assert high["pairs"] < low["pairs"]
    assert "At 0.89 or more" in twinset("show", review, "-t", "0.89").stdout
    below = twinset("show", review, "--threshold", "0.3")
    assert below.returncode == 1
    assert "run again with --threshold 0.3" in below.stderr
    assert twinset("show", review, "--threshold", "7").returncode == 2


def test_the_kind_of_a_cluster_is_shown(twinset: Twinset, review: Path, tmp_path: Path) -> None:
    assert "kind" not in twinset("show", review).stdout
    report = tmp_path / "with kinds"
    twinset("find", tmp_path / "in.jsonl", "-o", report, "--exact", "-t", "0.5", "--kinds", "yes")
    kind = json.loads(twinset("show", report, "--json").stdout)["clusters"][0]["kind"]
    assert kind == "same-form"  # the words are numbered
    heads, row = twinset("show", report).stdout.splitlines()[-2:]
    assert heads.split()[3:5] == ["kind", "first"]
    assert "same form, other facts" in row
    assert ", same form, other facts\n" in twinset("show", report, "--cluster", "0").stdout


def test_clusters_with_an_id(twinset: Twinset, review: Path) -> None:
    assert json.loads(twinset("show", review, "--with-id", "B", "--json").stdout)["total"] == 1
    assert json.loads(twinset("show", review, "--with-id", "d", "--json").stdout)["total"] == 0
    assert "No cluster holds such a document." in twinset("show", review, "--with-id", "d").stdout


def test_a_number_read_at_a_threshold_decides_on_that_cluster(
    twinset: Twinset, review: Path
) -> None:
    at = ("--threshold", "0.89")
    table = twinset("show", review, *at).stdout
    assert "--cluster N --threshold 0.89" in table
    assert "--cluster N" not in twinset("show", review).stdout
    [cluster] = json.loads(twinset("show", review, *at, "--json").stdout)["clusters"]
    number = str(cluster["number"])
    shown = json.loads(twinset("show", review, "--cluster", number, *at, "--json").stdout)
    done = twinset("decide", review, "--cluster", number, *at, "--as", "duplicate", "--json")
    decided = json.loads(done.stdout)["decision"]["ids"]
    assert decided == [member["id"] for member in shown["members"]]
    assert len(decided) == cluster["size"] == 2


def test_a_pair_is_described_in_words(twinset: Twinset, review: Path) -> None:
    shown = twinset("show", review, "--pair", "e", "f").stdout
    assert "numbers and dates only" in shown
    assert "- only numbers differ, 2 of them\n" in shown
    facts = json.loads(twinset("show", review, "--pair", "e", "f", "--json").stdout)
    assert facts["in_words"][0] == "only numbers differ, 2 of them"
    assert facts["signals"]["length_ratio"] == 1.0


def test_the_original_has_its_mark_up(twinset: Twinset, review: Path) -> None:
    assert "<p>" not in twinset("show", review, "--pair", "a", "d").stdout
    assert "<p>" in twinset("show", review, "--pair", "a", "d", "--original").stdout


def test_decide_undo_export(twinset: Twinset, review: Path, tmp_path: Path) -> None:
    assert "Nothing is decided yet" in twinset("decide", review).stdout
    twinset("decide", review, "a", "b", "--as", "duplicate", "--keep-id", "b")
    twinset("decide", review, "a", "c", "--as", "not")
    assert "undone" in twinset("decide", review, "--undo").stdout
    twinset("decide", review, "a", "c", "--as", "not")
    assert twinset("decide", review, "--export", "-").stdout == "left,right,label\na,b,1\na,c,0\n"
    twinset("decide", review, "--export", tmp_path / "l.json")
    assert json.loads((tmp_path / "l.json").read_text())["labels"][0] == ["a", "b", 1]
    listed = json.loads(twinset("decide", review, "--json").stdout)["decisions"]
    assert [row["verdict"] for row in listed] == ["duplicate", "not"]
    assert "(keep b)" in twinset("decide", review).stdout


def test_decide_on_a_cluster_and_apply(twinset: Twinset, review: Path, tmp_path: Path) -> None:
    assert twinset("decide", review, "--cluster", "0", "--as", "duplicate").returncode == 0
    done = twinset("decide", review, "--apply", tmp_path / "clean", "--json")
    told = json.loads(done.stdout)
    assert (told["kept"], told["removed"]) == (2, 4)
    assert len((tmp_path / "clean" / "removed.jsonl").read_text().splitlines()) == 4
    again = twinset("decide", review, "--apply", tmp_path / "clean")
    assert again.returncode == 1
    assert "--force" in again.stderr


MISTAKES = {
    "a b": "--as duplicate",
    "a b --as maybe": "not 'maybe'",
    "a --as not": "two or more",
    "a zebra --as not": "no document 'zebra'",
    "a b --as duplicate --keep-id c": "not among",
    "--cluster 99 --as not": "no cluster 99",
    "a --cluster 0 --as not": "not both",
    "a b --threshold 0.9 --as not": "which clusters --cluster counts",
    "--cluster 0 --threshold 7 --as not": "not above 1, not 7",
    "--undo --export x.csv": "one thing at a time",
    "--apply x --undecided maybe": "keep or remove",
}


def test_mistakes_are_answered_and_nothing_is_decided(twinset: Twinset, review: Path) -> None:
    for line, said in MISTAKES.items():
        done = twinset("decide", review, *line.split())
        assert done.returncode in (1, 2), line
        assert said in done.stderr
    assert not (review / "decisions.jsonl").exists()
    assert "nothing to undo" in twinset("decide", review, "--undo").stdout


def test_answers_to_ask_become_decisions(twinset: Twinset, review: Path, tmp_path: Path) -> None:
    rows = [("a", "b", "no"), ("a", "c", "no"), ("b", "a", "yes"), ("a", "zzz", "yes")]
    lines = [json.dumps({"left": a, "right": b, "answer": said}) for a, b, said in rows]
    answers = tmp_path / "plan.answers.jsonl"
    answers.write_text("\n".join(lines) + '\n{"left": "a', encoding="utf-8")
    done = twinset("decide", review, "--from-answers", answers)
    assert (done.returncode, done.stdout) == (0, "2 answers recorded, 0 known already.\n")
    assert "cut short" in done.stderr
    assert "1 answer left out: about documents outside the report" in done.stderr
    listed = json.loads(twinset("decide", review, "--json").stdout)["decisions"]
    assert {(*row["ids"], row["verdict"]) for row in listed} == {
        ("b", "a", "duplicate"),
        ("a", "c", "not"),
    }
    again = json.loads(twinset("decide", review, "--from-answers", answers, "--json").stdout)
    assert again == {"recorded": 0, "standing": 2, "unknown": 1}
    both = twinset("decide", review, "--from-answers", answers, "--undo")
    assert (both.returncode, "one thing at a time" in both.stderr) == (2, True)
    assert twinset("decide", review, "--from-answers", tmp_path / "none.jsonl").returncode != 0
