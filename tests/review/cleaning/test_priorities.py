"""Keep policies decide which copy stays, those of the search or others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.review.cleaning.made import MadeFile, report
from twinset.errors import PlanError
from twinset.review.cleaning.cleaning import FolderCleaning

DAY = 24 * 3600 * 10**9


def _cleaning(place: Path, **plan: Any) -> FolderCleaning:
    files = [
        MadeFile("lease (1).txt", "rent", 20 * DAY),
        MadeFile("lease.txt", "rent", 9 * DAY),
        MadeFile("old/lease.txt", "rent", 9 * DAY),
    ]
    return FolderCleaning.of(report(place, files, plan=plan), place / "home")


def _shown(cleaning: FolderCleaning) -> list[tuple[str, str]]:
    return [(row.id, row.reason.name) for row in cleaning.groups().groups[0].rows]


def test_the_policies_of_the_search_decide_and_say_why(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path, keep=["original-name", "newest"])
    assert _shown(cleaning) == [
        ("lease.txt", "preferred"),
        ("old/lease.txt", "later_by_id"),
        ("lease (1).txt", "copy_name"),
    ]
    assert cleaning.policies == ("original-name", "newest")


def test_other_policies_are_applied_without_a_search_and_undone(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path, keep=["original-name"])
    before = _shown(cleaning)
    assert cleaning.prefer(["newest"]).changed == 2
    assert _shown(cleaning) == [
        ("lease (1).txt", "preferred"),
        ("lease.txt", "older"),
        ("old/lease.txt", "older"),
    ]
    older = cleaning.groups().groups[0].rows[1].reason
    assert older.values == {"seconds": 11 * 24 * 3600}
    again = FolderCleaning._make(cleaning.index, cleaning.home, None)
    assert (_shown(again), again.policies) == (_shown(cleaning), ("newest",))
    cleaning.prefer(["folder:order=old"])
    assert _shown(cleaning)[0] == ("old/lease.txt", "preferred")
    assert cleaning.undo() == "policies"
    cleaning.undo()
    assert _shown(cleaning) == before
    with pytest.raises(PlanError):
        cleaning.prefer(["newst"])


def test_what_a_person_has_settled_outlives_other_policies(tmp_path: Path) -> None:
    cleaning = _cleaning(tmp_path, keep=["original-name"])
    cleaning.set_action([2], "keep")
    cleaning.prefer(["newest"])
    assert [row.id for row in cleaning.selected()] == ["lease.txt"]
