"""Decisions: the next undecided pair or cluster, saving a decision, undoing it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.review import Query, page, row_of
from twinset.review.browse import ranked
from twinset.review.queue import cluster_decisions, next_pair, open_clusters
from twinset.web.render import go
from twinset.web.report.pair import pair_page
from twinset.web.reports import View, show, view

router = APIRouter(prefix="/report")


@router.get("/{name}/decide")
def queue(
    request: Request,
    name: str,
    by: str = "pairs",
    skip: int = 0,
    original: int = 0,
    at: int | None = None,
    t: float | None = None,
) -> Response:
    """The next pair or cluster that nobody has decided on."""
    seen = view(request, name, t)
    if by == "clusters":
        return _next_cluster(request, seen, skip)
    pair = next_pair(seen.index, seen.decisions, skip)
    if pair is None:
        return show(request, "report_done.html", seen, here_is="decide", by=by)
    return pair_page(
        request,
        seen,
        pair.left,
        pair.right,
        bool(original),
        at,
        queue=True,
        skip=skip,
        waiting=pair.waiting,
    )


def _next_cluster(request: Request, seen: View, skip: int) -> Response:
    clusters = seen.regrouped.clusters
    decided = cluster_decisions(seen.index, clusters, seen.decisions)
    still = open_clusters(clusters, decided)
    table = page(seen.index, clusters, Query(), offset=skip, limit=1, among=still)
    if not table.rows:
        return show(request, "report_done.html", seen, here_is="decide", by="clusters")
    return go(seen.to(f"cluster/{table.rows[0].number}", queue=1, skip=skip))


@router.post("/{name}/decide")
def decide(
    request: Request,
    name: str,
    verdict: Annotated[str, Form()],
    left: Annotated[str, Form()] = "",
    right: Annotated[str, Form()] = "",
    cluster: Annotated[int | None, Form()] = None,
    keep: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/",
    t: Annotated[float | None, Form()] = None,
) -> Response:
    """Save a decision and go on."""
    seen = view(request, name, t)
    ids = _members(seen, cluster) if cluster is not None else [left, right]
    known = seen.index.numbers_of(ids)
    if len(known) < len(set(ids)):
        raise PlanError(
            [f"there is no document '{i}' in this report" for i in ids if i not in known]
        )
    original = keep if keep and verdict == "duplicate" else None
    seen.journal.add(ids, verdict, original)  # type: ignore[arg-type]
    return go(back)


@router.post("/{name}/undo")
def undo(request: Request, name: str, back: Annotated[str, Form()] = "/") -> Response:
    """Undo the last decision."""
    view(request, name).journal.undo()
    return go(back)


def _members(seen: View, number: int) -> list[str]:
    clusters = seen.regrouped.clusters
    row = row_of(seen.index, clusters, number)
    return [seen.index.id(d) for d in ranked(clusters, row, int(clusters.sizes[row]))]
