"""Undo after a kill at every single change of a file, and after real kills of a process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.review.cleaning.actions.conftest import Desk, contents
from tests.review.cleaning.actions.killing import killed_at
from twinset.review.cleaning.actions import ActionPlan, carry_out, history, undo

MOST_CALLS = 200
PATIENCE = 60.0


def everywhere(desk: Desk, plan: ActionPlan) -> list[bytes]:
    """The bytes of every file there is, in its place or another."""
    folders = [desk.root, desk.trash / "files"] + ([plan.target] if plan.target else [])
    return [data for folder in folders for data in contents(folder).values()]


@pytest.mark.parametrize("after", [False, True])
def test_undo_after_a_kill_at_any_moment(desk: Desk, how: str, after: bool) -> None:
    before, times = desk.content(), {p: p.stat().st_mtime_ns for p in desk.root.rglob("*")}
    for last in range(1, MOST_CALLS):
        plan = desk.plan(desk.pairs(("a", ["deep/er/c"])), how)
        with killed_at(last, after) as death:
            carry_out(plan)
        assert set(everywhere(desk, plan)) >= set(before.values()), last
        if any(past.standing for past in history(desk.home)):
            outcome = undo(desk.home)
            assert outcome.refused == (), (last, outcome.refused)
        assert desk.content() == before, last
        assert sorted(p.name for p in desk.root.rglob("*")) == sorted(p.name for p in times), last
        assert not (desk.root / "deep/er/c").is_symlink()
        assert os.stat(desk.root / "deep/er/c").st_nlink == 1
        assert os.stat(desk.root / "deep/er/c").st_mtime_ns == times[desk.root / "deep/er/c"]
        if death.count < last:
            break
    else:
        raise AssertionError("it never ends")
    assert last > 5


@pytest.mark.parametrize("after", [False, True])
def test_undo_after_a_kill_of_undo(desk: Desk, how: str, after: bool) -> None:
    before = desk.content()
    names = sorted(p.name for p in desk.root.rglob("*"))
    for last in range(1, MOST_CALLS):
        plan = desk.plan(desk.pairs(("a", ["deep/er/c"])), how)
        assert len(carry_out(plan).done) == 1
        with killed_at(last, after) as death:
            undo(desk.home)
        assert set(everywhere(desk, plan)) >= set(before.values()), last
        if any(past.standing for past in history(desk.home)):
            outcome = undo(desk.home)
            assert outcome.refused == (), (last, outcome.refused)
        assert desk.content() == before, last
        assert sorted(p.name for p in desk.root.rglob("*")) == names, last
        assert os.stat(desk.root / "deep/er/c").st_nlink == 1
        if plan.target is not None:
            assert contents(plan.target) == {}, last
        if death.count < last:
            break
    else:
        raise AssertionError("it never ends")
    assert last > 3


CLEAN = """
import sys
from pathlib import Path
from tests.review.cleaning.actions.conftest import Desk, row
from twinset.review.cleaning.actions import carry_out
root, home, target, trash, how = sys.argv[1:]
desk = Desk(Path(root), Path(home), Path(target), Path(trash))
names = sorted(str(path.relative_to(root)) for path in Path(root).rglob("*.txt"))
pairs = desk.pairs(*((f"keep/{name.split('/')[-1]}", [name]) for name in names if "copy" in name))
plan = desk.plan(pairs, how)
print("ready", flush=True)
carry_out(plan)
print("done", flush=True)
"""


def test_undo_after_a_real_kill(desk: Desk, how: str) -> None:
    shutil.rmtree(desk.root)
    desk.write({f"{f}/{n}.txt": b"%d" % n * 50 for n in range(150) for f in ("keep", "copy")})
    before = desk.content()
    places = [desk.root, desk.home, desk.target, desk.trash]
    started = subprocess.Popen(
        [sys.executable, "-c", CLEAN, *map(str, places), how], stdout=subprocess.PIPE
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    end = time.monotonic() + PATIENCE
    while not (past := history(desk.home)) or len(past[0].steps) < 5:
        assert time.monotonic() < end
        assert started.poll() is None, "it was too quick to be killed"
    started.send_signal(signal.SIGKILL)
    started.wait(PATIENCE)
    [past] = history(desk.home)
    assert past.state == "interrupted"
    assert undo(desk.home).refused == ()
    assert desk.content() == before
    assert all(os.stat(path).st_nlink == 1 for path in desk.root.rglob("*.txt"))
    assert not any(path.is_symlink() for path in desk.root.rglob("*"))
    assert history(desk.home)[0].state == "undone"
