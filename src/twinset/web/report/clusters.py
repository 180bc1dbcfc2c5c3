"""Clusters: the table (sorted, filtered, searched) and the page of one cluster."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from twinset.errors import TwinsetError
from twinset.pages.shown import shown
from twinset.review import Query, ReportIndex, ReportTexts, TextSearch, members, row_of
from twinset.review import page as table_page
from twinset.review.browse import ranked
from twinset.review.cluster import lattice, passages, similarities
from twinset.review.queue import cluster_decisions, open_clusters
from twinset.review.signals import against_first
from twinset.spec.numerals import decimal, is_count
from twinset.web.render import language_of
from twinset.web.reports import View, show, view

router = APIRouter(prefix="/report")
LINES = 50
PATIENCE = 0.2  # seconds of CPU time that one request may search texts for
SEARCHES = 3  # for which the texts read so far are remembered
EXCERPT = 220
LONGEST = 600  # characters of a passage that are shown


@dataclass(frozen=True)
class Asked:
    """The reader's request to the table; empty strings are fields left empty."""

    t: float | None = None
    sort: str = "size"
    reverse: bool = False
    smallest: str = ""
    weakest: str = ""
    q: str = ""
    where: str = "id"
    state: str = ""
    chained: bool = False
    offset: int = 0

    def query(self) -> Query:
        """The request as a query of the library."""
        return Query(
            sort=self.sort,  # type: ignore[arg-type]
            reverse=self.reverse,
            smallest=int(_number(self.smallest) or 0),
            weakest_to=_number(self.weakest),
            chained=True if self.chained else None,
            id=self.q.strip() if self.where == "id" else "",
        )

    def fields(self) -> dict[str, Any]:
        """The fields in addresses besides the threshold and the offset."""
        names = ("sort", "reverse", "smallest", "weakest", "q", "state", "chained")
        values = {name: getattr(self, name) for name in names}
        values["where"] = self.where if self.q else ""
        return {k: (1 if v is True else v) for k, v in values.items() if v not in ("", False)}


@router.get("/{name}/clusters")
def clusters(request: Request, name: str, asked: Annotated[Asked, Depends()]) -> Response:
    """The whole page, or the lines alone for a request of the page itself."""
    seen = view(request, name, asked.t)
    search = _search(seen.index, asked.q.strip()) if asked.where == "text" else None
    decided = cluster_decisions(seen.index, seen.regrouped.clusters, seen.decisions)
    table = table_page(
        seen.index,
        seen.regrouped.clusters,
        asked.query(),
        offset=asked.offset,
        limit=LINES,
        marked=None if search is None else search.matches,
        among=_among(seen, asked.state, decided),
    )
    verdicts = {int(seen.regrouped.clusters.number[row]): d.verdict for row, d in decided.items()}
    fragment = request.headers.get("hx-target") == "rows"
    return show(
        request,
        "report_rows.html" if fragment else "report_clusters.html",
        seen,
        here_is="clusters",
        asked=asked,
        table=table,
        lines=LINES,
        verdicts=verdicts,
        search=search,
    )


@router.get("/{name}/heads")
def heads(request: Request, name: str, d: str = "") -> Response:
    """How some documents begin; not part of the table, since reading their sources takes time."""
    seen = view(request, name)
    numbers = [int(n) for n in d.split(",")[:LINES] if is_count(n) and int(n) < len(seen.index)]
    return _show_heads(request, seen, numbers)


@router.get("/{name}/cluster/{number}")
def cluster_page(
    request: Request,
    name: str,
    number: int,
    t: float | None = None,
    offset: int = 0,
    queue: int = 0,
    skip: int = 0,
) -> Response:
    """The page of a cluster; the slow parts come after it."""
    seen = view(request, name, t)
    clusters, offset = seen.regrouped.clusters, max(0, offset)
    row = row_of(seen.index, clusters, number)
    decided = cluster_decisions(seen.index, clusters, seen.decisions).get(row)
    shown_members = members(seen.index, clusters, row, offset, LINES)
    return show(
        request,
        "report_cluster.html",
        seen,
        here_is="clusters",
        number_of_cluster=number,
        size_of_cluster=int(clusters.sizes[row]),
        weakest=_known(float(clusters.weakest[row])),
        chained=bool(clusters.chained[row]),
        shared=None if clusters.shared is None else int(clusters.shared[row]),
        quality=None if clusters.quality is None else float(clusters.quality[row]),
        members=list(zip(ranked(clusters, row, LINES, offset), shown_members, strict=True)),
        first=seen.index.id(ranked(clusters, row, 1)[0]),
        decided=decided,
        offset=offset,
        lines=LINES,
        queue=queue,
        skip=skip,
    )


@router.get("/{name}/cluster/{number}/similarities")
def similarities_of_members(
    request: Request, name: str, number: int, t: float | None = None
) -> Response:
    """The similarities of the first members."""
    seen, row = _cluster(request, name, number, t)
    square = similarities(seen.index, seen.regrouped.clusters, row)
    ids = [seen.index.id(document) for document in square.documents]
    scores = [[_known(score) for score in line] for line in square.scores.tolist()]
    return show(
        request,
        "report_similarities.html",
        seen,
        ids=ids,
        scores=scores,
        complete=square.complete,
        size_of_cluster=int(seen.regrouped.clusters.sizes[row]),
    )


@router.get("/{name}/cluster/{number}/passages")
def shared_passages(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """What the first member shares with others."""
    seen, row = _cluster(request, name, number, t)
    if not ReportTexts.of(seen.index).quick:
        return show(request, "report_passages.html", seen, passages=[], reachable=False)
    text, shared = passages(seen.index, seen.regrouped.clusters, row)
    lines = [
        (
            p,
            len(text[p.start : p.end].split()),
            shown(text[p.start : min(p.end, p.start + LONGEST)]),
        )
        for p in shared
    ]
    return show(request, "report_passages.html", seen, passages=lines, reachable=bool(text))


@router.get("/{name}/cluster/{number}/lattice")
def closed_sets(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """The lattice of closed sets around this one."""
    seen, row = _cluster(request, name, number, t)
    sets = lattice(seen.index, seen.regrouped.clusters, row)
    return show(request, "report_lattice.html", seen, lattice=sets, names=_Names(seen))


@router.get("/{name}/cluster/{number}/heads")
def heads_of_members(
    request: Request, name: str, number: int, t: float | None = None, offset: int = 0
) -> Response:
    """How the members begin."""
    seen, row = _cluster(request, name, number, t)
    return _show_heads(request, seen, ranked(seen.regrouped.clusters, row, LINES, offset))


@router.get("/{name}/cluster/{number}/signals")
def signals_of_members(
    request: Request, name: str, number: int, t: float | None = None, offset: int = 0
) -> Response:
    """What is worth saying of the first member and each of those shown."""
    seen, row = _cluster(request, name, number, t)
    first, shown_members = (
        ranked(seen.regrouped.clusters, row, count, place)
        for count, place in ((1, 0), (LINES, offset))
    )
    others = [document for document in shown_members if document != first[0]]
    quick = ReportTexts.of(seen.index).quick
    said = against_first(seen.index, [*first, *others], language_of(request)) if quick else {}
    return show(request, "report_signals.html", seen, said=said)


class _Names:
    """Ids by number, shown."""

    def __init__(self, seen: View) -> None:
        self._seen = seen

    def __getitem__(self, document: int) -> str:
        return shown(self._seen.index.id(document))


def _cluster(request: Request, name: str, number: int, t: float | None) -> tuple[View, int]:
    seen = view(request, name, t)
    return seen, row_of(seen.index, seen.regrouped.clusters, number)


def _known(value: float) -> float | None:
    return None if value != value else value


def _show_heads(request: Request, seen: View, documents: Sequence[int]) -> Response:
    texts = ReportTexts.of(seen.index)
    known = texts.texts(documents) if texts.quick else {}
    heads = {document: _excerpt(text) for document, text in known.items()}
    return show(request, "report_heads.html", seen, heads=heads)


def _excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(shown(text[: 2 * EXCERPT]).split())
    return flat if len(flat) <= EXCERPT else flat[: EXCERPT - 1] + "…"


def _among(seen: View, state: str, decided: dict[int, Any]) -> Any:
    if state == "open":
        return open_clusters(seen.regrouped.clusters, decided)
    if state in ("duplicate", "not", "unsure"):
        return open_clusters(seen.regrouped.clusters, decided, state)
    return None


def _search(index: ReportIndex, phrase: str) -> TextSearch | None:
    """The search for a phrase, one step further; remembered between requests."""
    if not phrase:
        return None
    searches: OrderedDict[str, TextSearch] = index.kept_by_name.setdefault(
        "searches", OrderedDict()
    )
    search = searches.setdefault(phrase, TextSearch(index, phrase))
    while len(searches) > SEARCHES:
        searches.popitem(last=False)
    try:
        search.go_on(PATIENCE)
    except (TwinsetError, OSError):
        searches.pop(phrase, None)
        raise
    return search


def _number(text: str) -> float | None:
    try:
        return decimal(text.replace(",", "."))
    except ValueError:
        return None
