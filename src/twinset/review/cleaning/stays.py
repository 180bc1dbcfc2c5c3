"""Which file stays in the place of each one that goes: the promise that no last copy is removed."""

from __future__ import annotations

import numpy as np

from twinset.model import Ints
from twinset.review.cleaning.copies import GROUNDS, CopyGraph
from twinset.review.cleaning.files import FolderFiles, Marks
from twinset.review.cleaning.proposal import Proposal
from twinset.review.cleaning.ranking import Ranking


def first_that_stay(proposal: Proposal, ranking: Ranking, keepers: Ints, stays: Marks) -> Ints:
    """The keepers, where one goes the preferred file of its group that stays, if any does."""
    left = np.flatnonzero(~stays[keepers])
    if not len(left):
        return keepers
    rows = proposal.rows.take(left)
    member = rows.values
    order = np.lexsort((ranking.place[member], ~stays[member], rows.owners()))
    best = member[order][rows.offsets[:-1] - rows.offsets[0]]
    first: Ints = keepers.copy()
    first[left] = np.where(stays[best], best, keepers[left])
    return first


def substitutes(
    files: FolderFiles,
    graph: CopyGraph,
    proposal: Proposal,
    ranking: Ranking,
    keepers: Ints,
    goes: Marks,
) -> Ints:
    """For each document that goes one of its group that stays and that it is a listed pair with.

    -1 where there is none: every copy of it goes. The keeper of the group comes before others. In a
    group of copies the pair must be a ground for removal; what goes from a group of parts or forms
    goes by a person's word, and any listed pair will do. -1 also for documents that stay.
    """
    rows, owner = proposal.rows, proposal.rows.owners()
    stays = files.whole & ~goes
    best = np.full(len(files), -1)
    going = np.flatnonzero(goes[rows.values])
    # Groups of copies have their say first: a later assignment replaces an earlier one.
    going = going[np.argsort(proposal.is_ground[owner[going]], kind="stable")]
    member, group = rows.values[going], owner[going]
    keeper = first_that_stay(proposal, ranking, keepers, stays)[group]
    kind, _ = graph.between(member, keeper)
    good = stays[keeper] & (GROUNDS[kind] | ((kind >= 0) & ~proposal.is_ground[group]))
    best[member[good]] = keeper[good]
    for other in np.unique(group[~good]).tolist():
        _search(graph, proposal, ranking, other, stays, best)
    return best


def _search(
    graph: CopyGraph, proposal: Proposal, ranking: Ranking, group: int, stays: Marks, best: Ints
) -> None:
    """Fill in what the files of a group that stay, the preferred one first, can stand for."""
    documents = proposal.rows[group]
    kept = documents[stays[documents]]
    left = documents[~stays[documents] & (best[documents] < 0)]
    for keeper in kept[np.argsort(ranking.place[kept])].tolist():
        if not len(left):
            return
        kind, _ = graph.between(left, np.full(len(left), keeper))
        good = GROUNDS[kind] if proposal.is_ground[group] else kind >= 0
        best[left[good]] = keeper
        left = left[~good]
