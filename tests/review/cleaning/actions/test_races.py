"""What others do at the last moment: a newer file stays, a lost keeper brings its copy back."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.review.cleaning.actions.conftest import Desk, contents, row
from tests.review.cleaning.actions.killing import killed_at
from tests.review.cleaning.actions.test_carrying import refusals
from twinset.errors import PlanError
from twinset.review.cleaning.actions import (
    carry_out,
    carrying,
    checks,
    history,
    moving,
    plan_rows,
    undo,
)


def newer(path: Path) -> None:
    """Somebody saves another version, as editors do."""
    draft = path.with_name("saved")
    draft.write_bytes(b"a newer version")
    os.replace(draft, path)


def before_call(module: Any, name: str, number: int, do: Callable[[], None]) -> Any:
    """A patch that does something right before a call of a function."""
    real, calls = getattr(module, name), []

    def call(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == number:
            do()
        return real(*arguments, **options)

    patched = pytest.MonkeyPatch()
    patched.setattr(module, name, call)
    return patched


@pytest.mark.parametrize(
    ("how", "module", "name", "number"),
    [
        ("move", moving, "rename_to_free", 1),
        ("trash", moving, "rename_to_free", 1),
        ("trash", checks, "ensure_unchanged", 1),
    ],
)
def test_a_file_that_takes_the_name_at_the_last_moment_stays(
    desk: Desk, how: str, module: Any, name: str, number: int
) -> None:
    plan = desk.plan(desk.pairs(("a", ["b"])), how)
    patched = before_call(module, name, number, lambda: newer(desk.root / "b"))
    try:
        outcome = carry_out(plan)
    finally:
        patched.undo()
    assert refusals(outcome) == {"b": "refused_changed"}
    assert history(desk.home)[0].standing == ()
    assert [path for path in desk.root.parent.rglob("*") if ".twinset" in path.name] == []
    assert (desk.root / "b").read_bytes() == b"a newer version"
    assert desk.trashed() == []


def test_without_its_keeper_a_file_comes_back(
    desk: Desk, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = carrying._act

    def act(*arguments: Any) -> Any:
        result = real(*arguments)
        os.replace(desk.root / "a", desk.root / "elsewhere")  # as if both had been one
        return result

    plan = desk.plan(desk.pairs(("a", ["b"])), how)
    monkeypatch.setattr(carrying, "_act", act)
    outcome = carry_out(plan)
    assert refusals(outcome) == {"b": "refused_keeper_missing"}
    assert history(desk.home)[0].standing == ()
    assert (desk.root / "b").read_bytes() == b"three"


def test_size_and_time_tell_where_nobody_has_read_the_bytes(desk: Desk) -> None:
    for change in (lambda p: os.utime(p, ns=(1, 1)), lambda p: p.write_bytes(b"longer now")):
        pairs = desk.pairs(("a", ["b"]))
        plan = plan_rows(pairs, "trash", home=desk.home, root=desk.root)
        assert plan.steps[0].file.digest is None
        change(desk.root / "b")
        assert refusals(carry_out(plan)) == {"b": "refused_changed"}
        desk.write({"b": b"three"})
        pairs = desk.pairs(("a", ["b"]))
        change(desk.root / "b")
        plan = plan_rows(pairs, "trash", home=desk.home, root=desk.root)
        assert refusals(plan) == {"b": "refused_changed"}
        desk.write({"b": b"three"})


def test_a_place_that_somebody_takes_is_not_overwritten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.target.mkdir()
    (desk.target / "b").write_bytes(b"three")  # the same bytes, and not ours
    places = iter([desk.target / "b", desk.target / "b (2)"])
    monkeypatch.setattr(moving, "free_place", lambda *arguments: next(places))
    outcome = carry_out(desk.plan(desk.pairs(("a", ["b"])), "move"))
    assert [file.place for file in outcome.done] == [desk.target / "b (2)"]
    assert (desk.target / "b").read_bytes() == b"three"


def test_undo_leaves_the_file_of_another_operation_alone(desk: Desk) -> None:
    desk.write({"one/x": b"three", "two/x": b"three"})
    first = replace(desk, root=desk.root / "one")
    keeper = row(desk.root / "a", "keep")

    def plan(name: str, root: Path) -> Any:
        return plan_rows(
            [(row(desk.root / name, "remove"), keeper)],
            "move",
            home=desk.home,
            root=root,
            target=desk.target,
        )

    # Killed between the journal's line and the move; another file then gets that place.
    def killed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(carrying, "_act", killed)
        with pytest.raises(KeyboardInterrupt):
            carry_out(plan("one/x", first.root))
    assert len(carry_out(plan("two/x", desk.root / "two")).done) == 1
    assert undo(desk.home, "1").refused == ()
    assert (desk.target / "x").read_bytes() == b"three"
    (desk.root / "one" / "x").unlink()
    assert undo(desk.home, "2").refused == ()
    assert (desk.root / "two" / "x").read_bytes() == b"three"


def test_the_bytes_tell_which_file_of_the_trash_is_meant(desk: Desk) -> None:
    carry_out(desk.plan(desk.pairs(("a", ["b"])), "trash"))
    for data in (b"other", b"eerht"):  # what other programs have put there
        (desk.trash / "files" / f"b {data!r}").write_bytes(data)
        (desk.trash / "info" / f"b {data!r}.trashinfo").write_text("[Trash Info]\n")
    # A journal that ends before it could name the place.
    [journal] = (desk.home / "operations").glob("*.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(True)[:2]))
    assert undo(desk.home).refused == ()
    assert (desk.root / "b").read_bytes() == b"three"
    assert desk.trashed() == [b"eerht", b"other"]
    assert len([*(desk.trash / "info").iterdir()]) == 2


def test_places_that_cannot_be_written_to(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    plan = desk.plan(desk.pairs(("a", ["b"])), "trash")
    assert refusals(plan) == {"b": "refused_read_only"}
    with pytest.raises(PlanError, match="nothing can be written to"):
        desk.plan(desk.pairs(("a", ["b"])), "move")


def test_a_trash_that_gives_nothing_back_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = desk.plan(desk.pairs(("a", ["b"])), "trash")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(PlanError, match="name a folder by --move"):
        carry_out(plan)
    assert (desk.root / "b").read_bytes() == b"three"


def test_a_kill_leaves_no_lock(desk: Desk) -> None:
    with killed_at(9):
        carry_out(desk.plan(desk.pairs(("a", ["b"])), "move"))
    assert undo(desk.home).refused == ()


def test_a_plan_is_not_believed(desk: Desk, how: str) -> None:
    """What planning refuses is refused once more: a plan may be old, or made elsewhere."""
    plan = desk.plan(desk.pairs(("a", ["b"])), how)
    [step] = plan.steps
    both = (step, replace(step, file=step.keeper, keeper=step.file))
    assert carry_out(replace(plan, steps=both)).done == ()
    times = os.stat(desk.root / "b")
    os.unlink(desk.root / "b")
    os.link(desk.root / "a", desk.root / "b")
    os.utime(desk.root / "a", ns=(times.st_mtime_ns, times.st_mtime_ns))
    keeper = replace(step.keeper, modified=times.st_mtime_ns)
    outcome = carry_out(replace(plan, steps=(replace(step, keeper=keeper),)))
    assert refusals(outcome) == {"b": "refused_same_file"}
    assert {name: desk.content()[name] for name in "ab"} == {"a": b"three", "b": b"three"}


def test_a_keeper_that_is_exchanged_is_gone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = carrying._act

    def act(*arguments: Any) -> Any:
        result = real(*arguments)
        newer(desk.root / "a")
        return result

    plan = desk.plan(desk.pairs(("a", ["b"])), "move")
    monkeypatch.setattr(carrying, "_act", act)
    assert refusals(carry_out(plan)) == {"b": "refused_keeper_missing"}
    assert (desk.root / "b").read_bytes() == b"three"


def test_identical_files_are_compared_whatever_the_report_says(desk: Desk, how: str) -> None:
    plan = plan_rows(
        desk.pairs(("a", ["cv.pdf"])),
        how,  # type: ignore[arg-type]
        home=desk.home,
        root=desk.root,
        target=desk.target if how == "move" else None,
    )
    assert refusals(carry_out(plan)) == {"cv.pdf": "refused_other_bytes"}


@pytest.fixture
def swapped(desk: Desk) -> Callable[[Path], dict[str, bytes]]:
    """Puts a link to a folder with equal files in the place of a folder; gives what is there."""
    outside = desk.root.parent / "outside"

    def swap(folder: Path) -> dict[str, bytes]:
        shutil.copytree(folder, outside)
        folder.rename(folder.with_name("the true one"))
        folder.symlink_to(outside)
        return contents(outside)

    return swap


@pytest.mark.parametrize("folder", ["deep", "deep/er"])
def test_nothing_behind_a_link_in_the_place_of_a_folder_is_touched(
    desk: Desk, how: str, folder: str, swapped: Callable[[Path], dict[str, bytes]]
) -> None:
    pairs = desk.pairs(("a", ["deep/er/c"]))
    plan = desk.plan(pairs, how)
    outside = swapped(desk.root / folder)
    for again in (plan, desk.plan(pairs, how)):  # after it was planned, and before
        assert refusals(carry_out(again)) == {"c": "refused_linked"}
    keeper = desk.plan(desk.pairs(("a", ["b"])), how)
    swap = replace(keeper.steps[0], keeper=plan.steps[0].file)
    assert refusals(carry_out(replace(keeper, steps=(swap,)))) == {"b": "refused_keeper_linked"}
    assert contents(desk.root.parent / "outside") == outside
    assert desk.trashed() == []


@pytest.mark.parametrize("folder", ["deep", "deep/er"])
def test_nothing_is_brought_back_behind_a_link(
    desk: Desk, how: str, folder: str, swapped: Callable[[Path], dict[str, bytes]]
) -> None:
    carry_out(desk.plan(desk.pairs(("a", ["deep/er/c"])), how))
    outside = swapped(desk.root / folder)
    assert refusals(undo(desk.home)) == {"c": "refused_linked"}
    assert contents(desk.root.parent / "outside") == outside
    (desk.root / folder).unlink()
    (desk.root / folder).with_name("the true one").rename(desk.root / folder)
    assert len(undo(desk.home).done) == 1
    assert (desk.root / "deep/er/c").read_bytes() == b"three"


def test_no_file_is_moved_behind_a_link_in_the_target(
    desk: Desk, swapped: Callable[[Path], dict[str, bytes]]
) -> None:
    (desk.target / "deep").mkdir(parents=True)
    outside = swapped(desk.target / "deep")
    assert refusals(carry_out(desk.plan(desk.pairs(("a", ["deep/er/c"])), "move"))) == {
        "c": "refused_linked"
    }
    assert contents(desk.root.parent / "outside") == outside
