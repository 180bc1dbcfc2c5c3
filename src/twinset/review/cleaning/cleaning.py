"""The list of what can go, over one report: groups of copies, what is marked, what is gained.

Everything is arrays over the documents of the report; files become objects when they are shown.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np

from twinset.errors import PlanError, ReportError
from twinset.model import Ints
from twinset.model.kinds import Kind
from twinset.report.facts import older
from twinset.review.cleaning import listing, rules, selection
from twinset.review.cleaning.choices import ChoiceJournal, ChosenMarks
from twinset.review.cleaning.copies import CopyGraph, keys_of
from twinset.review.cleaning.differing import Differences, Phrases
from twinset.review.cleaning.files import FolderFiles, Marks, OnDisk
from twinset.review.cleaning.folders import FolderOverview, folder_overview
from twinset.review.cleaning.ignored import IgnoredPair, IgnoreList
from twinset.review.cleaning.model import (
    Action,
    FileRow,
    Group,
    GroupPage,
    GroupQuery,
    Reason,
    Totals,
)
from twinset.review.cleaning.proposal import Proposal
from twinset.review.cleaning.questions import CopyQuestion, Patterns, alike_of, questions
from twinset.review.cleaning.ranking import Ranking
from twinset.review.cleaning.rules import MarkRule
from twinset.review.cleaning.selection import Change, RefusedMark
from twinset.review.cleaning.shown import Shown
from twinset.review.cleaning.standing import Standing
from twinset.review.cleaning.undecided import FolderQuestion, folder_questions, marks_of_folders
from twinset.review.index import ReportIndex


class FolderCleaning:
    """What can go, over one report; several threads may ask at the same time.

    ``home`` is the folder in which the page keeps what outlives a report. Where ``kinds`` are
    given, only copies of these kinds go, and who stays is chosen among files that are such copies.
    """

    def __init__(
        self, index: ReportIndex, files: FolderFiles, home: Path, kinds: Collection[Kind] = ()
    ) -> None:
        self.index, self.files, self.home, self.kinds = index, files, home, tuple(kinds)
        self._journal, self._ignored = ChoiceJournal(index), IgnoreList(home)
        self._differences = Differences(index, files)
        self._patterns = Patterns(files)
        self._folders: tuple[Proposal, FolderOverview] | None = None
        self._lock = threading.RLock()
        self._policies = self._journal.read().policies
        self.ranking = self._ranked(self._policies)
        self.look_again()

    @classmethod
    def of(cls, index: ReportIndex, home: Path, kinds: Collection[Kind] = ()) -> FolderCleaning:
        """The list of a report, made once; raises where the report holds no files."""
        name = " ".join(["cleaning", str(home), *kinds])
        return index.kept(name, lambda: cls._make(index, home, kinds))

    @classmethod
    def _make(cls, index: ReportIndex, home: Path, kinds: Collection[Kind] = ()) -> FolderCleaning:
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
        return cls(index, files, home, kinds)

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
        self._ignored_pairs = self._ignored.pairs()
        graph = CopyGraph.of(*parts, self._taking_part, self._ignored_pairs.keys())
        graph = graph.only(self.kinds)
        proposal = Proposal.of(*parts, graph, self.ranking, self._taking_part)
        self._groups = {number: row for row, number in enumerate(proposal.number.tolist())}
        known = (*parts, self.disk, self.ranking, graph, proposal)
        self._proposed = Standing.proposed(*known)
        self._standing: tuple[ChosenMarks, Standing] | None = None

    @property
    def standing(self) -> Standing:
        """How things stand after everything that was chosen, here or by another process."""
        with self._lock:
            if self._ignored.pairs() is not self._ignored_pairs:
                self._propose()
            choices = self._journal.read()
            if choices.policies != self._policies:
                self._policies = choices.policies
                self.ranking = self._ranked(choices.policies)
                self._propose()
            if self._standing is None or self._standing[0] is not choices:
                self._standing = (choices, selection.chosen(self._proposed, choices))
            return self._standing[1]

    def _ranked(self, policies: Sequence[str] | None) -> Ranking:
        try:
            return Ranking.of(self.index, policies)
        except PlanError:  # policies of another version
            return Ranking.of(self.index)

    @property
    def policies(self) -> tuple[str, ...]:
        """The keep policies that the list goes by, as `--keep` takes them."""
        return self.standing.ranking.texts

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

    @property
    def totals(self) -> Totals:
        """What is gained as things stand."""
        standing = self.standing
        groups = int(standing.any_of(standing.goes).sum())
        return Totals(groups, int(standing.goes.sum()), int(standing.freed.sum()))

    def groups(self, query: GroupQuery | None = None) -> GroupPage:
        """Some groups; texts are read and compared for these alone."""
        query, standing = query or GroupQuery(), self.standing
        rows = listing.matching(standing, query)
        start = max(0, query.offset)
        some = rows[start : start + max(0, query.limit)].tolist()
        groups = Shown(standing, self._differences).groups(some, query.rows)
        return GroupPage(len(rows), int(standing.gain[rows].sum()), start, groups)

    def group(self, number: int, offset: int = 0, rows: int = 200) -> Group:
        """One group with some of its files; raises where there is none of this number."""
        standing = self.standing
        return Shown(standing, self._differences).group(self._group(number), offset, rows)

    def changes(self, number: int, documents: Sequence[int]) -> dict[int, Phrases]:
        """What differs between documents of a group and its keeper, however long it takes."""
        keeper = int(self.standing.keepers[self._group(number)])
        self._differences.compare([(keeper, document) for document in documents], None)
        return {document: self._differences.known(keeper, document) or () for document in documents}

    def selected(self) -> list[FileRow]:
        """The files that are to go, in reading order; each names the one that stays in its place.

        That is None where a person has insisted on removing every copy.
        """
        standing = self.standing
        return Shown(standing).alone(np.flatnonzero(standing.goes))

    def file(self, document: int) -> FileRow:
        """The file of a document, in a group or not."""
        return self.files_of([document])[0]

    def files_of(self, documents: Sequence[int]) -> list[FileRow]:
        """The files of some documents, quicker than one by one."""
        return Shown(self.standing).alone(np.array(documents, np.int64))

    def set_action(
        self, documents: Iterable[int], action: Action, *, insist: bool = False
    ) -> Change:
        """Let files stay or go; what would remove every copy of something stays, and is named.

        ``insist`` lets that go, too.
        """
        asked = np.unique(np.fromiter(documents, np.int64))
        with self._lock:
            standing = self.standing
            refused = selection.refusals(standing, asked)
            asked = np.setdiff1d(asked, [refusal.document for refusal in refused])
            goes = standing.goes.copy()
            goes[asked] = action == "remove"
            change = self._choose(action, goes, asked, insist=insist)
        return Change(change.changed, (*refused, *change.refused))

    def set_keeper(self, number: int, document: int) -> Change:
        """Let another file of a group stay; those that are copies of it go, the others stay."""
        with self._lock:
            standing, row = self.standing, self._group(number)
            members = standing.proposal.rows[row]
            if document not in members or not standing.files.whole[document]:
                raise ReportError(
                    f"'{self.index.id(document)}' is no file of the group {number} that could "
                    "stay for the others; choose another"
                )
            goes, decided = rules.with_keeper(standing, row, document)
            return self._choose("keeper", goes, decided, keepers=[(number, document)])

    def settle_equal(self, kinds: tuple[Kind, ...] = ("equal-bytes",)) -> Change:
        """Let every copy of these kinds go, as proposed, and count them as settled."""
        with self._lock:
            standing = self.standing
            documents = np.flatnonzero(rules.of_kinds(standing, kinds) & standing.waits)
            goes = standing.goes.copy()
            goes[documents] = True
            return self._choose("settle", goes, documents)

    def apply_rule(self, rule: MarkRule, query: GroupQuery | None = None) -> Change:
        """Mark by a rule, in all groups of copies or those of a query."""
        if faults := rule.faults():
            raise PlanError(faults)
        with self._lock:
            standing = self.standing
            groups = np.arange(len(standing.proposal))
            if query is not None:
                groups = np.sort(listing.matching(standing, query))
            goes, decided = rules.marks_by(standing, rule, groups)
            return self._choose(rule.name, goes, decided)

    def invert(self, query: GroupQuery | None = None) -> Change:
        """Let stay what goes and the reverse, wherever a copy still remains."""
        with self._lock:
            standing = self.standing
            groups = np.arange(len(standing.proposal))
            if query is not None:
                groups = np.sort(listing.matching(standing, query))
            documents = rules.copies_in(standing, groups)
            goes = standing.goes.copy()
            goes[documents] ^= True
            return self._choose("invert", goes, documents)

    def prefer(self, policies: Sequence[str]) -> Change:
        """Go by other keep policies than the search, as `--keep` takes them; marks start afresh.

        What a person has settled by hand stays as it is where that is safe.
        """
        with self._lock:
            Ranking.of(self.index, policies)  # raises where they cannot be used
            before = self.standing.goes
            self._journal.add("policies", [], [], policies=policies)
            return Change(int((self.standing.goes != before).sum()))

    def undo(self) -> str | None:
        """Take the last choice back and say what it was; None where there is none left."""
        return self._journal.undo()

    def ignore(self, left: int, right: int) -> None:
        """Note that two documents are no copies, here and in later searches."""
        names = tuple(str(self.files.path_of(document)) for document in (left, right))
        self._ignored.add(keys_of(self.files, left, right), (names[0], names[1]))

    def ignored(self) -> list[IgnoredPair]:
        """All pairs that are noted to be no copies, of this report or not, the latest first."""
        return sorted(self._ignored.pairs().values(), key=lambda pair: -pair.line)

    def stop_ignoring(self, lines: Sequence[int]) -> None:
        """Take notes of `ignored` back, by their lines."""
        self._ignored.remove(lines)

    def folders(self) -> FolderOverview:
        """Folders that hold the same files, and those whose files have copies elsewhere.

        The rules ``in-folder`` and ``outside-folder`` mark the files of one.
        """
        with self._lock:
            proposal = self.standing.proposal
            if self._folders is None or self._folders[0] is not proposal:
                self._folders = (proposal, folder_overview(self._proposed))
            return self._folders[1]

    def questions(
        self, most: int = 3, later: Collection[int] = ()
    ) -> tuple[list[CopyQuestion], int]:
        """The questions whose answers change most, and how many there are in all.

        ``later`` are documents that a person does not want to be asked about now.
        """
        with self._lock:
            return questions(self.standing, self._patterns, most, later)

    def answer(self, document: int, copy: bool, *, alike: bool = True) -> Change:
        """Decide on the document of a question, and where ``alike`` on all that it names."""
        with self._lock:
            asked = [document]
            if alike:
                asked = alike_of(self.standing, self._patterns, document)
            return self.set_action(asked, "remove" if copy else "keep")

    def folder_questions(self, most: int = 3) -> list[FolderQuestion]:
        """Pairs of folders of which a person has to say whose files stay: no policy does."""
        return folder_questions(self.standing, most)

    def answer_folders(self, stays: Path, other: Path) -> Change:
        """Let the files of a folder stay before their copies in another, if no policy decides."""
        with self._lock:
            return self._choose("folders", *marks_of_folders(self.standing, stays, other))

    def faults(self) -> list[RefusedMark]:
        """Files that are to go although no copy of them stays; a person has insisted on them."""
        return selection.faults(self.standing)

    def _choose(
        self,
        what: str,
        goes: Marks,
        decided: Ints,
        *,
        insist: bool = False,
        keepers: Sequence[tuple[int, int]] = (),
    ) -> Change:
        """Write marks down as far as they are safe."""
        standing = self.standing
        insisted = self._journal.read().insisted
        if insist:
            insisted = insisted.copy()
            insisted[decided] = True
        safe = selection.secured(standing, standing.goes, goes, insisted)
        # Who had to stay for others is not settled: it was not asked for.
        refused = np.flatnonzero(goes & ~safe)
        settled = decided[goes[decided] == safe[decided]]
        more = np.setdiff1d(refused[standing.goes[refused]], settled)
        if len(settled) or len(more) or keepers:
            going = safe[settled]
            self._journal.add(
                what,
                [*settled[~going].tolist(), *more.tolist()],
                settled[going].tolist(),
                keepers=keepers,
                insist=insist,
            )
        changed = int((self.standing.goes != standing.goes).sum())
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
