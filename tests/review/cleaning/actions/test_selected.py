"""Plans over the list of what can go: who stays for whom, and which kinds were asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.review.cleaning.made import MadeFile, report
from twinset.model.kinds import Kind
from twinset.review.cleaning.actions import ActionPlan, carry_out, plan_actions, undo
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.rules import MarkRule

FILES = [
    MadeFile("lease.txt", "rent of ten", 5),
    MadeFile("lease 2019.txt", "rent of nine", 4),
    MadeFile("old/lease 2019.txt", "rent of nine", 3),
    MadeFile("cv.txt", "curriculum", 2),
    MadeFile("cv copy.txt", "curriculum", 1),
    MadeFile("alone.txt", "else"),
]
PAIRS = [("lease.txt", "lease 2019.txt", "revision", 0.8)]


@pytest.fixture
def cleaning(tmp_path: Path) -> FolderCleaning:
    return FolderCleaning.of(report(tmp_path, FILES, PAIRS), tmp_path / "home")


def select(cleaning: FolderCleaning, *names: str) -> None:
    ids = [file.path for file in FILES]
    cleaning.apply_rule(MarkRule("none"))
    cleaning.set_action([ids.index(name) for name in names], "remove", insist=True)


def steps(plan: ActionPlan) -> dict[str, str]:
    return {
        os.path.relpath(step.file.path, plan.root): os.path.relpath(step.keeper.path, plan.root)
        for step in plan.steps
    }


def refused(plan: ActionPlan) -> dict[str, str]:
    return {os.path.relpath(r.path, plan.root): r.reason.name for r in plan.refused}


def test_what_is_proposed_goes_and_comes_back(cleaning: FolderCleaning, tmp_path: Path) -> None:
    plan = plan_actions(cleaning, "move", tmp_path / "removed")
    assert steps(plan) == {
        "lease 2019.txt": "lease.txt",
        "old/lease 2019.txt": "lease.txt",
        "cv copy.txt": "cv.txt",
    }
    assert (plan.report, plan.root) == (str(tmp_path / "report"), tmp_path / "folder")
    assert all(step.file.digest is not None for step in plan.steps)
    assert len(carry_out(plan).done) == 3
    assert (tmp_path / "removed" / "old" / "lease 2019.txt").read_text() == "rent of nine"
    assert undo(cleaning.home).refused == ()


@pytest.mark.parametrize(
    ("kinds", "goes"),
    [
        (
            ["equal-bytes"],
            {"cv copy.txt": "cv.txt", "old/lease 2019.txt": "lease 2019.txt"},
        ),
        (
            ["revision"],
            {"lease 2019.txt": "lease.txt", "old/lease 2019.txt": "lease.txt"},
        ),
        (["equal-words"], {}),
    ],
)
def test_of_some_kinds_who_stays_is_one_of_them(
    tmp_path: Path, kinds: list[Kind], goes: dict[str, str]
) -> None:
    cleaning = FolderCleaning.of(report(tmp_path, FILES, PAIRS), tmp_path / "home", kinds)
    assert steps(plan_actions(cleaning, "script")) == goes
    assert cleaning.totals.files == len(goes)
    assert {row.kind for row in cleaning.selected()} == (set(kinds) if goes else set())


def test_equal_files_stay_where_their_kind_was_not_asked_for(tmp_path: Path) -> None:
    """The preferred one has a copy, which goes neither for it nor for what goes."""
    files = [MadeFile("a", "one", 3), MadeFile("b", "one", 2), MadeFile("c", "two", 1)]
    made = report(tmp_path, files, [("b", "c", "revision", 0.8)])
    cleaning = FolderCleaning.of(made, tmp_path / "home", ["revision"])
    assert steps(plan_actions(cleaning, "script")) == {"c": "a"}
    cleaning.set_action([1], "remove")
    assert steps(plan_actions(cleaning, "script")) == {"c": "a"}


def test_a_link_leads_to_equal_bytes(cleaning: FolderCleaning) -> None:
    plan = plan_actions(cleaning, "hard-link")
    # of files that all are to go for another version, the preferred one stays for its equals
    assert steps(plan) == {"cv copy.txt": "cv.txt", "old/lease 2019.txt": "lease 2019.txt"}
    assert refused(plan) == {"lease 2019.txt": "refused_other_bytes"}
    done = carry_out(plan)
    assert (len(done.done), len(done.refused)) == (2, 1)
    folder = plan.root
    assert os.path.samefile(folder / "lease 2019.txt", folder / "old" / "lease 2019.txt")
    assert undo(cleaning.home).refused == ()
    select(cleaning, "old/lease 2019.txt")
    assert steps(plan_actions(cleaning, "hard-link")) == {"old/lease 2019.txt": "lease 2019.txt"}
    assert steps(plan_actions(cleaning, "script")) == {"old/lease 2019.txt": "lease.txt"}


def test_where_every_copy_is_marked_none_goes_or_all_but_one(cleaning: FolderCleaning) -> None:
    select(cleaning, "cv.txt", "cv copy.txt", "lease.txt", "lease 2019.txt", "old/lease 2019.txt")
    plan = plan_actions(cleaning, "script")
    assert plan.steps == ()
    assert set(refused(plan).values()) == {"refused_every_copy"}
    plan = plan_actions(cleaning, "script", insist=True)
    assert steps(plan) == {
        "lease 2019.txt": "lease.txt",
        "old/lease 2019.txt": "lease.txt",
        "cv copy.txt": "cv.txt",
    }
    assert refused(plan) == {"lease.txt": "refused_last_copy", "cv.txt": "refused_last_copy"}
