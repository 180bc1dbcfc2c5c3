"""What goes once a person has chosen: never every copy of something, unless that is insisted on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.review.cleaning.choices import OPEN, REMOVE, ChosenMarks
from twinset.review.cleaning.files import Marks
from twinset.review.cleaning.model import Reason
from twinset.review.cleaning.standing import Standing
from twinset.review.cleaning.stays import first_that_stay


@dataclass(frozen=True, slots=True)
class RefusedMark:
    """A document that cannot be marked as asked, and why."""

    document: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Change:
    """How many files have another mark than before, and what was refused."""

    changed: int
    refused: tuple[RefusedMark, ...] = ()


def chosen(proposed: Standing, choices: ChosenMarks) -> Standing:
    """How things stand after a person's choices.

    A report that has changed since, or a file that is gone, may make a choice unsafe: it is then
    left out, as a click would be refused.
    """
    movable = movable_of(proposed)
    decided = (choices.actions != OPEN) & movable
    goes = np.where(decided, choices.actions == REMOVE, proposed.goes)
    goes = secured(proposed, proposed.goes, goes, choices.insisted)
    return marked(proposed, goes, choices.keepers, decided)


def marked(
    proposed: Standing, goes: Marks, keepers: dict[int, int], settled: Marks | None = None
) -> Standing:
    """The same groups with other marks; a keeper that goes makes way for the preferred rest."""
    proposal, stays = proposed.proposal, proposed.files.whole & ~goes
    first, is_chosen = proposal.keepers.copy(), np.zeros(len(proposal), bool)
    numbers = proposal.number
    for number, keeper in keepers.items():
        row = int(np.searchsorted(numbers, number))
        is_group = row < len(numbers) and numbers[row] == number
        if is_group and keeper in proposal.rows[row] and proposed.files.whole[keeper]:
            first[row], is_chosen[row] = keeper, True
    is_chosen &= stays[first]
    first = first_that_stay(proposal, proposed.ranking, first, stays)
    settled = proposed.settled if settled is None else settled
    return replace(proposed, goes=goes, settled=settled, keepers=first, chosen=is_chosen)


def movable_of(standing: Standing) -> Marks:
    """The documents of groups that may go: whole files that are not protected."""
    listed = np.zeros(len(standing.files), bool)
    listed[standing.proposal.rows.values] = True
    return listed & standing.files.whole & ~standing.ranking.kept


def secured(before: Standing, old: Marks, new: Marks, insisted: Marks) -> Marks:
    """The new marks, less those that would remove every copy of something.

    ``old`` are marks under which a copy of everything stays. What goes anew and leaves something
    without a copy stays: the keeper of a group first, then what has nobody to stand for it, and
    what others stood behind.
    """
    lost = _lost(before, new, insisted)
    if not lost.any():
        return new
    goes: Marks = new.copy()
    anew = new & ~old
    groups = before.any_of(lost)
    for keepers in (before.keepers[groups], before.proposal.keepers[groups]):
        goes[keepers[anew[keepers]]] = False
        lost = _lost(before, goes, insisted)
        if not lost.any():
            return goes
    anew &= goes
    stood = _substitutes(before, old)[lost]
    goes[stood[stood >= 0]] = False
    goes[lost & anew] = False
    lost = _lost(before, goes, insisted)
    goes[lost] = False  # nobody is left who could be kept instead
    return goes


def faults(standing: Standing) -> list[RefusedMark]:
    """Files that are to go although no copy of them stays."""
    lost = standing.goes & (standing.substitutes < 0)
    return [
        RefusedMark(document, Reason("last_copy")) for document in np.flatnonzero(lost).tolist()
    ]


def refusals(standing: Standing, documents: Ints) -> list[RefusedMark]:
    """Documents that can have no mark at all."""
    movable, refused = movable_of(standing), []
    for document in documents[~movable[documents]].tolist():
        if not standing.files.whole[document]:
            reason = Reason("inside", {"part": standing.files.part_of(document)})
        else:
            reason = Reason("protected" if standing.ranking.kept[document] else "in_no_group")
        refused.append(RefusedMark(document, reason))
    return refused


def actions_of(goes: Marks, documents: Ints) -> dict[str, Ints]:
    """Documents that stay and that go, as a journal lists them."""
    going = goes[documents]
    return {"keep": documents[~going], "remove": documents[going]}


def _lost(before: Standing, goes: Marks, insisted: Marks) -> Marks:
    """Documents that go although nothing stays in their place."""
    lost: Marks = goes & (_substitutes(before, goes) < 0) & ~insisted
    return lost


def _substitutes(before: Standing, goes: Marks) -> Ints:
    return replace(before, goes=goes).substitutes
