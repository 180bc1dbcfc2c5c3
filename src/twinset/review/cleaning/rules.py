"""Marks by rule: who stays in every group, or what goes by kind or folder.

A rule looks at groups of copies alone; parts and forms go by a person's word on each.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import flags, numbers
from twinset.model.kinds import KINDS, Kind
from twinset.review.cleaning.copies import GROUNDS
from twinset.review.cleaning.files import FolderFiles, Marks
from twinset.review.cleaning.selection import movable_of
from twinset.review.cleaning.standing import Standing

RuleName = Literal[
    "newest",
    "oldest",
    "shortest-name",
    "longest-path",
    "folder-first",
    "in-folder",
    "outside-folder",
    "only-kinds",
    "all",
    "none",
]
OF_FOLDERS = ("folder-first", "in-folder", "outside-folder")


@dataclass(frozen=True, slots=True)
class MarkRule:
    """A rule for the marks.

    ``newest``, ``oldest``, ``shortest-name`` and ``longest-path`` say who stays of every group, as
    does ``folder-first``: a file of ``folder`` before others, one of ``after`` last. ``in-folder``
    marks what lies in ``folder`` and has a copy elsewhere, ``outside-folder`` what lies elsewhere
    and has a copy in it. ``only-kinds`` marks copies of ``kinds`` and no others, ``all`` everything
    that can go, ``none`` nothing.
    """

    name: RuleName
    folder: Path | None = None
    after: Path | None = None
    kinds: tuple[Kind, ...] = ()

    def faults(self) -> list[str]:
        """What is wrong with this rule, as sentences."""
        if self.name not in get_args(RuleName):
            return [f"a rule is one of {', '.join(get_args(RuleName))}, not '{self.name}'"]
        faults = []
        if self.name in OF_FOLDERS and self.folder is None:
            faults.append(f"the rule {self.name} needs a folder: name one")
        if self.name == "only-kinds" and not self.kinds:
            faults.append("the rule only-kinds needs a kind: name one")
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        return faults + [f"a kind is one of {', '.join(KINDS)}, not '{kind}'" for kind in unknown]


def marks_by(standing: Standing, rule: MarkRule, groups: Ints) -> tuple[Marks, Ints]:
    """What goes by a rule in these groups, and the documents that it decides on."""
    proposal = standing.proposal
    groups = groups[proposal.is_ground[groups]]
    if rule.name in ("in-folder", "outside-folder"):
        return _by_place(standing, rule, groups)
    goes, decided = standing.goes.copy(), copies_in(standing, groups)
    if rule.name == "none":
        goes[decided] = False
    elif rule.name in ("all", "only-kinds"):
        goes[decided] = standing.proposal.goes[decided]
        if rule.name == "only-kinds":
            goes[decided] &= of_kinds(standing, rule.kinds)[decided]
    else:
        goes = marks_by_rank(standing, groups, _ranks(standing.files, rule))
    return goes, decided


def marks_by_rank(standing: Standing, groups: Ints, rank: Ints) -> Marks:
    """What goes where the file of the lowest rank stays in each of these groups of copies."""
    goes: Marks = standing.goes.copy()
    _keep(standing, groups, _best_of(standing, groups, rank), goes)
    return goes


def with_keeper(standing: Standing, group: int, document: int) -> tuple[Marks, Ints]:
    """The marks of a group of which this document is to stay, and what that decides on."""
    goes, groups = standing.goes.copy(), np.array([group])
    decided = _movable(standing, groups)
    if standing.proposal.is_ground[group]:
        _keep(standing, groups, np.array([document]), goes)
    else:  # nothing goes by itself here
        goes[document] = False
        decided = decided[decided == document]
    return goes, decided


def of_kinds(standing: Standing, kinds: tuple[Kind, ...]) -> Marks:
    """The documents that can go and are copies of these kinds of the proposed keepers."""
    return standing.proposal.goes & np.isin(_kinds(standing), _codes(kinds))


def copies_in(standing: Standing, groups: Ints) -> Ints:
    """The documents of these groups of copies that may have a mark."""
    return _movable(standing, groups[standing.proposal.is_ground[groups]])


def below(files: FolderFiles, folder: Path) -> Marks:
    """The files in a folder and in the folders inside it."""
    start = os.path.join(os.fsencode(os.path.abspath(folder)), b"")
    return flags(pc.fill_null(pc.starts_with(files.path, start), False))


def _by_place(standing: Standing, rule: MarkRule, groups: Ints) -> tuple[Marks, Ints]:
    """What lies in a folder goes for what lies elsewhere, or the other way round."""
    assert rule.folder is not None
    inside = below(standing.files, rule.folder)
    going = inside if rule.name == "in-folder" else standing.files.whole & ~inside
    groups = groups[standing.any_of(going)[groups]]
    groups = groups[standing.any_of(standing.files.whole & ~going)[groups]]
    keepers = _best_of(standing, groups, going.astype(np.int64))
    goes, documents = standing.goes.copy(), _movable(standing, groups)
    _keep(standing, groups, keepers, goes, going)
    changed = documents[going[documents] | np.isin(documents, keepers)]
    return goes, changed


def _keep(
    standing: Standing, groups: Ints, keepers: Ints, goes: Marks, only: Marks | None = None
) -> None:
    """Let the keepers stay, and the files that are copies of them go; ``only`` some of these."""
    rows = standing.proposal.rows.take(groups)
    member, keeper = rows.values, keepers[rows.owners()]
    kind, _ = standing.graph.between(member, keeper)
    goes_for = GROUNDS[kind] & (member != keeper)
    touched = movable_of(standing)[member]
    if only is not None:
        touched &= only[member]
    goes[member[touched]] = goes_for[touched]
    goes[keepers] = False


def _best_of(standing: Standing, groups: Ints, rank: Ints) -> Ints:
    """The document of each group with the lowest rank: protected ones first, equals preferred."""
    rows = standing.proposal.rows.take(groups)
    member, owner = rows.values, rows.owners()
    ranking = standing.ranking
    keys = (ranking.place[member], rank[member], ~ranking.kept[member])
    order = np.lexsort((*keys, ~standing.files.whole[member], owner))
    best: Ints = member[order][rows.offsets[:-1] - rows.offsets[0]]
    return best


def _ranks(files: FolderFiles, rule: MarkRule) -> Ints:
    if rule.name == "newest":
        return -files.modified
    if rule.name == "oldest":
        return files.modified
    if rule.name == "shortest-name":
        return _lengths(files, r"(?s)^.*/")
    if rule.name == "longest-path":
        return -_lengths(files, r"^$")
    assert rule.folder is not None
    last = np.zeros(len(files), bool) if rule.after is None else below(files, rule.after)
    # A folder inside another is named more closely than that one.
    first = below(files, rule.folder)
    inner = rule.after is not None and rule.after.is_relative_to(rule.folder)
    rank = np.where(last, 2, np.where(first, 0, 1)) if inner else np.where(first, 0, 1 + last)
    return rank.astype(np.int64)


def _lengths(files: FolderFiles, without: str) -> Ints:
    names = pc.replace_substring_regex(files.names, without, "")
    return numbers(pc.utf8_length(names)).astype(np.int64)


def _kinds(standing: Standing) -> Ints:
    """What each document is to the keeper of its group of copies; -1 for others."""
    proposal = standing.proposal
    rows = proposal.rows
    kinds = np.full(len(standing.files), -1)
    ground = proposal.is_ground[rows.owners()]
    kinds[rows.values[ground]] = proposal.kinds[ground]
    return kinds


def _codes(kinds: tuple[Kind, ...]) -> list[int]:
    return [KINDS.index(kind) for kind in kinds]


def _movable(standing: Standing, groups: Ints) -> Ints:
    documents = standing.proposal.rows.take(groups).values
    return np.unique(documents[movable_of(standing)[documents]])
