"""Two documents side by side, a window at a time, and decisions on them and on clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response

from twinset.errors import PlanError, ReportError
from twinset.finding.verify.side_by_side import SideBySide
from twinset.result.pair_rows import place_of, unfolded, window
from twinset.review import Query
from twinset.review import page as table_page
from twinset.review.browse import ranked, row_of
from twinset.review.cleaning.files import FolderFiles
from twinset.review.compare import compared, in_words
from twinset.review.decisions import cluster_decisions, open_clusters
from twinset.web.render import go, language_of
from twinset.web.report.picture import preview
from twinset.web.reports import View, show, view

router = APIRouter(prefix="/report/{name}")
ITEMS = 120
"""Rows and folds of two texts on one screen."""
UNFOLDED = 400
"""Rows of a fold that can be opened."""


def beside(side: SideBySide, start: int = 0, at: int | None = None) -> dict[str, Any]:
    """What is shown of two texts: a part from an item on, or from the difference ``at``."""
    if at is not None and side.differences:
        start = place_of(side, max(0, min(at, len(side.differences) - 1)))
    return {
        "side": side,
        "window": window(side, start, ITEMS),
        "opened": lambda fold: unfolded(side, fold.first, min(fold.last, fold.first + UNFOLDED)),
        "unfolded": UNFOLDED,
    }


@dataclass
class AskedPair:
    """What a page of two documents begins with: the difference ``at``, or the item ``start``.

    ``group`` is that of the list of what can go from which they come: there is decided what happens
    to them, and with ``keep`` the right one may stay in the place of the left one.
    """

    original: int = 0
    at: int | None = None
    start: int = 0
    t: float | None = None
    group: int | None = None
    keep: int = 0


PairQuery = Annotated[AskedPair, Depends()]


@router.get("/pair")
def page(request: Request, name: str, left: str, right: str, asked: PairQuery) -> Response:
    """Two documents."""
    seen = view(request, name, asked.t)
    asked.group = asked.group if seen.holds_files else None
    numbers = seen.index.number(left), seen.index.number(right)
    score, texts, gone, identical = seen.index.score(*numbers), {"side": None}, "", []
    try:
        side = compared(seen.index, left, right, original=bool(asked.original))
        texts = beside(side, asked.start, asked.at)
    except ReportError as fault:
        identical = _identical(seen, *numbers)
        gone = "" if identical else str(fault)
    return show(
        request,
        "report_pair.html",
        seen,
        here_is="clusters" if asked.group is None else "clean",
        left=left,
        right=right,
        numbers=numbers,
        original=bool(asked.original),
        at=asked.at,
        score=None if score != score else score,
        signals=in_words(seen.index, *numbers, language_of(request)) if texts["side"] else [],
        gone=gone,
        identical=identical,
        pictures=_pictures(seen, *numbers),
        decided=seen.decisions.on([left, right]),
        clusters=_clusters(seen, *numbers),
        group=asked.group,
        keep=int(asked.keep > 0),
        **texts,
    )


def _whole_files(seen: View, *documents: int) -> FolderFiles | None:
    """The files of the report, where these documents are files of this machine."""
    try:
        files = seen.index.kept("files", lambda: FolderFiles.of(seen.index))
    except ReportError:  # they lie elsewhere
        return None
    return files if files is not None and all(files.whole[d] for d in documents) else None


def _identical(seen: View, *documents: int) -> list[tuple[str, int]]:
    """The places and bytes of two files without text that are the same, byte for byte."""
    files = _whole_files(seen, *documents)
    if files is None or len({int(files.content[document]) for document in documents}) > 1:
        return []
    return [(str(files.path_of(document)), int(files.bytes[document])) for document in documents]


def _pictures(seen: View, *documents: int) -> list[tuple[int, str]]:
    """The documents with whether each can be shown, where one of the two is a picture."""
    files = _whole_files(seen, *documents)
    if files is None:
        return []
    found: list[tuple[int, str]] = [
        (d, preview(files.path_of(d), int(files.bytes[d]), seen.within)) for d in documents
    ]
    return found if any(shown for _, shown in found) else []


def _clusters(seen: View, left: int, right: int) -> list[int]:
    """The numbers of the first clusters that hold both."""
    clusters = seen.regrouped.clusters
    both = set(clusters.rows_with(left)) & set(clusters.rows_with(right))
    return [int(clusters.number[row]) for row in sorted(both)[:5]]


@router.get("/decide")
def queue(request: Request, name: str, t: float | None = None, skip: int = 0) -> Response:
    """The next cluster that nobody has decided on, the closest call first."""
    seen = view(request, name, t)
    clusters = seen.regrouped.clusters
    still = open_clusters(clusters, cluster_decisions(seen.index, clusters, seen.decisions))
    query = Query(sort="weakest")
    table = table_page(seen.index, clusters, query, offset=skip, limit=1, among=still)
    if not table.rows:
        return show(request, "report_done.html", seen, here_is="decide")
    return go(seen.to(f"cluster/{table.rows[0].number}", queue=1, skip=skip))


@router.post("/decide")
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


@router.post("/undo")
def undo(request: Request, name: str, back: Annotated[str, Form()] = "/") -> Response:
    """Undo the last decision."""
    view(request, name).journal.undo()
    return go(back)


def _members(seen: View, number: int) -> list[str]:
    clusters = seen.regrouped.clusters
    row = row_of(seen.index, clusters, number)
    return [seen.index.id(d) for d in ranked(clusters, row, int(clusters.sizes[row]))]
