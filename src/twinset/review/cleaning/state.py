"""How things stand, as one state machine: what stays, what goes, and who stands for whom.

A file is in one of four states: it stays or goes as proposed, or it was kept or removed by a person
(``settled``). What a person asks for, a mark, another keeper or a rule, is made into the marks that
should hold (`with_keeper`, `by_rule`); `CleaningState.secured` lets through what leaves a copy of
everything, and that is written to the journal. The state follows from proposal and journal alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import flags
from twinset.review.cleaning.files import FolderFiles, Marks, OnDisk
from twinset.review.cleaning.model import Reason, RefusedMark
from twinset.review.cleaning.proposal import REVISION, SORTS, CopyGraph, Proposal, is_ground
from twinset.review.cleaning.ranking import Ranking
from twinset.review.index import ReportIndex
from twinset.review.journal import EntryJournal, are_texts
from twinset.system.lines import Entry

NAME = "cleaning.jsonl"
KEEP, REMOVE, OPEN = 0, 1, -1


@dataclass(frozen=True)
class CleaningChoices:
    """For each document `KEEP`, `REMOVE` or `OPEN`, as a person has chosen.

    ``keepers`` has, by the number of a group, the document that was chosen to stay; ``policies``
    are the keep policies, where a person has chosen others than those of the search.
    """

    actions: NDArray[np.int8]
    keepers: dict[int, int] = field(default_factory=dict)
    policies: tuple[str, ...] | None = None


class ChoiceJournal(EntryJournal[CleaningChoices]):
    """The choices on one report, in a journal beside its tables.

    An entry holds the documents that are to stay and to go, by id, whatever made them. So it means
    the same after a restart, and undoing it brings back exactly what was there before.
    """

    def __init__(self, index: ReportIndex) -> None:
        super().__init__(index.report.folder / NAME, "choice", _is_choice, self._choices)
        self.index = index
        self._numbers: dict[int, tuple[Entry, tuple[Ints, Ints]]] = {}

    def add(
        self,
        what: str,
        keep: Iterable[int],
        remove: Iterable[int],
        *,
        keepers: Iterable[tuple[int, int]] = (),
        policies: Sequence[str] = (),
    ) -> None:
        """Write down which documents stay and go, and who was chosen to stay of which groups."""
        id_of = self.index.id
        chosen = [
            [id_of(number // len(SORTS)), number % len(SORTS), id_of(keeper)]
            for number, keeper in keepers
        ]
        entry = {"what": what, "keep": self._ids(keep), "remove": self._ids(remove)}
        more = {"keepers": chosen, "policies": list(policies)}
        self.write([entry | {name: values for name, values in more.items() if values}])

    def _choices(self, entries: dict[int, Entry]) -> CleaningChoices:
        choices = CleaningChoices(np.full(len(self.index), OPEN, np.int8))
        number_of = self.index.numbers_of
        for line, entry in entries.items():
            if line not in self._numbers or self._numbers[line][0] is not entry:
                sides = (np.array([*number_of(entry[n]).values()], np.int64) for n in _LISTS)
                self._numbers[line] = (entry, (next(sides), next(sides)))
            kept, removed = self._numbers[line][1]
            choices.actions[kept], choices.actions[removed] = KEEP, REMOVE
            for lead, sort, keeper in entry.get("keepers", []):
                known = number_of([lead, keeper])
                if len(known) == len({lead, keeper}):  # ids of another report are left out
                    choices.keepers[known[lead] * len(SORTS) + sort] = known[keeper]
            if entry.get("policies"):
                choices = replace(choices, policies=tuple(entry["policies"]))
        return choices

    def _ids(self, documents: Iterable[int]) -> list[str]:
        ids: list[str] = self.index.ids.take(pa.array(list(documents), pa.int64())).to_pylist()
        return ids


_LISTS = ("keep", "remove")


def _is_choice(entry: Entry) -> bool:
    lists = [entry.get(name) for name in _LISTS] + [entry.get("policies", [])]
    keepers = entry.get("keepers", [])
    is_whole = isinstance(entry.get("what"), str) and all(map(are_texts, lists))
    return is_whole and isinstance(keepers, list) and all(map(_is_keeper, keepers))


def _is_keeper(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    return are_texts([value[0], value[2]]) and value[1] in range(len(SORTS))


@dataclass(frozen=True)
class CleaningState:
    """``goes`` and ``settled`` mark documents; ``keepers`` has the file that stays of each group.

    ``chosen`` marks the keepers that a person has chosen.
    """

    index: ReportIndex
    files: FolderFiles
    disk: OnDisk
    ranking: Ranking
    graph: CopyGraph
    proposal: Proposal
    goes: Marks
    settled: Marks
    keepers: Ints
    chosen: Marks

    @classmethod
    def proposed(
        cls,
        index: ReportIndex,
        files: FolderFiles,
        disk: OnDisk,
        ranking: Ranking,
        graph: CopyGraph,
        proposal: Proposal,
    ) -> CleaningState:
        """As proposed, before anybody has chosen anything.

        Another name of the file that stays cannot go: that would gain nothing, and is refused.
        """
        keeper = np.repeat(proposal.keepers, proposal.rows.lengths)
        member = proposal.rows.values
        goes = proposal.goes.copy()
        goes[member[disk.link[member] == disk.link[keeper]]] = False
        proposal = replace(proposal, goes=goes)
        settled, chosen = np.zeros(len(files), bool), np.zeros(len(proposal), bool)
        marks = proposal.goes, settled, proposal.keepers, chosen
        return cls(index, files, disk, ranking, graph, proposal, *marks)

    def after(self, choices: CleaningChoices) -> CleaningState:
        """What becomes of the proposed state by a person's choices.

        A report that has changed since, or a file that is gone, may make a choice unsafe: it is
        then left out, as a click would be refused. A keeper that goes makes way for the preferred
        rest.
        """
        settled = (choices.actions != OPEN) & self.movable
        goes = self.secured(np.where(settled, choices.actions == REMOVE, self.goes))
        stays, proposal = ~goes, self.proposal
        first, chosen = proposal.keepers.copy(), np.zeros(len(proposal), bool)
        for number, keeper in choices.keepers.items():
            row = int(np.searchsorted(proposal.number, number))
            is_group = row < len(proposal) and proposal.number[row] == number
            if is_group and keeper in proposal.rows[row]:
                first[row], chosen[row] = keeper, True
        chosen &= stays[first]
        first = self._first_that_stay(first, stays)
        return replace(self, goes=goes, settled=settled, keepers=first, chosen=chosen)

    @cached_property
    def movable(self) -> Marks:
        """The documents of groups that may go: those that are not protected."""
        grouped = np.zeros(len(self.files), bool)
        grouped[self.proposal.rows.values] = True
        return grouped & ~self.ranking.kept

    @cached_property
    def freed(self) -> Ints:
        """The bytes that are gained with each document."""
        return self.disk.freed(self.files, self.goes)

    @cached_property
    def gain(self) -> Ints:
        """The bytes that are gained in each group."""
        rows = self.proposal.rows
        if not len(rows):
            return np.empty(0, np.int64)
        return np.add.reduceat(self.freed[rows.values], rows.offsets[:-1])

    def any_of(self, documents: Marks) -> Marks:
        """For each group, whether one of its documents is marked."""
        rows = self.proposal.rows
        if not len(rows):
            return np.zeros(0, bool)
        marks: Marks = np.logical_or.reduceat(documents[rows.values], rows.offsets[:-1])
        return marks

    def to_keeper(self, keeper: int, documents: Ints) -> tuple[NDArray[np.int8], Floats]:
        """What documents are to one that stays; -1 and NaN for itself and for no listed pair."""
        kind, score = self.graph.between(np.full(len(documents), keeper), documents)
        itself = documents == keeper
        kind[itself], score[itself] = -1, np.nan
        return kind, score

    @cached_property
    def substitutes(self) -> Ints:
        """For each document that goes one of its group that stays and is a listed pair with it.

        -1 where there is none: every copy of it goes. The keeper of the group comes before others.
        In a group of copies the pair must be a ground for removal; what goes from a group of parts
        or forms goes by a person's word, and any listed pair will do. -1 also for what stays.
        """
        proposal, graph = self.proposal, self.graph
        rows, owner = proposal.rows, proposal.rows.owners()
        stays = ~self.goes
        best = np.full(len(self.files), -1)
        going = np.flatnonzero(self.goes[rows.values])
        # Groups of copies have their say first: a later assignment replaces an earlier one.
        going = going[np.argsort(proposal.is_ground[owner[going]], kind="stable")]
        member, group = rows.values[going], owner[going]
        keeper = self._first_that_stay(self.keepers, stays)[group]
        kind, _ = graph.between(member, keeper)
        good = is_ground(kind, graph.least) | ((kind >= 0) & ~proposal.is_ground[group])
        good &= stays[keeper]
        best[member[good]] = keeper[good]
        for other in np.unique(group[~good]).tolist():
            self._search(other, stays, best)
        # Where a version goes with all of its copies, what stays for it stays for those like it.
        beside = np.where((best[member] < 0) & ~stays[keeper], best[proposal.keepers[group]], -1)
        kind, _ = graph.between(member, beside)
        good = (beside >= 0) & (kind >= 0)
        best[member[good]] = beside[good]
        return best

    def _search(self, group: int, stays: Marks, best: Ints) -> None:
        """Fill in what the files of a group that stay, the preferred first, can stand for."""
        documents = self.proposal.rows[group]
        kept = documents[stays[documents]]
        left = documents[~stays[documents] & (best[documents] < 0)]
        for keeper in kept[np.argsort(self.ranking.place[kept])].tolist():
            kind, _ = self.graph.between(left, np.full(len(left), keeper))
            is_copies = self.proposal.is_ground[group]
            good = is_ground(kind, self.graph.least) if is_copies else kind >= 0
            best[left[good]] = keeper
            left = left[~good]

    def _first_that_stay(self, keepers: Ints, stays: Marks) -> Ints:
        """The keepers, where one goes the preferred file of its group that stays, if any does."""
        left = np.flatnonzero(~stays[keepers])
        rows = self.proposal.rows.take(left)
        order = np.lexsort((self.ranking.place[rows.values], ~stays[rows.values], rows.owners()))
        best = rows.values[order][rows.offsets[:-1] - rows.offsets[0]]
        first: Ints = keepers.copy()
        first[left] = np.where(stays[best], best, keepers[left])
        return first

    def secured(self, goes: Marks) -> Marks:
        """Other marks, less those that would remove every copy of something.

        As things stand, a copy of everything stays. Of what goes anew and leaves something without
        a copy, the keeper of a group stays first, then what has nobody to stand for it, and what
        others stood behind.
        """
        lost = self._lost(goes)
        if not lost.any():
            return goes
        goes = goes.copy()
        anew = goes & ~self.goes
        groups = self.any_of(lost)
        for keepers in (self.keepers[groups], self.proposal.keepers[groups]):
            goes[keepers[anew[keepers]]] = False
            lost = self._lost(goes)
            if not lost.any():
                return goes
        anew &= goes
        stood = self.substitutes[lost]
        goes[stood[stood >= 0]] = False
        goes[lost & anew] = False
        goes[self._lost(goes)] = False  # nobody is left who could be kept instead
        return goes

    def _lost(self, goes: Marks) -> Marks:
        """Documents that would go although nothing stays in their place."""
        marks: Marks = goes & (replace(self, goes=goes).substitutes < 0)
        return marks

    def refusals(self, documents: Ints) -> list[RefusedMark]:
        """Documents that can have no mark at all."""
        refused = []
        for document in documents[~self.movable[documents]].tolist():
            name = "protected" if self.ranking.kept[document] else "in_no_group"
            refused.append(RefusedMark(document, Reason(name)))
        return refused

    def copies_in(self, groups: Ints) -> Ints:
        """The documents of these groups that may have a mark."""
        documents = self.proposal.rows.take(groups).values
        return np.unique(documents[self.movable[documents]])


RuleName = Literal["in-folder", "outside-folder", "all", "none"]


@dataclass(frozen=True, slots=True)
class MarkRule:
    """A rule for the marks in groups of copies, and of versions where these are asked for.

    Parts and forms go by a person's word on each. ``in-folder`` marks what lies in ``folder`` and
    has a copy elsewhere, ``outside-folder`` what lies elsewhere and has a copy in it. ``all`` marks
    everything that can go, ``none`` nothing.
    """

    name: RuleName
    folder: Path | None = None

    def faults(self) -> list[str]:
        """What is wrong with this rule, as sentences."""
        if self.name not in get_args(RuleName):
            return [f"a rule is one of {', '.join(get_args(RuleName))}, not '{self.name}'"]
        if self.name in ("in-folder", "outside-folder") and self.folder is None:
            return [f"the rule {self.name} needs a folder: name one"]
        return []


def by_rule(state: CleaningState, rule: MarkRule, groups: Ints) -> tuple[Marks, Ints]:
    """What goes by a rule in these groups, and the documents that it decides on."""
    proposal = state.proposal
    groups = groups[proposal.kind[groups] <= REVISION]
    if rule.folder is not None and rule.name in ("in-folder", "outside-folder"):
        return _by_place(state, rule, groups)
    goes, decided = state.goes.copy(), state.copies_in(groups)
    if rule.name == "none":
        goes[decided] = False
    else:
        goes[decided] = proposal.goes[decided]
        versions = groups[~proposal.is_ground[groups]]
        _keep(state, versions, state.keepers[versions], goes)
    return goes, decided


def with_keeper(state: CleaningState, group: int, document: int) -> tuple[Marks, Ints]:
    """The marks of a group of which this document is to stay, and what that decides on."""
    goes, groups = state.goes.copy(), np.array([group])
    decided = state.copies_in(groups)
    if state.proposal.is_ground[group]:
        _keep(state, groups, np.array([document]), goes)
    else:  # nothing goes by itself here
        goes[document] = False
        decided = decided[decided == document]
    return goes, decided


def _by_place(state: CleaningState, rule: MarkRule, groups: Ints) -> tuple[Marks, Ints]:
    """What lies in a folder goes for what lies elsewhere, or the other way round."""
    below = os.path.join(os.fsencode(os.path.abspath(str(rule.folder))), b"")
    inside = flags(pc.fill_null(pc.starts_with(state.files.path, below), False))
    going = inside if rule.name == "in-folder" else state.files.whole & ~inside
    groups = groups[state.any_of(going)[groups]]
    groups = groups[state.any_of(state.files.whole & ~going)[groups]]
    keepers = _best_of(state, groups, going)
    goes, documents = state.goes.copy(), state.copies_in(groups)
    _keep(state, groups, keepers, goes, going)
    return goes, documents[going[documents] | np.isin(documents, keepers)]


def _keep(
    state: CleaningState, groups: Ints, keepers: Ints, goes: Marks, only: Marks | None = None
) -> None:
    """Let the keepers stay, and the files that are copies of them go; ``only`` some of these."""
    rows = state.proposal.rows.take(groups)
    member, keeper = rows.values, keepers[rows.owners()]
    kind, _ = state.graph.between(member, keeper)
    is_version = ~state.proposal.is_ground[groups][rows.owners()] & (kind == REVISION)
    goes_for = (is_ground(kind, state.graph.least) | is_version) & (member != keeper)
    touched = state.movable[member]
    if only is not None:
        touched &= only[member]
    goes[member[touched]] = goes_for[touched]
    goes[keepers] = False


def _best_of(state: CleaningState, groups: Ints, last: Marks) -> Ints:
    """The preferred document of each group, protected ones first and these ``last``."""
    rows = state.proposal.rows.take(groups)
    member = rows.values
    keys = (state.ranking.place[member], last[member], ~state.ranking.kept[member])
    order = np.lexsort((*keys, rows.owners()))
    best: Ints = member[order][rows.offsets[:-1] - rows.offsets[0]]
    return best
