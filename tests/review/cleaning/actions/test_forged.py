"""Journals that a stranger has written or changed: undoing touches nothing but what was moved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.review.cleaning.actions.conftest import Desk, contents, write_sealed
from twinset.errors import ReportError
from twinset.review.cleaning.actions import carry_out, history, operations, undo

Lines = list[dict[str, Any]]


@pytest.fixture
def precious(desk: Desk) -> Path:
    """A file that no operation has ever touched."""
    path = desk.root.parent / "elsewhere" / "precious"
    path.parent.mkdir()
    path.write_bytes(b"precious")
    return path


def forge(desk: Desk, change: Callable[[Lines], None]) -> None:
    """Let a stranger change the journal of the only operation."""
    (file,) = (desk.home / "operations").glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    change(lines)
    write_sealed(file, lines)


def undo_all(desk: Desk) -> None:
    if any(past.standing for past in history(desk.home)):
        undo(desk.home)
    else:
        with pytest.raises(ReportError, match="nothing to undo"):
            undo(desk.home)


def test_names_that_are_not_ours_are_never_removed(desk: Desk, precious: Path, how: str) -> None:
    carry_out(desk.plan(desk.pairs(("lease.docx", ["old/lease.docx"])), how))

    def change(lines: Lines) -> None:
        for line in lines[1:3]:
            line["token"] = f"/../{precious}"

    forge(desk, change)
    before = contents(precious.parent)
    undo_all(desk)
    assert contents(precious.parent) == before


def test_a_trash_elsewhere_is_no_trash(desk: Desk, precious: Path) -> None:
    carry_out(desk.plan(desk.pairs(("lease.docx", ["old/lease.docx"])), "trash"))
    for folder in ("files", "info"):
        (precious.parent / folder).mkdir()
    trashed, line = precious.parent / "files" / "x", precious.parent / "info" / "x.trashinfo"
    trashed.write_bytes(b"lease")
    line.write_bytes(b"mine")
    forge(desk, lambda lines: [line.update(to=str(trashed)) for line in lines[1:3]])
    before = contents(precious.parent)
    undo_all(desk)
    assert contents(precious.parent) == before
    assert desk.trashed() == [b"lease"]


@pytest.mark.parametrize(
    "values",
    [
        {"path": "old/lease.docx"},
        {"path": "/tmp/../tmp/x"},
        {"path": "/tmp/a\0b"},
        {"keeper": "/tmp/a\0b"},
        {"root": "/elsewhere"},
        {"how": "fly"},
        {"to": "relative"},
        {"to": "/tmp/a\0b"},
        {"modified": 10**30},
        {"mode": "x"},
        {"digest": "xyz"},
        {"step": None},
        {"state": ["begun"]},
    ],
    ids=str,
)
def test_a_line_that_says_nonsense_is_passed_over(
    desk: Desk, how: str, values: dict[str, Any]
) -> None:
    carry_out(desk.plan(desk.pairs(("lease.docx", ["old/lease.docx"])), how))

    def change(lines: Lines) -> None:
        lines[1].update(values)
        lines[2].update(values)
        lines[0].update(target="/tmp/a\0b", made_target=True)

    forge(desk, change)
    undo_all(desk)


def test_a_journal_never_gets_too_long_to_be_read(
    desk: Desk, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "MOST_BYTES", 1000)
    before = desk.content()
    plan = desk.plan(desk.pairs(("a", ["b", "deep/er/c"]), ("lease.docx", ["old/lease.docx"])), how)
    outcome = carry_out(plan)
    assert 1 <= len(outcome.done) < 3
    assert {refusal.reason.name for refusal in outcome.refused} == {"refused_too_many"}
    assert len(carry_out(desk.plan(desk.pairs(("cv.pdf", ["copy of cv.pdf"])), how)).done) == 1
    while any(past.standing for past in history(desk.home)):
        undo(desk.home)
    assert desk.content() == before


PAIRS = ("a", ["b", "deep/er/c"]), ("lease.docx", ["old/lease.docx"])


def damage(desk: Desk, *places: int) -> Path:
    """Change a letter in some lines of the last journal."""
    file = max((desk.home / "operations").glob("*.jsonl"), key=lambda path: int(path.stem))
    lines = file.read_bytes().splitlines(keepends=True)
    for place in places:
        middle = len(lines[place]) // 2
        other = b"x" if lines[place][middle] != ord("x") else b"y"
        lines[place] = lines[place][:middle] + other + lines[place][middle + 1 :]
    file.write_bytes(b"".join(lines))
    return file


def test_a_damaged_line_costs_no_file(desk: Desk, how: str) -> None:
    before = desk.content()
    for place in range(8):  # a header, three steps of two lines, an end
        carry_out(desk.plan(desk.pairs(*PAIRS), how))
        damage(desk, place)
        assert len(undo(desk.home).done) == 3, place
        assert desk.content() == before
        assert not (desk.root / "b").is_symlink()


@pytest.mark.parametrize("places", [(1, 2), (3, 4), (1, 2, 3, 4, 5, 6), (0, 3, 4)])
def test_lines_that_cannot_be_read_are_counted(
    desk: Desk, how: str, places: tuple[int, ...]
) -> None:
    plan = desk.plan(desk.pairs(*PAIRS), how)
    carry_out(plan)
    journal = damage(desk, *places)
    outcome = undo(desk.home)
    assert [(r.path, r.reason.values) for r in outcome.refused] == [(journal, {"n": len(places)})]
    lost = len([place for place in places if place]) // 2
    assert len(outcome.done) == len(plan.steps) - lost


def test_a_journal_of_damaged_lines_is_named(desk: Desk, how: str) -> None:
    carry_out(desk.plan(desk.pairs(*PAIRS), how))
    journal = damage(desk, *range(8))
    with pytest.raises(ReportError, match=journal.name):
        undo(desk.home)
