"""Clusters: the table (sorted, filtered, searched) and the page of one cluster."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from markupsafe import Markup

from twinset.pages.shown import shown
from twinset.plan.spec import decimal, is_count
from twinset.result.lattices import draw_lattice
from twinset.review import Query, ReportTexts, members, row_of
from twinset.review import page as table_page
from twinset.review.browse import ranked
from twinset.review.compare import against_first, lattice, passages
from twinset.review.decisions import cluster_decisions, open_clusters
from twinset.web.render import language_of
from twinset.web.reports import View, show, view

router = APIRouter(prefix="/report/{name}")
LINES = 50
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
            id=self.q.strip(),
        )

    def fields(self) -> dict[str, Any]:
        """The fields in addresses besides the threshold and the offset."""
        names = [each.name for each in fields(self) if each.name not in ("t", "offset")]
        values = {name: getattr(self, name) for name in names}
        return {k: (1 if v is True else v) for k, v in values.items() if v not in ("", False)}


def _number(text: str) -> float | None:
    try:
        return decimal(text.replace(",", "."))
    except ValueError:
        return None


@router.get("/clusters")
def clusters(request: Request, name: str, asked: Annotated[Asked, Depends()]) -> Response:
    """The table."""
    seen = view(request, name, asked.t)
    grouping = seen.regrouped.clusters
    decided = cluster_decisions(seen.index, grouping, seen.decisions)
    verdict = "" if asked.state == "open" else asked.state
    among = open_clusters(grouping, decided, verdict) if asked.state else None
    table = table_page(
        seen.index, grouping, asked.query(), offset=asked.offset, limit=LINES, among=among
    )
    verdicts = {int(grouping.number[row]): d.verdict for row, d in decided.items()}
    return show(
        request,
        "report_clusters.html",
        seen,
        here_is="clusters",
        asked=asked,
        table=table,
        lines=LINES,
        verdicts=verdicts,
    )


@router.get("/heads")
def heads(request: Request, name: str, d: str = "", first: int | None = None) -> Response:
    """How some documents begin, and what is worth saying of them beside the ``first`` of a cluster.

    Not part of the page, since reading their sources takes time.
    """
    seen = view(request, name)
    texts = ReportTexts.of(seen.index)
    known = range(len(seen.index))
    numbers = [int(n) for n in d.split(",")[:LINES] if is_count(n) and int(n) in known]
    excerpts: dict[int, str] = {}
    said: dict[int, list[str]] = {}
    if texts.quick:
        excerpts = {number: _excerpt(text) for number, text in texts.texts(numbers).items()}
        if first is not None and first in known:
            documents = list(dict.fromkeys([first, *numbers]))
            said = against_first(seen.index, documents, language_of(request))
    return show(request, "report_heads.html", seen, heads=excerpts, said=said)


@router.get("/cluster/{number}")
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
    seen, row = _cluster(request, name, number, t)
    clusters, offset = seen.regrouped.clusters, max(0, offset)
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
        members=list(zip(ranked(clusters, row, LINES, offset), shown_members, strict=True)),
        first=(first := int(ranked(clusters, row, 1)[0])),
        first_id=seen.index.id(first),
        decided=cluster_decisions(seen.index, clusters, seen.decisions).get(row),
        offset=offset,
        lines=LINES,
        queue=queue,
        skip=skip,
    )


@router.get("/cluster/{number}/parts")
def slow_parts(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """The closed sets around this one, and what the first members share."""
    seen, row = _cluster(request, name, number, t)
    clusters = seen.regrouped.clusters
    sets = lattice(seen.index, clusters, row)
    names = {d: shown(seen.index.id(d)) for d in sets.documents()} if sets is not None else {}
    drawn: dict[str, Any] = {"language": language_of(request), "caption": False}
    quick = ReportTexts.of(seen.index).quick
    text, shared = passages(seen.index, clusters, row) if quick else ("", [])
    pieces = [(passage, text[passage.start : passage.end]) for passage in shared]
    return show(
        request,
        "report_parts.html",
        seen,
        lattice=sets,
        picture=Markup(draw_lattice(sets, names, **drawn)) if sets is not None else "",
        passages=[(p, len(piece.split()), shown(piece[:LONGEST])) for p, piece in pieces],
        longest=LONGEST,
        reachable=bool(text),
    )


def _cluster(request: Request, name: str, number: int, t: float | None) -> tuple[View, int]:
    seen = view(request, name, t)
    return seen, row_of(seen.index, seen.regrouped.clusters, number)


def _known(value: float) -> float | None:
    return None if value != value else value


def _excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(shown(text[: 2 * EXCERPT]).split())
    return flat if len(flat) <= EXCERPT else flat[: EXCERPT - 1] + "…"
