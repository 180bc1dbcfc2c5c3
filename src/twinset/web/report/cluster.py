"""One cluster: members, similarities, shared passages, the lattice it lies in."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from twinset.pages.shown import shown
from twinset.review import ReportTexts, members, row_of
from twinset.review.browse import ranked
from twinset.review.cluster import lattice, passages, similarities
from twinset.review.queue import cluster_decisions
from twinset.web.report.clusters import excerpt
from twinset.web.report.views import View, show, view

router = APIRouter(prefix="/report/{name}/cluster/{number}")
LINES = 50
LONGEST = 600
"""Characters of a passage that are shown."""


@router.get("")
def page(
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
    clusters, offset = seen.found.clusters, max(0, offset)
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
        members=list(zip(ranked(clusters, row, LINES, offset), shown_members, strict=True)),
        first=seen.index.id(ranked(clusters, row, 1)[0]),
        decided=decided,
        offset=offset,
        lines=LINES,
        queue=queue,
        skip=skip,
    )


@router.get("/similarities")
def square(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """The similarities of the first members."""
    seen, row = _cluster(request, name, number, t)
    found = similarities(seen.index, seen.found.clusters, row)
    ids = [seen.index.id(document) for document in found.documents]
    scores = [[_known(score) for score in line] for line in found.scores.tolist()]
    return show(
        request,
        "report_similarities.html",
        seen,
        ids=ids,
        scores=scores,
        complete=found.complete,
        size_of_cluster=int(seen.found.clusters.sizes[row]),
    )


@router.get("/passages")
def shared_passages(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """What the first member shares with others."""
    seen, row = _cluster(request, name, number, t)
    if not ReportTexts.of(seen.index).quick:
        return show(request, "report_passages.html", seen, passages=[], reachable=False)
    text, found = passages(seen.index, seen.found.clusters, row)
    told = [
        (
            p,
            len(text[p.start : p.end].split()),
            shown(text[p.start : min(p.end, p.start + LONGEST)]),
        )
        for p in found
    ]
    return show(request, "report_passages.html", seen, passages=told, reachable=bool(text))


@router.get("/lattice")
def closed_sets(request: Request, name: str, number: int, t: float | None = None) -> Response:
    """The closed sets around this one."""
    seen, row = _cluster(request, name, number, t)
    sets = lattice(seen.index, seen.found.clusters, row)
    return show(request, "report_lattice.html", seen, lattice=sets, names=_Names(seen))


@router.get("/heads")
def heads(
    request: Request, name: str, number: int, t: float | None = None, offset: int = 0
) -> Response:
    """How the members begin."""
    seen, row = _cluster(request, name, number, t)
    documents = ReportTexts.of(seen.index)
    wanted = ranked(seen.found.clusters, row, LINES, offset)
    texts = documents.texts(wanted) if documents.quick else {}
    told = {document: excerpt(text) for document, text in texts.items()}
    return show(request, "report_heads.html", seen, heads=told)


class _Names:
    """Ids by number, shown."""

    def __init__(self, seen: View) -> None:
        self._seen = seen

    def __getitem__(self, document: int) -> str:
        return shown(self._seen.index.id(document))


def _cluster(request: Request, name: str, number: int, t: float | None) -> tuple[View, int]:
    seen = view(request, name, t)
    return seen, row_of(seen.index, seen.found.clusters, number)


def _known(value: float) -> float | None:
    return None if value != value else value
