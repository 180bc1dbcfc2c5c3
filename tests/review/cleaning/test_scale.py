"""A large folder stays quick: measured in CPU time, with room for a slow machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.review.cleaning.made import MadeFile, report
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import GroupQuery
from twinset.review.cleaning.state import MarkRule

GROUPS = 1000
LIMIT = 0.1


def _spent(call: Callable[[], object]) -> float:
    """The least of a few tries."""
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def test_no_click_waits_for_a_large_folder(tmp_path: Path) -> None:
    files, pairs = [], []
    for number in range(GROUPS):
        names = [f"{place}/contract {number}.txt" for place in ("a", "b", "c")]
        contents = [f"text {number}", f"text {number}", f"text {number}, later"]
        files += [MadeFile(*both) for both in zip(names, contents, strict=True)]
        pairs.append((names[0], names[2], "equal-words", 0.8))
    cleaning = FolderCleaning.of(report(tmp_path, files, pairs), tmp_path / "home")
    assert cleaning.groups().total == GROUPS
    calls: dict[str, Callable[[], object]] = {
        "page": cleaning.groups,
        "sorted": lambda: cleaning.groups(GroupQuery(sort="name", text="contract 7")),
        "rule": lambda: cleaning.apply_rule(MarkRule("all")),
        "click": lambda: cleaning.set_action([1], "keep"),
        "undo": cleaning.undo,
        "totals": cleaning.totals,
        "folders": cleaning.same_folders,
    }
    assert {name: spent for name, call in calls.items() if (spent := _spent(call)) > LIMIT} == {}
