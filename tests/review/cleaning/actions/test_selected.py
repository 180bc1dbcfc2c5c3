"""Plans over the list of what can go: who stays for whom, and which kinds were asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.review.cleaning.made import MadeFile, report
from twinset.plan import CopyKind
from twinset.review.cleaning.actions import ActionPlan, carry_out, plan_actions, undo
from twinset.review.cleaning.cleaning import FolderCleaning

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
    return FolderCleaning.of(report(tmp_path, FILES, PAIRS), tmp_path / "home", "revision")


def steps(plan: ActionPlan) -> dict[str, str]:
    return {
        os.path.relpath(step.file.path, plan.root): os.path.relpath(step.keeper.path, plan.root)
        for step in plan.steps
    }


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
    ("kind", "lease"), [("equal-bytes", "lease 2019.txt"), ("revision", "lease.txt"), (None, "")]
)
def test_the_kind_says_who_stays(tmp_path: Path, kind: CopyKind | None, lease: str) -> None:
    cleaning = FolderCleaning.of(report(tmp_path, FILES, PAIRS), tmp_path / "home", kind)
    goes = {"cv copy.txt": "cv.txt", "old/lease 2019.txt": lease or "lease 2019.txt"}
    goes |= {"lease 2019.txt": lease} if kind == "revision" else {}
    assert steps(plan_actions(cleaning, "trash")) == goes
    assert cleaning.totals().files == len(goes)
