"""Which groups a page shows, in which order: by text, kind and state, sorted by any column."""

from __future__ import annotations

import numpy as np

from twinset.errors import PlanError
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.columns import flags
from twinset.model.kinds import KINDS
from twinset.review.cleaning.model import GroupQuery
from twinset.review.cleaning.standing import Standing


def matching(standing: Standing, query: GroupQuery) -> Ints:
    """The groups of a query, in its order; equals by what is gained, then by number."""
    if faults := query.faults():
        raise PlanError(faults)
    groups, rows = standing.proposal, _chosen(standing, query)
    column = _column(standing, query, rows)
    if query.reverse:
        column = -column
    return rows[np.lexsort((groups.number[rows], -standing.gain[rows], column))]


def _chosen(standing: Standing, query: GroupQuery) -> Ints:
    groups = standing.proposal
    marks = np.ones(len(groups), bool)
    if query.kinds:
        marks &= np.isin(groups.kind, [KINDS.index(kind) for kind in query.kinds])
    if query.text.strip():
        contains = pc.match_substring(standing.files.names, query.text.strip().lower())
        marks &= standing.any_of(flags(contains))
    if query.state in ("going", "open"):
        marks &= standing.any_of(standing.goes) == (query.state == "going")
    elif query.state == "unsettled":
        marks &= standing.any_of(standing.waits)
    return np.flatnonzero(marks)


def _column(standing: Standing, query: GroupQuery, rows: Ints) -> Ints:
    """What groups are sorted by, the lowest first."""
    files, keepers = standing.files, standing.keepers[rows]
    if query.sort == "gain":
        return -standing.gain[rows]
    if query.sort == "name":
        return files.name_ranks[keepers]
    if query.sort == "folder":
        return files.folder_ranks[keepers]
    if query.sort == "date":
        return -files.modified[keepers]
    if query.sort == "size":
        return -files.bytes[keepers]
    if query.sort == "kind":
        return standing.proposal.kind[rows].astype(np.int64)
    return -standing.proposal.rows.lengths[rows]
