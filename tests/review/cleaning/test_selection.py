"""Marks: no sequence of calls removes every copy of something, and undo restores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.review.cleaning.drawn import PROPOSED, Drawn, cleaned, folders, grouping
from tests.review.cleaning.made import MadeFile, report
from twinset.errors import PlanError, ReportError
from twinset.model.flow import KINDS
from twinset.plan import CopyKind
from twinset.review.cleaning.cleaning import FolderCleaning
from twinset.review.cleaning.model import GroupQuery
from twinset.review.cleaning.state import KEEP, NAME, OPEN, REMOVE, ChoiceJournal, MarkRule
from twinset.review.index import opened

RULES = ("all", "none")
COPY_KINDS = (*PROPOSED, "revision")
Step = tuple[str, Any]
STEPS = st.one_of(
    st.tuples(st.just("keep"), st.lists(st.integers(0, 6), min_size=1, max_size=4)),
    st.tuples(st.just("remove"), st.lists(st.integers(0, 6), min_size=1, max_size=7)),
    st.tuples(st.just("keeper"), st.integers(0, 100)),
    st.tuples(st.just("rule"), st.sampled_from(RULES)),
    st.tuples(st.sampled_from(("in-folder", "outside-folder")), st.sampled_from("xy")),
    st.tuples(st.just("versions"), st.sampled_from(RULES)),
    st.tuples(st.just("prefer"), st.sampled_from(("newest", "oldest", "shortest-name"))),
    st.tuples(st.just("undo"), st.none()),
)


def _do(cleaning: FolderCleaning, step: Step) -> None:
    name, value = step
    folder = cleaning.index.report.folder.parent / "folder"
    if name in ("keep", "remove"):
        documents = [number for number in value if number < len(cleaning.index)]
        cleaning.set_action(documents, name)  # type: ignore[arg-type]
    elif name == "keeper":
        groups = cleaning.groups().groups
        if groups:
            group = groups[value % len(groups)]
            row = group.rows[value % len(group.rows)]
            cleaning.set_keeper(group.number, row.document)
    elif name == "rule":
        cleaning.apply_rule(MarkRule(value))
    elif name == "versions":
        cleaning.apply_rule(MarkRule(value), GroupQuery(kinds=("revision",)))
    elif name in ("in-folder", "outside-folder"):
        cleaning.apply_rule(MarkRule(name, folder=folder / value))  # type: ignore[arg-type]
    elif name == "prefer":
        cleaning.prefer([value])
    else:
        cleaning.undo()


def _ensure_safe(cleaning: FolderCleaning, drawn: Drawn, least: CopyKind = "equal-layout") -> None:
    """Every file that goes has one that stays and that it is a listed pair with.

    Of a group of copies that is one of them, unless all of these go for a version of theirs.
    """
    kinds = drawn.kinds()
    going = {row.id for row in cleaning.selected()}
    groups = [({row.id for row in group.rows}, group.kind) for group in cleaning.groups().groups]
    for id in going:
        assert not drawn.protected(id)
        copies = {
            other
            for members, kind in groups
            if id in members and kind in COPY_KINDS[: 1 + COPY_KINDS.index(least)]
            for other in members - going
        }
        others = copies or {other for members, _ in groups for other in members - going}
        assert any((id, other) in kinds for other in others), id
    for row in cleaning.selected():
        assert row.keeper is not None
        assert cleaning.index.id(row.keeper) not in going
    assert (cleaning.state.substitutes[cleaning.state.goes] >= 0).all()


@given(folders())
@examples(60)
def test_the_proposal_is_that_of_the_plain_twin(drawn: Drawn) -> None:
    with cleaned(drawn) as cleaning:
        id_of = cleaning.index.id
        proposed = {row.id: id_of(row.keeper or 0) for row in cleaning.selected()}
        assert proposed == grouping(drawn)
        _ensure_safe(cleaning, drawn)


@given(folders(), st.sampled_from(COPY_KINDS))
@examples(60)
def test_the_proposal_up_to_a_kind_is_that_of_the_twin_with_these_grounds(
    drawn: Drawn, kind: CopyKind
) -> None:
    kinds = KINDS[: 1 + KINDS.index(kind)]
    with cleaned(drawn, kind) as cleaning:
        id_of = cleaning.index.id
        proposed = {row.id: id_of(row.keeper or 0) for row in cleaning.selected()}
        assert proposed == grouping(drawn, kinds)
        assert all(row.kind in kinds for row in cleaning.selected())


@given(folders(), st.lists(STEPS, max_size=8), st.sampled_from(COPY_KINDS))
@examples(60)
def test_up_to_a_kind_nothing_else_goes_whatever_was_chosen(
    drawn: Drawn, steps: list[Step], kind: CopyKind
) -> None:
    with cleaned(drawn) as cleaning:
        for step in steps:
            _do(cleaning, step)
        some = FolderCleaning.of(opened(cleaning.index.report.folder), cleaning.home, kind)
        _ensure_safe(some, drawn, kind)
        assert all(row.kind in KINDS[: 1 + KINDS.index(kind)] for row in some.selected())


@given(folders(), st.lists(STEPS, max_size=8))
@examples(80)
def test_no_sequence_of_calls_removes_every_copy(drawn: Drawn, steps: list[Step]) -> None:
    with cleaned(drawn) as cleaning:
        for step in steps:
            _do(cleaning, step)
            _ensure_safe(cleaning, drawn)
        again = FolderCleaning._make(opened(cleaning.index.report.folder), cleaning.home, None)
        assert np.array_equal(again.state.goes, cleaning.state.goes)
        assert np.array_equal(again.state.keepers, cleaning.state.keepers)


@given(folders(), st.lists(STEPS.filter(lambda step: step[0] != "undo"), max_size=5))
@examples(60)
def test_undo_restores_step_by_step(drawn: Drawn, steps: list[Step]) -> None:
    with cleaned(drawn) as cleaning:
        states = [_state(cleaning)]
        for step in steps:
            _do(cleaning, step)
            if _state(cleaning) != states[-1]:
                states.append(_state(cleaning))
        for state in reversed(states[:-1]):
            while _state(cleaning) == states[-1]:
                assert cleaning.undo() is not None
            assert _state(cleaning) == state
            states.pop()
        while cleaning.undo() is not None:
            pass
        assert not cleaning.state.settled.any()


def _state(cleaning: FolderCleaning) -> tuple[list[bool], list[int], list[bool]]:
    standing = cleaning.state
    return standing.goes.tolist(), standing.keepers.tolist(), standing.settled.tolist()


def _copies(place: Path, names: str = "abc") -> FolderCleaning:
    index = report(place, [MadeFile(name, "x") for name in names])
    return FolderCleaning.of(index, place / "home")


def test_removing_every_copy_is_refused(tmp_path: Path) -> None:
    cleaning = _copies(tmp_path)
    change = cleaning.set_action([0], "remove")
    assert (change.changed, [refusal.document for refusal in change.refused]) == (0, [0])
    assert change.refused[0].reason.name == "last_copy"
    change = cleaning.set_action([0, 1, 2], "remove")
    assert (change.changed, len(change.refused)) == (0, 1)
    assert [row.keeper for row in cleaning.selected()] == [0, 0]


def test_another_keeper_is_chosen(tmp_path: Path) -> None:
    cleaning = _copies(tmp_path)
    (group,) = cleaning.groups().groups
    cleaning.set_keeper(group.number, 2)
    (group,) = cleaning.groups().groups
    assert [(row.id, row.action) for row in group.rows] == [
        ("c", "keep"),
        ("a", "remove"),
        ("b", "remove"),
    ]
    assert group.keeper.reason.name == "chosen"
    with pytest.raises(ReportError, match="load the list again"):
        cleaning.set_keeper(99, 2)


def test_what_is_no_copy_of_the_new_keeper_stays(tmp_path: Path) -> None:
    files = [MadeFile(name, name * 4) for name in "abc"]
    pairs = [("a", "b", "equal-words", 0.8), ("a", "c", "equal-words", 0.8)]
    cleaning = FolderCleaning.of(report(tmp_path, files, pairs), tmp_path)
    cleaning.set_keeper(cleaning.groups().groups[0].number, 1)
    assert [row.id for row in cleaning.selected()] == ["a"]


def test_a_folder_is_emptied_of_what_has_copies_elsewhere_and_the_opposite(tmp_path: Path) -> None:
    files = [MadeFile(f"{place}/{name}", name) for place in "xy" for name in "abc"]
    files += [MadeFile("x/own", "own"), MadeFile("x/twice", "t"), MadeFile("x/twice 2", "t")]
    cleaning = FolderCleaning.of(report(tmp_path, files), tmp_path)
    cleaning.apply_rule(MarkRule("none"))
    assert cleaning.totals().files == 0
    cleaning.apply_rule(MarkRule("in-folder", folder=tmp_path / "folder" / "x"))
    assert [row.id for row in cleaning.selected()] == ["x/a", "x/b", "x/c"]
    cleaning.apply_rule(MarkRule("outside-folder", folder=tmp_path / "folder" / "x"))
    assert [row.id for row in cleaning.selected()] == ["y/a", "y/b", "y/c"]


def test_a_rule_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    cleaning = _copies(tmp_path)
    with pytest.raises(PlanError, match="needs a folder"):
        cleaning.apply_rule(MarkRule("in-folder"))
    with pytest.raises(PlanError, match="a rule is one of"):
        cleaning.apply_rule(MarkRule("best"))  # type: ignore[arg-type]


def test_versions_stay_until_they_are_asked_for(tmp_path: Path) -> None:
    files = [MadeFile("new", "n"), MadeFile("old", "o"), MadeFile("old copy", "o")]
    files += [MadeFile("older", "z"), MadeFile("form", "f")]
    pairs: list[Any] = [("new", name, "revision", 0.8) for name in ("old", "older")]
    index = report(tmp_path, files, [*pairs, ("new", "form", "same-form", 0.9)])
    cleaning = FolderCleaning.of(index, tmp_path)

    def going() -> list[str]:
        return [row.id for row in cleaning.selected()]

    assert going() == ["old copy"]
    (versions,) = cleaning.groups(GroupQuery(kinds=("revision",))).groups
    assert [(row.id, row.action) for row in versions.rows] == [
        ("new", "keep"),
        ("old", "keep"),
        ("older", "keep"),
    ]
    # One word on all of them; a copy of a version goes with it.
    cleaning.apply_rule(MarkRule("all"), GroupQuery(kinds=("revision",)))
    assert going() == ["old", "old copy", "older"]
    cleaning.undo()
    assert cleaning.set_action([1], "remove").refused == ()
    assert going() == ["old", "old copy"]
    asked = FolderCleaning.of(index, tmp_path / "home", "revision")
    assert {row.id for row in asked.selected()} == {"old", "old copy", "older"}


def test_a_journal_torn_at_any_byte_costs_that_line_only(tmp_path: Path) -> None:
    cleaning = _copies(tmp_path, "ab")
    cleaning.set_action([1], "keep")
    journal = cleaning.index.report.folder / NAME
    first = journal.read_bytes()
    cleaning.set_keeper(0, 1)
    whole = journal.read_bytes()
    for end in range(len(whole) - 1):
        journal.write_bytes(whole[:end])
        torn = ChoiceJournal(cleaning.index)
        assert torn.read().actions.tolist() == [OPEN, KEEP if end >= len(first) else OPEN], end
        if end % 20 == 0:
            torn.add("remove", [], [1])
            assert torn.read().actions.tolist() == [OPEN, REMOVE]


def test_a_report_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    cleaning = _copies(tmp_path)
    (tmp_path / "report").rename(tmp_path / "elsewhere")
    with pytest.raises(ReportError, match="nothing was saved"):
        cleaning.set_action([1], "keep")
