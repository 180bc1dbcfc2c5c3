"""What a page or a terminal has room for: the largest clusters and the closest calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from twinset.model import compute as pc
from twinset.model.columns import FEW, equal, numbers, same, taken, valid

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Member:
    """A document in a cluster and its similarity to the anchor, where there is one."""

    id: str
    role: str
    anchor: str | None
    score: float | None

    @property
    def is_anchor(self) -> bool:
        """Whether the others are held against this document; one without an anchor, if it stays."""
        return self.role == "kept" if self.anchor is None else self.anchor == self.id

    @property
    def shown_role(self) -> str:
        """Kept, removed or anchor; empty for a member like any other."""
        if self.role != "member":
            return self.role
        return "anchor" if self.is_anchor else ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster with its first members, the anchor before the rest.

    ``weakest`` is the least similarity to the anchor or, where there is none, inside; ``kind``
    is known where the run has decided on kinds, ``shared`` of closed sets.
    """

    number: int
    size: int
    weakest: float | None
    members: tuple[Member, ...]
    kind: str | None = None
    shared: int | None = None


_NOBODY = np.empty(0, np.int64)


class ClosestCall(NamedTuple):
    """A pair that is near the threshold."""

    left: str
    right: str
    score: float
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class PageChoice:
    """What a page shows of the tables, for results whose tables are too large to be looked through.

    ``sizes`` is as `sizes` returns it.
    """

    clusters: list[Cluster]
    calls: list[ClosestCall]
    sizes: list[tuple[int, int, int]]


def largest_clusters(clusters: pa.Table, count: int, members: int) -> list[Cluster]:
    """The largest clusters, the first of equal ones before the later."""
    numbers, totals = _totals(clusters)
    order = np.lexsort((numbers, -totals))[:count]
    return [one_cluster(clusters, int(numbers[row]), members) for row in order]


def one_cluster(clusters: pa.Table, number: int, members: int | None = None) -> Cluster:
    """A cluster by its number, with all its members or the first of them; ``size`` 0 if unknown."""
    rows = taken(clusters, np.flatnonzero(numbers(clusters["cluster"]) == number))
    weakest = _least(rows, "score")
    if weakest is None:
        weakest = _least(rows, "weakest")
    # The anchor first, and then what stays apart from it.
    is_anchor, stays = same(rows["id"], rows["anchor"]), equal(rows["role"], "kept")
    order = np.lexsort((~stays, ~is_anchor))[:members]
    shown = taken(rows.select(["id", "role", "anchor", "score"]), order).to_pylist()
    kind, shared = (
        rows[name][0].as_py() if len(rows) and name in rows.column_names else None
        for name in ("kind", "shared")
    )
    members_shown = tuple(Member(**row) for row in shown)
    return Cluster(number, len(rows), weakest, members_shown, kind, shared)


def _least(rows: pa.Table, name: str) -> float | None:
    """The least of the values that are there, if any is."""
    if name not in rows.column_names:
        return None
    there = numbers(rows[name])[valid(rows[name])]
    return float(there.min()) if len(there) else None


def sizes(clusters: pa.Table) -> list[tuple[int, int, int]]:
    """How many clusters have 2, 3 to 4, 5 to 8, ... documents: (least, most, clusters)."""
    _, totals = _totals(clusters)
    return spans(totals)


def spans(totals: np.ndarray) -> list[tuple[int, int, int]]:
    """How many of these sizes are 2, 3 to 4, 5 to 8, ...: (least, most, count)."""
    if not len(totals):
        return []
    doubling = np.ceil(np.log2(np.maximum(totals, 2))).astype(int)
    counts = np.bincount(doubling, minlength=2)[1:]
    return [(2 ** (power - 1) + 1, 2**power, int(n)) for power, n in enumerate(counts, 1)]


def closest_calls(pairs: pa.Table, count: int) -> list[ClosestCall]:
    """The least similar pairs, lowest first."""
    if not len(pairs):
        return []
    names = [name for name in ClosestCall._fields if name in pairs.column_names]
    calls = [ClosestCall(**row) for row in _lowest(pairs.select(names), count).to_pylist()]
    return sorted(calls, key=lambda call: (call.score, call.left, call.right))[:count]


def _lowest(pairs: pa.Table, count: int) -> pa.Table:
    """The pairs of the lowest scores, so many or a few more of equal ones."""
    scores = numbers(pairs["score"])
    known = scores[~np.isnan(scores)]
    last = min(count, len(known)) - 1
    low = np.flatnonzero(scores <= np.partition(known, last)[last]) if last >= 0 else _NOBODY
    if len(low) <= FEW:
        return taken(pairs, low)
    keys = [(name, "ascending") for name in ("score", "left", "right")]
    options = pc.SelectKOptions(k=count, sort_keys=keys)
    return pairs.take(pc.select_k_unstable(pairs, options=options))


def _totals(clusters: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the clusters that have members, and how many these are."""
    totals = np.bincount(numbers(clusters["cluster"]))
    there = np.flatnonzero(totals)
    return there, totals[there]


LONG = 140
"""Characters of a text that are shown."""


def cluster_values(cluster: Cluster, heads: Mapping[str, str]) -> dict[str, Any]:
    """What the templates show of a cluster; ``heads`` are the beginnings of its documents."""
    return {
        "number": cluster.number,
        "size": cluster.size,
        "weakest": cluster.weakest,
        "kind": cluster.kind,
        "common": cluster.shared,
        "shared": "",
        "shared_text": "",
        "members": [
            {
                "id": member.id,
                "role": member.shown_role,
                "score": None if member.is_anchor else member.score,
                "head": beginning(member.id, heads),
            }
            for member in cluster.members
        ],
        "rest": cluster.size - len(cluster.members),
    }


def beginning(id: str, heads: Mapping[str, str]) -> str:
    """The beginning of a text on one line."""
    text = " ".join(heads.get(id, "").split())
    if len(text) > LONG:  # cut by bytes, perhaps within a word
        text = f"{text[:LONG].rpartition(' ')[0] or text[:LONG]} …"
    return text
