"""The list of what can go, over one report: groups of copies, what is marked, what is gained.

Everything is arrays over the documents of the report; files become objects when they are shown.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from twinset.errors import PlanError, ReportError
from twinset.model import Ints
from twinset.plan import CopyKind
from twinset.result.manifest import plan_of
from twinset.result.words import older
from twinset.review.cleaning.files import FolderFiles, Marks, OnDisk
from twinset.review.cleaning.model import (
    Action,
    Change,
    CopyGroup,
    FileRow,
    GroupPage,
    GroupQuery,
    Phrases,
    Reason,
    RefusedMark,
    Totals,
)
from twinset.review.cleaning.proposal import CopyGraph, Proposal
from twinset.review.cleaning.ranking import Ranking
from twinset.review.cleaning.shown import Differences, Shown, matching
from twinset.review.cleaning.state import (
    ChoiceJournal,
    CleaningChoices,
    CleaningState,
    MarkRule,
    by_rule,
    with_keeper,
)
from twinset.review.index import ReportIndex
from twinset.review.texts import PlaceInWhole


class FolderCleaning:
    """What can go, over one report; several threads may ask at the same time.

    ``home`` is the folder in which the page keeps what outlives a report. Where a ``kind`` is
    given, only copies as close as that go and are listed; without it the plan says what goes.
    """

    def __init__(
        self, index: ReportIndex, files: FolderFiles, home: Path, kind: CopyKind | None = None
    ) -> None:
        self.index, self.files, self.home, self.kind = index, files, home, kind
        self.least = kind or plan_of(index.manifest).kind
        self._journal = ChoiceJournal(index)
        self._differences = Differences(index, files)
        self._lock = threading.RLock()
        self._policies = self._journal.read().policies
        self.look_again()

    @classmethod
    def of(cls, index: ReportIndex, home: Path, kind: CopyKind | None = None) -> FolderCleaning:
        """The list of a report, made once; raises where the report holds no files."""
        name = f"cleaning {home} {kind or ''}"
        return index.kept(name, lambda: cls._make(index, home, kind))

    @classmethod
    def _make(cls, index: ReportIndex, home: Path, kind: CopyKind | None) -> FolderCleaning:
        if older(index.manifest) is not None:
            raise ReportError(
                f"{index.report.folder} holds documents against older ones elsewhere, which clean "
                "does not look at: 'twinset dedup NEW --against OLD' writes what is new"
            )
        files = FolderFiles.of(index)
        if files is None:
            raise ReportError(
                f"{index.report.folder} holds no files of a folder, but records or texts: there is "
                "nothing to remove; search a folder with --preset files"
            )
        return cls(index, files, home, kind)

    def look_again(self) -> None:
        """Look at the disk again: files that are gone take part no more."""
        with self._lock:
            pairs = self.index.pairs
            paired = np.zeros(len(self.files), bool)
            listed = pairs.kind >= 0
            paired[pairs.left[listed]] = paired[pairs.right[listed]] = True
            counts = np.bincount(self.files.content, minlength=len(self.files))
            paired |= counts[self.files.content] > 1
            taking_part = paired & self.files.whole
            self.disk = OnDisk.of(self.files, np.flatnonzero(taking_part))
            self._taking_part = taking_part & self.disk.present
            self._propose()

    def _propose(self) -> None:
        parts = self.index, self.files
        try:
            ranking = Ranking.of(self.index, self._policies)
        except PlanError:  # policies of another version
            ranking = Ranking.of(self.index)
        graph = CopyGraph.of(
            *parts,
            self._taking_part,
            self.least,
            only_grounds=self.kind is not None,
        )
        proposal = Proposal.of(*parts, graph, ranking, self._taking_part)
        self._groups = {number: row for row, number in enumerate(proposal.number.tolist())}
        self._proposed = CleaningState.proposed(*parts, self.disk, ranking, graph, proposal)
        self._state: tuple[CleaningChoices, CleaningState] | None = None

    @property
    def state(self) -> CleaningState:
        """How things stand after everything that was chosen, here or by another process."""
        with self._lock:
            choices = self._journal.read()
            if choices.policies != self._policies:
                self._policies = choices.policies
                self._propose()
            if self._state is None or self._state[0] is not choices:
                self._state = (choices, self._proposed.after(choices))
            return self._state[1]

    @property
    def policies(self) -> tuple[str, ...]:
        """The keep policies that the list goes by, as `--keep` takes them."""
        return self.state.ranking.texts

    @property
    def root(self) -> Path:
        """The innermost folder that holds all files of the report."""
        return self.files.root

    @property
    def notes(self) -> tuple[Reason, ...]:
        """What limits the list: files that are gone, a search without kinds."""
        notes = []
        if gone := int((~self.disk.present).sum()):
            notes.append(Reason("files_gone", {"count": gone}))
        if len(self.index.pairs) and (self.index.pairs.kind < 0).all():
            notes.append(Reason("no_kinds"))
        return tuple(notes)

    def totals(self, query: GroupQuery | None = None) -> Totals:
        """What is gained as things stand, in all groups or those of a query."""
        state, goes = self.state, self._going(query)
        groups = int(state.any_of(goes).sum())
        return Totals(groups, int(goes.sum()), int(state.freed[goes].sum()))

    def _going(self, query: GroupQuery | None) -> Marks:
        """The files that are to go, all of them or those in the groups of a query."""
        state = self.state
        if query is None:
            return state.goes
        shown = np.zeros(len(self.files), bool)
        shown[state.proposal.rows.take(matching(state, query)).values] = True
        return state.goes & shown

    def groups(self, query: GroupQuery | None = None) -> GroupPage:
        """Some groups; texts are read and compared for these alone."""
        query, state = query or GroupQuery(), self.state
        rows = matching(state, query)
        start = max(0, query.offset)
        some = rows[start : start + max(0, query.limit)].tolist()
        groups = Shown(state, self._differences).groups(some, query.rows)
        return GroupPage(len(rows), int(state.gain[rows].sum()), start, groups)

    def group(self, number: int, offset: int = 0, rows: int = 200) -> CopyGroup:
        """One group with some of its files; raises where there is none of this number."""
        return Shown(self.state, self._differences).group(self._group(number), offset, rows)

    def changes(self, number: int, documents: Sequence[int]) -> dict[int, Phrases]:
        """What differs between documents of a group and its keeper, however long it takes."""
        keeper = int(self.state.keepers[self._group(number)])
        self._differences.compare([(keeper, document) for document in documents], None)
        return {document: self._differences.known[keeper, document] for document in documents}

    def place(self, number: int, document: int) -> PlaceInWhole | None:
        """Where in the keeper of a group a part of it stands, once what differs was asked for."""
        return self._differences.places.get(
            (int(self.state.keepers[self._group(number)]), document)
        )

    def selected(self, query: GroupQuery | None = None) -> list[FileRow]:
        """The files that are to go, of all groups or those of a query, in reading order.

        Each names the one that stays in its place.
        """
        return Shown(self.state).alone(np.flatnonzero(self._going(query)))

    def files_of(self, documents: Sequence[int]) -> list[FileRow]:
        """The files of some documents, in a group or not."""
        return Shown(self.state).alone(np.array(documents, np.int64))

    def set_action(self, documents: Iterable[int], action: Action) -> Change:
        """Let files stay or go; what would remove every copy of something stays, and is named."""
        asked = np.unique(np.fromiter(documents, np.int64))
        with self._lock:
            state = self.state
            refused = state.refusals(asked)
            asked = np.setdiff1d(asked, [refusal.document for refusal in refused])
            goes = state.goes.copy()
            goes[asked] = action == "remove"
            change = self._choose(action, goes, asked)
        return Change(change.changed, (*refused, *change.refused))

    def set_keeper(self, number: int, document: int) -> Change:
        """Let another file of a group stay; those that are copies of it go, the others stay."""
        with self._lock:
            state, row = self.state, self._group(number)
            if document not in state.proposal.rows[row]:
                raise ReportError(
                    f"'{self.index.id(document)}' is no file of the group {number} that could "
                    "stay for the others; choose another"
                )
            chosen = [(number, document)]
            return self._choose("keeper", *with_keeper(state, row, document), keepers=chosen)

    def apply_rule(self, rule: MarkRule, query: GroupQuery | None = None) -> Change:
        """Mark by a rule, in all groups of copies, or those of copies and versions of a query."""
        if faults := rule.faults():
            raise PlanError(faults)
        with self._lock:
            state = self.state
            groups = np.flatnonzero(state.proposal.is_ground)
            if query is not None:
                groups = np.sort(matching(state, query))
            return self._choose(rule.name, *by_rule(state, rule, groups))

    def prefer(self, policies: Sequence[str]) -> Change:
        """Go by other keep policies than the search, as `--keep` takes them; marks start afresh.

        What a person has settled by hand stays as it is where that is safe.
        """
        with self._lock:
            Ranking.of(self.index, policies)  # raises where they cannot be used
            before = self.state.goes
            self._journal.add("policies", [], [], policies=policies)
            return Change(int((self.state.goes != before).sum()))

    def undo(self) -> str | None:
        """Take the last choice back and say what it was; None where there is none left."""
        last = self._journal.take_back()
        return None if last is None else str(last[1]["what"])

    def same_folders(self) -> list[tuple[Path, ...]]:
        """Folders that hold the same files, whatever these are called, the most bytes first.

        The rule ``in-folder`` marks the files of one. A folder inside one that is listed is not.
        """
        files, content = self.files, self.state.graph.content
        root, paths = os.fsencode(files.root), files.path.to_pylist()
        held: dict[bytes, list[int]] = defaultdict(list)
        for document in np.flatnonzero(files.whole & self.disk.present).tolist():
            # All empty files are alike; the same number stands for them.
            same = int(content[document]) if files.bytes[document] else len(files)
            folder = os.path.dirname(paths[document])
            while len(folder) > len(root):
                held[folder].append(same)
                folder = os.path.dirname(folder)
        by_content: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
        for folder, contents in held.items():
            by_content[tuple(sorted(contents))].append(folder)
        sets = []
        for key, alike in by_content.items():
            # A folder that holds nothing but another one is the same folder.
            apart = [Path(os.fsdecode(f)) for f in alike if os.path.dirname(f) not in alike]
            if len(apart) > 1 and key[0] < len(files):
                size = int(files.bytes[[n for n in key if n < len(files)]].sum())
                sets.append((-size, tuple(sorted(apart))))
        listed = {folder for _, apart in sets for folder in apart}
        inner = {folder for folder in listed if listed.intersection(folder.parents)}
        return [apart for _, apart in sorted(sets) if not inner.issuperset(apart)]

    def _choose(
        self, what: str, goes: Marks, decided: Ints, keepers: Sequence[tuple[int, int]] = ()
    ) -> Change:
        """Write marks down as far as they are safe."""
        state = self.state
        safe = state.secured(goes)
        # Who had to stay for others is not settled: it was not asked for.
        refused = np.flatnonzero(goes & ~safe)
        settled = decided[goes[decided] == safe[decided]]
        more = np.setdiff1d(refused[state.goes[refused]], settled)
        if len(settled) or len(more) or keepers:
            going = safe[settled]
            stay = [*settled[~going].tolist(), *more.tolist()]
            self._journal.add(what, stay, settled[going].tolist(), keepers=keepers)
        changed = int((self.state.goes != state.goes).sum())
        reasons = (RefusedMark(document, Reason("last_copy")) for document in refused.tolist())
        return Change(changed, tuple(reasons))

    def _group(self, number: int) -> int:
        row = self._groups.get(number)
        if row is None:
            raise ReportError(
                f"there is no group {number} in {self.index.report.folder} any more: its files "
                "are gone or are no copies; load the list again"
            )
        return row
