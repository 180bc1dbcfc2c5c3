"""``show`` at a threshold, and with what a pair is said to be."""

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


def test_a_number_read_at_a_threshold_is_of_that_cluster(twinset: Twinset, review: Path) -> None:
    at = ("--threshold", "0.89")
    table = twinset("show", review, *at).stdout
    assert "--cluster N --threshold 0.89" in table
    assert "--cluster N" not in twinset("show", review).stdout
    [cluster] = json.loads(twinset("show", review, *at, "--json").stdout)["clusters"]
    number = str(cluster["number"])
    shown = json.loads(twinset("show", review, "--cluster", number, *at, "--json").stdout)
    assert len(shown["members"]) == cluster["size"] == 2


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
