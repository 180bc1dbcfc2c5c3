"""A run that is killed anywhere and resumed leaves the same bytes as one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.resuming.conftest import Resume, assert_same_report

KILLED = -9
FILES = ["a.jsonl", "b.jsonl.gz", "c.jsonl"]
COMMANDS = {
    "dedup": ["dedup", *FILES, "--threads", "2"],
    "counted": ["find", *FILES, "--method", "tfidf", "--threads", "1"],
    "kept as read": ["find", *FILES, "--method", "tfidfcosine", "--threads", "2"],
}
FIRST = "dedup"


@pytest.mark.parametrize(
    "name",
    [FIRST, *(pytest.param(name, marks=pytest.mark.long) for name in COMMANDS if name != FIRST)],
)
def test_a_run_killed_in_the_middle_and_near_the_end(
    resume: Resume, corpus: Path, name: str
) -> None:
    results = resume(COMMANDS[name], [0.6, 0.35])
    assert results["plain"] == results["counted"] == 0, results["stderr"]
    assert [status for status, _ in results["left"]] == [KILLED, KILLED, 0], results
    assert any(name.endswith(".part") for name in results["left"][0][1])
    assert_same_report(corpus)
