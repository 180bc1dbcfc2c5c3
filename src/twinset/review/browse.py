"""What a page or a terminal shows of a report: the overview, the table of clusters, one cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import PlanError, ReportError, did_you_mean
from twinset.model import Floats
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.model.flow import KINDS, Kind
from twinset.pages.shown import brief
from twinset.result.texts import meant
from twinset.review.index import Grouping, ReportIndex
from twinset.review.threshold import lowest

Sort = Literal["size", "weakest", "number", "shared"]
Marked = NDArray[np.bool_]
BINS = 60
MOST_ROWS = 1000


@dataclass(frozen=True)
class Overview:
    """The figures of a report at a threshold."""

    threshold: float
    counts: dict[str, int]
    edges: tuple[float, ...]
    pairs: tuple[int, ...]
    sizes: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Query:
    """Which clusters, in which order: by size (largest first), weakest similarity, number, shared.

    ``shared`` is by the common shingles of closed sets, the most first.
    """

    sort: Sort = "size"
    reverse: bool = False
    smallest: int = 0
    weakest_to: float | None = None
    chained: bool | None = None
    id: str = ""

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        if self.sort in get_args(Sort):
            return []
        remedy = did_you_mean(self.sort, get_args(Sort))
        fault = f"clusters are sorted by {', '.join(get_args(Sort))}, not by '{self.sort}'"
        return [f"{fault}; {remedy}".rstrip("; ")]


@dataclass(frozen=True)
class ClusterRow:
    """A line of the table: a cluster with its first members, the anchor first.

    ``lead`` is the number of the first one.
    """

    number: int
    size: int
    weakest: float | None
    chained: bool
    shared: int | None
    kind: Kind | None
    first: tuple[str, ...]
    lead: int


@dataclass(frozen=True)
class Page:
    """Some lines of the table, and how many clusters there are to the query."""

    total: int
    offset: int
    rows: tuple[ClusterRow, ...]


@dataclass(frozen=True)
class MemberRow:
    """A member of a cluster; ``role`` is anchor, kept, removed or member.

    ``score`` is the one with the anchor. Where a document that stays apart from the anchor stays in
    the place of a removed one, it is ``kept_as``, with ``kept_score``.
    """

    id: str
    role: str
    score: float | None
    units: int
    source: str
    same_as: str | None
    kept_as: str | None = None
    kept_score: float | None = None


def overview(index: ReportIndex, threshold: float, pairs: int, clusters: Grouping) -> Overview:
    """Counts, the histogram of similarities from the run's threshold on, and sizes of clusters."""
    from twinset.result.select import spans

    low = lowest(index)
    top = index.highest
    low = low if low < top else 0.0
    edges = np.linspace(low, top, BINS + 1)
    places = np.searchsorted(index.sorted_scores, edges, "left")
    places[-1] = len(index.sorted_scores)
    counts = {
        "documents": int(index.manifest["counts"]["documents"]),
        "pairs": pairs,
        "clusters": len(clusters),
        "clustered_documents": clusters.documents,
        "largest": int(clusters.sizes.max(initial=0)),
    }
    histogram = tuple(np.diff(places).tolist())
    return Overview(
        threshold, counts, tuple(edges.tolist()), histogram, tuple(spans(clusters.sizes))
    )


def page(
    index: ReportIndex,
    clusters: Grouping,
    query: Query,
    *,
    offset: int = 0,
    limit: int = 50,
    among: Marked | None = None,
) -> Page:
    """Lines of the table; ``among`` has a flag for each cluster and leaves out the others."""
    if faults := query.faults():
        raise PlanError(faults)
    chosen = clusters.sizes >= query.smallest
    if query.weakest_to is not None:
        chosen &= _at_most(clusters) <= query.weakest_to
    if query.chained is not None:
        chosen &= clusters.chained == query.chained
    if query.id:
        chosen &= clusters.rows_with_any(with_id(index, query.id))
    if among is not None:
        chosen &= among
    rows = np.flatnonzero(chosen)
    ordered = rows[_order(clusters, rows, query)]
    shown = ordered[max(0, offset) : max(0, offset) + min(max(0, limit), MOST_ROWS)]
    lines = tuple(_line(index, clusters, int(row)) for row in shown)
    return Page(len(rows), offset, lines)


def with_id(index: ReportIndex, part: str) -> Marked:
    """The documents whose id contains this, in capitals or not."""
    contains = pc.match_substring(index.lower_ids, part.lower())
    return numbers(contains.cast(pa.uint8())).astype(bool)


def ensure_id(index: ReportIndex, part: str) -> None:
    """Raise where no document has an id that contains this, with the closest id."""
    if with_id(index, part).any():
        return
    raise ReportError(
        f"no document in {index.report.place} has an id that contains '{brief(part)}'; "
        f"{meant(index.ids, part)}ids are as in documents.parquet"
    )


def _order(clusters: Grouping, rows: NDArray[np.int64], query: Query) -> NDArray[np.int64]:
    number = clusters.number[rows]
    if query.sort == "number":
        order = np.argsort(number, kind="stable")
    elif query.sort == "size":
        order = np.lexsort((number, -clusters.sizes[rows]))
    elif query.sort == "shared":
        if clusters.shared is None:
            said = "the clusters share no counted units; take another order, or --clusters closed"
            raise PlanError([said])
        order = np.lexsort((number, -clusters.shared[rows]))
    else:  # the weakest first; what is not known last
        order = np.lexsort((number, _at_most(clusters)[rows]))
    return order[::-1] if query.reverse else order


def _at_most(clusters: Grouping) -> Floats:
    """The weakest similarities; below all others where one is unknown but below the threshold."""
    unknown = np.isnan(clusters.weakest) & clusters.chained
    return np.where(unknown, -np.inf, clusters.weakest)


def _line(index: ReportIndex, clusters: Grouping, row: int) -> ClusterRow:
    weakest = float(clusters.weakest[row])
    documents = ranked(clusters, row, 3)
    return ClusterRow(
        int(clusters.number[row]),
        int(clusters.sizes[row]),
        None if np.isnan(weakest) else weakest,
        bool(clusters.chained[row]),
        None if clusters.shared is None else int(clusters.shared[row]),
        kind_of(clusters, row),
        tuple(index.id(document) for document in documents),
        documents[0],
    )


def kind_of(clusters: Grouping, row: int) -> Kind | None:
    """What the documents of a cluster are to its anchor at the least; None if not known."""
    code = -1 if clusters.kind is None else int(clusters.kind[row])
    return None if code < 0 else KINDS[code]


def ranked(clusters: Grouping, row: int, limit: int, offset: int = 0) -> list[int]:
    """Some members of a cluster, the anchor before the rest."""
    where = clusters.members(row)
    documents, anchors = clusters.document[where], clusters.anchor[where]
    leads = documents == anchors
    if not leads.any():
        return [int(d) for d in documents[offset : offset + limit]]
    order = np.concatenate([np.flatnonzero(leads), np.flatnonzero(~leads)])
    return [int(d) for d in documents[order[offset : offset + limit]]]


def row_of(index: ReportIndex, clusters: Grouping, number: int) -> int:
    """Where a cluster stands; raises where there is none of this number."""
    row = clusters.row_of(number)
    if row is None:
        raise ReportError(
            f"there is no cluster {number} in {index.report.place}; "
            f"'twinset show {index.report.place}' lists the largest"
        )
    return row


def members(
    index: ReportIndex, clusters: Grouping, row: int, offset: int = 0, limit: int = 50
) -> list[MemberRow]:
    """Members of a cluster, the anchor before the rest."""
    where = clusters.members(row)
    columns = (clusters.document, clusters.anchor, clusters.score)
    rows = zip(*(column[where].tolist() for column in columns), strict=True)
    held = {document: (anchor, score) for document, anchor, score in rows}
    chosen = ranked(clusters, row, limit, offset)
    return [_member(index, document, *held[document]) for document in chosen]


def _member(index: ReportIndex, document: int, anchor: int, score: float) -> MemberRow:
    role = "anchor" if anchor == document else "member"
    if index.removed is not None:
        role = "removed" if index.removed[document] else "kept"
    codes, sources = index.source
    leader = int(index.leader[document])
    kept = index.kept_as(document)
    if kept is not None and anchor >= 0 and kept[0] == index.id(anchor):
        kept = None
    return MemberRow(
        index.id(document),
        role,
        None if np.isnan(score) or anchor == document else score,
        int(index.units[document]),
        sources[codes[document]],
        None if leader == document else index.id(leader),
        *(kept or (None, None)),
    )
