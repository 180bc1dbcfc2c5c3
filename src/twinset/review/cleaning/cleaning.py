"""The list of what can go, over one report: groups of copies, what is marked, what is gained.

Everything is arrays over the documents of the report; files become objects when they are shown.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from twinset.errors import ReportError
from twinset.review.cleaning import listing
from twinset.review.cleaning.copies import CopyGraph
from twinset.review.cleaning.files import FolderFiles, OnDisk
from twinset.review.cleaning.model import FileRow, Group, GroupPage, GroupQuery, Reason, Totals
from twinset.review.cleaning.proposal import Proposal, Ranking
from twinset.review.cleaning.shown import Shown
from twinset.review.cleaning.standing import Standing
from twinset.review.index import Index
from twinset.review.threshold import preference


@dataclass
class FolderCleaning:
    """What can go, over one report; several threads may ask at the same time.

    ``home`` is the folder in which the page keeps what outlives a report.
    """

    index: Index
    home: Path
    files: FolderFiles
    ranking: Ranking
    _lock: Any = field(default_factory=threading.RLock, repr=False)

    @classmethod
    def of(cls, index: Index, home: Path) -> FolderCleaning:
        """The list of a report, made once; raises where the report holds no files."""
        key = f"cleaning {home}"
        with index._lock:
            cleaning: FolderCleaning | None = index.kept_by_name.get(key)
            if cleaning is None:
                cleaning = cls._make(index, home)
                index.kept_by_name[key] = cleaning
        return cleaning

    @classmethod
    def _make(cls, index: Index, home: Path) -> FolderCleaning:
        files = FolderFiles.of(index)
        if files is None:
            raise ReportError(
                f"{index.report.folder} holds no files of a folder, but records or texts: there is "
                "nothing to remove; search a folder with --preset files"
            )
        order = preference(index)
        place = np.empty(len(index), np.int64)
        place[order.order] = np.arange(len(index))
        cleaning = cls(index, home, files, Ranking(place, order.kept))
        cleaning.look_again()
        return cleaning

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
        graph = CopyGraph.of(*parts, self._taking_part)
        proposal = Proposal.of(*parts, graph, self.ranking, self._taking_part)
        self._groups = {number: row for row, number in enumerate(proposal.number.tolist())}
        nobody = np.zeros(len(self.files), bool)
        self.standing = Standing(
            *parts,
            self.disk,
            self.ranking,
            graph,
            proposal,
            proposal.goes,
            nobody,
            proposal.keepers,
            np.zeros(len(proposal), bool),
        )

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
        shown = Shown(standing)
        groups = (
            shown.group(group, 0, query.rows)
            for group in rows[start : start + max(0, query.limit)].tolist()
        )
        return GroupPage(len(rows), int(standing.gain[rows].sum()), start, tuple(groups))

    def group(self, number: int, offset: int = 0, rows: int = 200) -> Group:
        """One group with some of its files; raises where there is none of this number."""
        return Shown(self.standing).group(self._group(number), offset, rows)

    def selected(self) -> list[FileRow]:
        """The files that are to go, in reading order; each names the one that stays in its place.

        That is None where a person has insisted on removing every copy.
        """
        shown = Shown(self.standing, texts=False)
        return [shown.alone(document) for document in np.flatnonzero(self.standing.goes).tolist()]

    def file(self, document: int) -> FileRow:
        """The file of a document, in a group or not."""
        return Shown(self.standing, texts=False).alone(document)

    def _group(self, number: int) -> int:
        row = self._groups.get(number)
        if row is None:
            raise ReportError(
                f"there is no group {number} in {self.index.report.folder} any more: its files "
                "are gone or are no copies; load the list again"
            )
        return row
