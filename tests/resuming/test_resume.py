"""A run that is killed anywhere and resumed leaves the same bytes as one that is not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.resuming.conftest import Resume, assert_same_report

KILLED = -9
FILES = ["a.jsonl", "b.jsonl.gz", "c.jsonl"]
PAGES = ["a.jsonl", "pages.jsonl", "c.jsonl"]
BOILERPLATE = ["dedup", *PAGES, "--page-text", "whole", "--drop-boilerplate", "20"]
COMMANDS = {
    "dedup": ["dedup", *FILES, "--threads", "2"],
    "one thread": ["find", *FILES, "--threads", "1"],
    "words counted before": ["dedup", *FILES, "--method", "tfidf"],
    "kept as read": ["find", *FILES, "--method", "tfidfcosine"],
    "pages": ["dedup", *PAGES],
    "pages counted before": ["find", *PAGES, "--method", "tfidf"],
    "boilerplate": BOILERPLATE,
    "boilerplate counted before": [*BOILERPLATE, "--method", "tfidf"],
    "files": ["dedup", "files", "a.jsonl"],
    "judged": ["dedup", *FILES, "--verify", "edit:0.7"],
    "images": ["find", *FILES, "--clusters", "closed:k=2"],
    "reference": ["dedup", "a.jsonl", "c.jsonl", "--reference", "b.jsonl.gz"],
    "bytes": ["find", *FILES, "--method", "md5:of=bytes"],
    "exact": ["dedup", *FILES, "--exact", "--memory", "300MB"],
}
SEEDS = dict(zip(COMMANDS, range(100), strict=False))


def test_a_run_killed_in_the_middle_and_once_more(resume: Resume, corpus: Path) -> None:
    results = resume(COMMANDS["dedup"], [0.6, 0.35])
    assert results["plain"] == results["counted"] == 0, results["stderr"]
    assert [status for status, _ in results["left"]] == [KILLED, KILLED, 0], results
    assert any(name.endswith(".part") for name in results["left"][0][1])
    assert_same_report(corpus)


def test_documents_that_wait_for_their_boilerplate_are_not_read_again(
    resume: Resume, corpus: Path
) -> None:
    results = resume(COMMANDS["boilerplate"], [0.5])
    assert [status for status, _ in results["left"]] == [KILLED, 0], results["stderr"]
    assert any(name.startswith("read-") for name in results["left"][0][1])
    assert (corpus / "plain" / "boilerplate.parquet").is_file()
    assert_same_report(corpus)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_ten_kills_at_random_steps(resume: Resume, corpus: Path, name: str) -> None:
    chance = random.Random(SEEDS[name])
    results = resume(COMMANDS[name], [chance.uniform(0.02, 0.7) for _ in range(10)])
    assert results["plain"] == results["counted"] == 0, results["stderr"]
    statuses = [status for status, _ in results["left"]]
    assert statuses[0] == KILLED
    assert statuses[-1] == 0, results["stderr"]
    assert_same_report(corpus)


@pytest.mark.long
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97])
def test_a_kill_at_any_step(resume: Resume, corpus: Path, share: float) -> None:
    results = resume(COMMANDS["pages"], [share])
    assert [status for status, _ in results["left"]] == [KILLED, 0], results["stderr"]
    assert_same_report(corpus)


@pytest.mark.long
def test_ten_kills_at_random_times(resume: Resume, corpus: Path) -> None:
    chance = random.Random(7)
    shares = [chance.uniform(0.1, 0.9) for _ in range(10)]
    results = resume(COMMANDS["dedup"], shares, by_time=True)
    assert results["left"][-1][0] == 0, results["stderr"]
    assert_same_report(corpus)


@pytest.mark.long
@pytest.mark.parametrize("damage", ["cut", "flip"])
@pytest.mark.parametrize("name", ["dedup", "pages", "kept as read", "words counted before"])
def test_damaged_parts_are_done_again(resume: Resume, corpus: Path, name: str, damage: str) -> None:
    results = resume(COMMANDS[name], [0.7, 0.4], damage=damage)
    assert results["left"][-1][0] == 0, results["stderr"]
    assert_same_report(corpus)


@pytest.mark.long
def test_other_threads_and_memory_may_go_on(resume: Resume, corpus: Path) -> None:
    change = ["--threads", "3", "--memory", "1GB"]
    results = resume(COMMANDS["dedup"], [0.5, 0.2], change=change)
    assert results["left"][-1][0] == 0, results["stderr"]
    names = [path.name for path in (corpus / "plain").iterdir() if path.name != "manifest.json"]
    for name in names:
        path = corpus / "resumed" / name
        if path.is_file():
            assert path.read_bytes() == (corpus / "plain" / name).read_bytes()
