"""What there is to decide on: clusters and pairs with their decisions, and the next ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.review.decisions import Decision, Decisions
from twinset.review.grouping import Grouping
from twinset.review.index import ReportIndex

DEPTH = 20_000
"""Of all pairs the so many closest calls are asked about."""


@dataclass(frozen=True)
class OpenPair:
    """A pair to decide on: the closest call that is still open, and how many wait behind it."""

    left: str
    right: str
    score: float
    waiting: int


def cluster_decisions(
    index: ReportIndex, clusters: Grouping, decisions: Decisions
) -> dict[int, Decision]:
    """Decisions on whole clusters, by the place of the cluster."""
    known = index.numbers_of(id for d in decisions.standing for id in d.ids)
    by_row: dict[int, Decision] = {}
    for decision in decisions.standing:
        members = {known[id] for id in decision.ids if id in known}
        if len(members) != len(decision.ids):
            continue
        for row in clusters.rows_with(min(members)):
            if set(clusters.document[clusters.members(row)].tolist()) == members:
                by_row[row] = decision
    return by_row


def open_clusters(
    clusters: Grouping, decided: dict[int, Decision], verdict: str = ""
) -> NDArray[np.bool_]:
    """For each cluster whether it has this verdict; without one, whether it has none."""
    chosen = [row for row, decision in decided.items() if verdict in ("", decision.verdict)]
    flags = np.full(len(clusters), not verdict)
    flags[chosen] = bool(verdict)
    return flags


def next_pair(index: ReportIndex, decisions: Decisions, skip: int = 0) -> OpenPair | None:
    """The closest call that no decision speaks of, after so many others; None at the end."""
    order = _closest(index)
    about = _spoken_of(index, decisions)
    pairs = index.pairs
    waiting = [
        row
        for row in order.tolist()
        if not about.get(int(pairs.left[row]), _NOTHING)
        & about.get(int(pairs.right[row]), _NOTHING)
    ]
    skip = max(0, skip)
    if skip >= len(waiting):
        return None
    row = waiting[skip]
    left, right = index.id(int(pairs.left[row])), index.id(int(pairs.right[row]))
    return OpenPair(left, right, float(pairs.score[row]), len(waiting) - skip - 1)


_NOTHING: frozenset[int] = frozenset()


def _spoken_of(index: ReportIndex, decisions: Decisions) -> dict[int, set[int]]:
    """Document -> the lines of the decisions that name it."""
    known = index.numbers_of(id for d in decisions.standing for id in d.ids)
    lines: dict[int, set[int]] = {}
    for decision in decisions.standing:
        for id in decision.ids:
            if id in known:
                lines.setdefault(known[id], set()).add(decision.line)
    return lines


def _closest(index: ReportIndex) -> NDArray[np.int64]:
    """Rows of the least similar pairs, the lowest first; made once."""
    order: NDArray[np.int64] | None = index.kept_by_name.get("closest")
    if order is None:
        scores = index.pairs.score
        some = (
            np.argpartition(scores, DEPTH)[:DEPTH]
            if len(scores) > DEPTH
            else np.arange(len(scores))
        )
        order = some[np.lexsort((some, scores[some]))]
        index.kept_by_name["closest"] = order
    return order
