"""How things stand: the groups, which files go, and who stays in the place of whom."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints
from twinset.review.cleaning.copies import CopyGraph, listed
from twinset.review.cleaning.files import FolderFiles, Marks, OnDisk
from twinset.review.cleaning.proposal import Proposal
from twinset.review.cleaning.ranking import Ranking
from twinset.review.cleaning.stays import substitutes
from twinset.review.index import ReportIndex


@dataclass(frozen=True)
class Standing:
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
    ) -> Standing:
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

    @cached_property
    def waits(self) -> Marks:
        """The documents that could go and that no person has decided on."""
        return self.proposal.goes & ~self.settled

    @cached_property
    def substitutes(self) -> Ints:
        """For each document that goes the one that stays in its place, -1 where there is none."""
        parts = self.files, self.graph, self.proposal, self.ranking
        return substitutes(*parts, self.keepers, self.goes)

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
        for row in np.flatnonzero(~self.files.whole[documents]).tolist():
            kind[row], score[row] = listed(self.index, keeper, int(documents[row]))
        itself = documents == keeper
        kind[itself], score[itself] = -1, np.nan
        return kind, score
