"""``twinset spans``: what it says and writes, and what it refuses before the work."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Twinset


def test_spans_are_counted_and_listed(twinset: Twinset, corpus: Path) -> None:
    done = twinset("spans", corpus, "-o", "out", "--least", 60, "-q")
    assert done.returncode == 0
    assert "2 stretches of at least 60 words stand in 5 places" in done.stdout
    rows = pq.read_table("out/spans.parquet").to_pylist()
    assert [(row["span"], row["id"]) for row in rows] == [
        (0, "a"),
        (0, "b"),
        (0, "c"),
        (1, "a"),
        (1, "b"),
    ]
    assert {row["units"] for row in rows} == {60}
    page = Path("out/report.html").read_text("utf-8")
    assert "one two three" in page
    assert twinset("spans", corpus, "-o", "out", "-q").returncode != 0


@pytest.mark.parametrize("flag", ["--remove", "--remove-all"])
def test_the_documents_are_written_without_repeats(
    twinset: Twinset, corpus: Path, flag: str
) -> None:
    done = twinset("spans", corpus, "-o", "out", "--least", 61, "-q", "--json", flag)
    assert json.loads(done.stdout)["totals"]["places"] == 2
    lines = Path("out/cleaned.jsonl").read_text("utf-8").splitlines()
    texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    assert list(texts) == ["a", "b", "c", "d", "e"]
    assert texts["b"] == ""
    assert bool(texts["a"]) == (flag == "--remove")
