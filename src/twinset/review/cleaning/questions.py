"""Questions to a person, only where an answer changes something: the most informative first.

In doubt is whether a version really is an older one of the same document, and whether a part is
needed beside the whole. An answer holds, if the person wants that, for files whose names say the
same of each other ("X draft" and "X") or, where the names are equal, for the same two folders.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import field

import numpy as np

from twinset.lazy_dataclass import dataclass
from twinset.model.kinds import KINDS, Kind
from twinset.review.cleaning.files import FolderFiles
from twinset.review.cleaning.model import FileRow
from twinset.review.cleaning.proposal import PART
from twinset.review.cleaning.selection import movable_of
from twinset.review.cleaning.shown import Shown
from twinset.review.cleaning.standing import Standing

SURE = 0.9
"""The similarity from which on a version is not asked about."""
PART_DOUBT = 0.5
"""The doubt about a part, which may be needed or not."""
REVISION = KINDS.index("revision")
_DIGITS = re.compile(r"\d+")
Pattern = tuple[int, str, str, str, str]


@dataclass(frozen=True, slots=True)
class CopyQuestion:
    """Is ``row`` a copy of ``keeper`` that can go? ``number`` is that of their group.

    ``alike`` are the documents that the same answer may hold for, ``row`` among them; ``files`` and
    ``bytes`` are what they come to.
    """

    number: int
    kind: Kind
    keeper: FileRow
    row: FileRow
    alike: tuple[int, ...]
    bytes: int

    @property
    def files(self) -> int:
        """How many files the answer decides about, if it holds for all alike."""
        return len(self.alike)


@dataclass
class Patterns:
    """How the names of two files differ and in which folders they lie, worked out once."""

    files: FolderFiles
    _known: dict[tuple[int, int], Pattern] = field(default_factory=dict, repr=False)

    def of(self, keeper: int, document: int, kind: int) -> Pattern:
        """What pairs have in common that are to be decided in the same way."""
        pattern = self._known.get((keeper, document))
        if pattern is None:
            first, second = self.files.path_of(keeper), self.files.path_of(document)
            before, after = _apart(first.name, second.name)
            folders = str(first.parent), str(second.parent)
            if bool(before) != bool(after):  # one name is the other with something added
                folders = "", ""
            pattern = (kind, *folders, before, after)
            self._known[keeper, document] = pattern
        return pattern


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A document in doubt, the row of its group, and what an answer is worth."""

    document: int
    group: int
    kind: int
    worth: float


def _doubts(standing: Standing) -> list[_Doubt]:
    """Documents that an answer would decide on, each once."""
    proposal = standing.proposal
    rows, owner = proposal.rows.values, proposal.rows.owners()
    keeper = standing.keepers[owner]
    kind, score = standing.graph.between(rows, keeper)
    is_open = movable_of(standing)[rows] & ~standing.settled[rows] & (rows != keeper)
    is_open &= ~standing.goes[keeper]
    versions = is_open & (kind == REVISION) & (score < SURE) & standing.goes[rows]
    parts = is_open & (kind == PART) & (proposal.kind[owner] == PART) & ~standing.goes[rows]
    doubt = np.where(kind == PART, PART_DOUBT, 1 - np.clip(np.nan_to_num(score), 0, 1))
    worth = np.maximum(standing.files.bytes[rows], 1) * doubt
    chosen = np.flatnonzero(versions | parts)
    columns = (rows[chosen], owner[chosen], kind[chosen], worth[chosen])
    by_document: dict[int, _Doubt] = {}
    for values in zip(*(column.tolist() for column in columns), strict=True):
        by_document.setdefault(values[0], _Doubt(*values))
    return list(by_document.values())


def questions(
    standing: Standing, patterns: Patterns, most: int, later: Collection[int] = ()
) -> tuple[list[CopyQuestion], int]:
    """The next questions, and how many there are in all; ``later`` are documents not to ask now."""
    waiting = set(later)
    classes = [
        alike
        for alike in _by_pattern(standing, patterns).values()
        if not any(doubt.document in waiting for doubt in alike)
    ]
    classes.sort(key=lambda alike: (-sum(doubt.worth for doubt in alike), alike[0].document))
    shown = Shown(standing)
    return [_question(standing, shown, alike) for alike in classes[:most]], len(classes)


def alike_of(standing: Standing, patterns: Patterns, document: int) -> list[int]:
    """The documents that an answer on this one holds for, itself among them."""
    for alike in _by_pattern(standing, patterns).values():
        if any(doubt.document == document for doubt in alike):
            return [doubt.document for doubt in alike]
    return [document]


def _by_pattern(standing: Standing, patterns: Patterns) -> dict[Pattern, list[_Doubt]]:
    by_pattern: dict[Pattern, list[_Doubt]] = defaultdict(list)
    for doubt in _doubts(standing):
        keeper = int(standing.keepers[doubt.group])
        by_pattern[patterns.of(keeper, doubt.document, doubt.kind)].append(doubt)
    return by_pattern


def _question(standing: Standing, shown: Shown, alike: list[_Doubt]) -> CopyQuestion:
    """The pair in which most is at stake stands for those alike."""
    first = max(alike, key=lambda doubt: (doubt.worth, -doubt.document))
    keeper = int(standing.keepers[first.group])
    kind, score = standing.to_keeper(keeper, np.array([first.document]))
    documents = sorted(doubt.document for doubt in alike)
    return CopyQuestion(
        int(standing.proposal.number[first.group]),
        KINDS[first.kind],
        shown.row(keeper, first.group, -1, np.nan),
        shown.row(first.document, first.group, int(kind[0]), float(score[0])),
        tuple(documents),
        int(standing.files.bytes[documents].sum()),
    )


def _apart(first: str, second: str) -> tuple[str, str]:
    """Two names without what they share at both ends, each number as the same sign."""
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    rests = (name[start : len(name) - end] for name in (first, second))
    before, after = (_DIGITS.sub("#", rest) for rest in rests)
    return before, after
