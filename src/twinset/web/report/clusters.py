"""The table of clusters: sorted, filtered, searched; some lines at a time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from twinset.errors import TwinsetError
from twinset.pages.shown import shown
from twinset.review import Index, ReportTexts, TextSearch
from twinset.review import Query as Wanted
from twinset.review import page as table_page
from twinset.review.queue import cluster_decisions, open_clusters
from twinset.spec.numerals import decimal, is_count
from twinset.web.report.views import View, show, view

router = APIRouter(prefix="/report")
LINES = 50
PATIENCE = 0.2
"""Seconds of CPU time that one request may search texts for."""
SEARCHES = 3
EXCERPT = 220


@dataclass(frozen=True)
class Asked:
    """What the reader asks the table for; empty strings are fields left empty."""

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

    def wanted(self) -> Wanted:
        """The question to the library."""
        return Wanted(
            sort=self.sort,  # type: ignore[arg-type]
            reverse=self.reverse,
            smallest=int(_number(self.smallest) or 0),
            weakest_to=_number(self.weakest),
            chained=True if self.chained else None,
            id=self.q.strip() if self.where == "id" else "",
        )

    def fields(self) -> dict[str, Any]:
        """What stands in addresses besides the threshold and the offset."""
        names = ("sort", "reverse", "smallest", "weakest", "q", "state", "chained")
        given = {name: getattr(self, name) for name in names}
        given["where"] = self.where if self.q else ""
        return {k: (1 if v is True else v) for k, v in given.items() if v not in ("", False)}


@router.get("/{name}/clusters")
def clusters(request: Request, name: str, asked: Annotated[Asked, Depends()]) -> Response:
    """The whole page, or the lines alone for a request of the page itself."""
    seen = view(request, name, asked.t)
    search = _search(seen.index, asked.q.strip()) if asked.where == "text" else None
    decided = cluster_decisions(seen.index, seen.found.clusters, seen.decisions)
    found = table_page(
        seen.index,
        seen.found.clusters,
        asked.wanted(),
        offset=asked.offset,
        limit=LINES,
        marked=None if search is None else search.found,
        among=_among(seen, asked.state, decided),
    )
    verdicts = {int(seen.found.clusters.number[row]): d.verdict for row, d in decided.items()}
    fragment = request.headers.get("hx-target") == "rows"
    return show(
        request,
        "report_rows.html" if fragment else "report_clusters.html",
        seen,
        here_is="clusters",
        asked=asked,
        table=found,
        lines=LINES,
        verdicts=verdicts,
        search=search,
    )


@router.get("/{name}/heads")
def heads(request: Request, name: str, d: str = "") -> Response:
    """How some documents begin; apart from the table, for they are read from their sources."""
    seen = view(request, name)
    wanted = [int(n) for n in d.split(",")[:LINES] if is_count(n) and int(n) < len(seen.index)]
    documents = ReportTexts.of(seen.index)
    texts = documents.texts(wanted) if documents.quick else {}
    return show(
        request,
        "report_heads.html",
        seen,
        heads={number: excerpt(text) for number, text in texts.items()},
    )


def excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(shown(text[: 2 * EXCERPT]).split())
    return flat if len(flat) <= EXCERPT else flat[: EXCERPT - 1] + "…"


def _among(seen: View, state: str, decided: dict[int, Any]) -> Any:
    if state == "open":
        return open_clusters(seen.found.clusters, decided)
    if state in ("duplicate", "not", "unsure"):
        return open_clusters(seen.found.clusters, decided, state)
    return None


def _search(index: Index, phrase: str) -> TextSearch | None:
    """The search for a phrase, a step further; kept between requests."""
    if not phrase:
        return None
    kept: OrderedDict[str, TextSearch] = index.kept_by_name.setdefault("searches", OrderedDict())
    search = kept.setdefault(phrase, TextSearch(index, phrase))
    while len(kept) > SEARCHES:
        kept.popitem(last=False)
    try:
        search.go_on(PATIENCE)
    except (TwinsetError, OSError):
        kept.pop(phrase, None)
        raise
    return search


def _number(text: str) -> float | None:
    try:
        return decimal(text.replace(",", "."))
    except ValueError:
        return None
