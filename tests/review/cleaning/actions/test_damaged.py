"""Journals that are damaged, or would get too long: what can be read is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review.cleaning.actions.conftest import Desk
from twinset.errors import ReportError
from twinset.review.cleaning.actions import carry_out, history, operations, undo


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
