"""Files go where they should, come back whole, and stay where anything is amiss."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.review.cleaning.actions.conftest import Desk, row
from twinset.errors import PlanError, ReportError
from twinset.review.cleaning.actions import (
    ActionOutcome,
    ActionPlan,
    carry_out,
    folder_beside,
    history,
    undo,
)
from twinset.review.cleaning.actions.moving import free_place

ALL = (
    ("lease.docx", ["old/lease.docx"]),
    ("cv.pdf", ["copy of cv.pdf"]),
    ("a", ["b", "deep/er/c"]),
)
GOING = {"old/lease.docx", "copy of cv.pdf", "b", "deep/er/c"}


def refusals(outcome: ActionOutcome | ActionPlan) -> dict[str, str]:
    return {refusal.path.name: refusal.reason.name for refusal in outcome.refused}


def test_files_go_and_come_back(desk: Desk, how: str) -> None:
    before = desk.content()
    times = {name: os.stat(desk.root / name).st_mtime_ns for name in before}
    seen = []
    plan = desk.plan(desk.pairs(*ALL), how)
    assert plan.bytes == sum(len(before[name]) for name in GOING)
    outcome = carry_out(plan, lambda *state: seen.append(state))
    assert {str(file.path.relative_to(desk.root)) for file in outcome.done} == GOING
    assert outcome.refused == ()
    assert [state[:2] for state in seen] == [(number, 4) for number in range(4)]
    assert desk.content() == {n: data for n, data in before.items() if n not in GOING}
    assert all(file.place is not None and file.place.is_file() for file in outcome.done)
    [past] = history(desk.home)
    assert (past.id, past.state, len(past.standing)) == (outcome.operation, "done", 4)

    back = undo(desk.home)
    assert (back.operation, len(back.done), back.refused) == (outcome.operation, 4, ())
    assert desk.content() == before
    assert {name: os.stat(desk.root / name).st_mtime_ns for name in before} == times
    assert history(desk.home)[0].state == "undone"
    assert not desk.target.exists()
    assert desk.trashed() == []
    assert sorted(os.listdir(desk.root)) == sorted({name.split("/")[0] for name in before})
    with pytest.raises(ReportError, match="nothing to undo"):
        undo(desk.home)


def test_a_move_keeps_relative_paths_and_makes_names_distinct(desk: Desk) -> None:
    (desk.target / "old").mkdir(parents=True)
    (desk.target / "old" / "lease.docx").write_bytes(b"another one")
    outcome = carry_out(desk.plan(desk.pairs(*ALL), "move"))
    assert len(outcome.done) == 4
    assert (desk.target / "old" / "lease.docx").read_bytes() == b"another one"
    assert (desk.target / "old" / "lease (2).docx").read_bytes() == b"lease"
    assert (desk.target / "deep" / "er" / "c").read_bytes() == b"three"
    undo(desk.home)
    assert [*desk.target.rglob("*.docx")] == [desk.target / "old" / "lease.docx"]
    assert (desk.target / "old").is_dir()
    assert not (desk.target / "deep").exists()


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="needs a second file system, /dev/shm")
def test_a_move_to_another_file_system_is_refused(desk: Desk) -> None:
    if os.stat("/dev/shm").st_dev == os.stat(desk.root).st_dev:
        pytest.skip("/dev/shm is on the same file system")
    target = Path("/dev/shm") / f"twinset-test-{os.getpid()}"
    before = desk.content()
    plan = desk.plan(desk.pairs(*ALL), "move", target=target)
    assert set(refusals(plan).values()) == {"refused_other_file_system"}
    assert carry_out(plan).done == ()
    assert desk.content() == before
    assert not target.exists()


def test_a_file_that_changed_since_the_search_stays(desk: Desk, how: str) -> None:
    plan = desk.plan(desk.pairs(*ALL), how)
    status = os.stat(desk.root / "b")
    (desk.root / "b").write_bytes(b"eerht")
    os.utime(desk.root / "b", ns=(status.st_mtime_ns, status.st_mtime_ns))  # only bytes tell
    (desk.root / "copy of cv.pdf").write_bytes(b"longer than before")
    outcome = carry_out(plan)
    assert refusals(outcome) == {"b": "refused_changed", "copy of cv.pdf": "refused_changed"}
    assert (desk.root / "b").read_bytes() == b"eerht"
    assert (desk.root / "copy of cv.pdf").read_bytes() == b"longer than before"
    # The page says so before: a new plan of what the search has seen refuses what looks other.
    assert len(outcome.done) == 2


def test_without_its_keeper_a_file_stays(desk: Desk, how: str) -> None:
    plan = desk.plan(desk.pairs(*ALL), how)
    (desk.root / "lease.docx").unlink()
    (desk.root / "cv.pdf").write_bytes(b"other words")
    (desk.root / "a").unlink()
    (desk.root / "a").symlink_to("b")
    outcome = carry_out(plan)
    assert outcome.done == ()
    assert refusals(outcome) == {
        "lease.docx": "refused_keeper_missing",
        "copy of cv.pdf": "refused_keeper_changed",
        "b": "refused_keeper_special",
        "c": "refused_keeper_special",
    }
    assert (desk.root / "old" / "lease.docx").read_bytes() == b"lease"


def test_another_name_of_the_same_file_is_no_copy(desk: Desk, how: str) -> None:
    (desk.root / "b").unlink()
    os.link(desk.root / "a", desk.root / "b")
    (desk.root / "elsewhere").symlink_to(desk.root / "old")
    pairs = desk.pairs(("a", ["b"]), ("old/lease.docx", ["elsewhere/lease.docx"]))
    plan = desk.plan(pairs, how)
    assert plan.steps == ()
    assert refusals(plan) == {"b": "refused_same_file", "lease.docx": "refused_linked"}


def test_links_folders_and_pipes_are_never_removed(desk: Desk, how: str) -> None:
    pairs = desk.pairs(("a", ["b"]), ("a", ["deep/er/c"]), ("cv.pdf", ["copy of cv.pdf"]))
    plan = desk.plan(pairs, how)
    for name in ("b", "deep/er/c", "copy of cv.pdf"):
        (desk.root / name).unlink()
    (desk.root / "b").symlink_to("a")
    (desk.root / "deep/er/c").mkdir()
    os.mkfifo(desk.root / "copy of cv.pdf")
    assert set(refusals(carry_out(plan)).values()) == {"refused_special"}
    assert (desk.root / "b").is_symlink()


def test_without_any_keeper_nothing_goes(desk: Desk, how: str) -> None:
    plan = desk.plan(desk.pairs((None, ["a", "b", "deep/er/c"])), how)
    assert plan.steps == ()
    assert set(refusals(plan).values()) == {"refused_every_copy"}


def test_a_keeper_that_goes_in_another_group_keeps_nothing(desk: Desk, how: str) -> None:
    plan = desk.plan(desk.pairs(("a", ["b"]), ("b", ["a"]), ("b", ["deep/er/c"])), how)
    assert plan.steps == ()
    assert set(refusals(plan).values()) == {"refused_keeper_goes"}


def test_a_protected_file_and_one_that_keeps_itself_stay(desk: Desk, how: str) -> None:
    keeper = row(desk.root / "a", "keep")
    protected = row(desk.root / "b", "remove", protected=True)
    pairs = [(protected, keeper), (row(desk.root / "a", "remove"), keeper)]
    assert refusals(desk.plan(pairs, how)) == {"b": "refused_protected", "a": "refused_same_file"}


def test_undo_never_overwrites(desk: Desk, how: str) -> None:
    carry_out(desk.plan(desk.pairs(("a", ["b"])), how))
    (desk.root / "b").unlink(missing_ok=True)
    (desk.root / "b").write_bytes(b"something new")
    assert refusals(undo(desk.home)) == {"b": "refused_in_the_way"}
    assert (desk.root / "b").read_bytes() == b"something new"
    (desk.root / "b").unlink()
    assert undo(desk.home).refused == ()  # it may be tried again
    assert (desk.root / "b").read_bytes() == b"three"


def test_undo_makes_the_folder_again(desk: Desk) -> None:
    for how in ("trash", "move"):
        carry_out(desk.plan(desk.pairs(("a", ["deep/er/c"])), how))
        shutil.rmtree(desk.root / "deep")
        undo(desk.home)
        assert (desk.root / "deep/er/c").read_bytes() == b"three"


def test_what_was_deleted_for_good_is_said(desk: Desk) -> None:
    carry_out(desk.plan(desk.pairs(("a", ["b"])), "trash"))
    shutil.rmtree(desk.trash)
    assert refusals(undo(desk.home)) == {"b": "refused_not_found"}


def test_operations_are_undone_by_name_and_the_last_one_by_default(desk: Desk) -> None:
    first = carry_out(desk.plan(desk.pairs(("a", ["b"])), "move"))
    second = carry_out(desk.plan(desk.pairs(("cv.pdf", ["copy of cv.pdf"])), "trash"))
    assert {past.id for past in history(desk.home)} == {first.operation, second.operation}
    with pytest.raises(PlanError, match="there is no operation 'x'"):
        undo(desk.home, "x")
    undo(desk.home, first.operation)
    assert (desk.root / "b").exists()
    assert not (desk.root / "copy of cv.pdf").exists()
    assert undo(desk.home).operation == second.operation


def test_names_that_are_odd(desk: Desk, how: str) -> None:
    odd = ["-rf", "a b'c\"d\n;$(e)", "%41", "line\\n", os.fsdecode(b"\xff\xfe.txt"), "ж" * 120]
    desk.write(dict.fromkeys(["plain", *odd], b"odd"))
    before = desk.content()
    outcome = carry_out(desk.plan(desk.pairs(("plain", odd)), how))
    assert len(outcome.done) == len(odd), outcome.refused
    assert undo(desk.home).refused == ()
    assert desk.content() == before


def test_a_folder_to_move_to(desk: Desk) -> None:
    with pytest.raises(PlanError, match="lies in the folder that was searched"):
        desk.plan(desk.pairs(*ALL), "move", target=desk.root / "removed")
    with pytest.raises(PlanError, match="a move needs a folder"):
        desk.plan(desk.pairs(*ALL), "move", target=None)
    (desk.root.parent / "file").touch()
    with pytest.raises(PlanError, match="is not a folder"):
        desk.plan(desk.pairs(*ALL), "move", target=desk.root.parent / "file")
    assert folder_beside(desk.root) == desk.target
    desk.target.mkdir()
    assert folder_beside(desk.root).name == "papers removed (2)"


def test_a_file_in_the_place_of_a_folder_of_the_target(desk: Desk) -> None:
    desk.target.mkdir()
    (desk.target / "deep").write_bytes(b"a file")
    outcome = carry_out(desk.plan(desk.pairs(*ALL), "move"))
    assert refusals(outcome) == {"c": "refused_fault"}
    assert (desk.root / "deep/er/c").exists()


def test_names_get_numbers_and_stay_short_enough(tmp_path: Path) -> None:
    long = "ж" * 125 + ".txt"
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / long).touch()
    place = free_place(tmp_path / "from" / long, tmp_path / "from", tmp_path / "to")
    assert place.name.endswith(" (2).txt")
    place.touch()
    elsewhere = free_place(Path("/other/x"), tmp_path / "from", tmp_path / "to")
    assert elsewhere == tmp_path / "to" / "other" / "x"


def test_one_process_at_a_time(desk: Desk) -> None:
    from twinset.review.cleaning.actions.operations import alone

    plan = desk.plan(desk.pairs(*ALL), "move")
    with alone(desk.home), pytest.raises(ReportError, match="by another process"):
        carry_out(plan)
    assert len(carry_out(plan).done) == 4
