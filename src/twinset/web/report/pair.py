"""Two documents side by side, a window at a time."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import ReportError
from twinset.report.pair_rows import place_of, unfolded, window
from twinset.review.pair import ComparedPair, compared, listed
from twinset.review.signals import in_words
from twinset.web.render import language_of
from twinset.web.reports import View, show, view

router = APIRouter(prefix="/report/{name}/pair")
ITEMS = 120
MOST_UNFOLDED = 400


@router.get("")
def page(
    request: Request,
    name: str,
    left: str,
    right: str,
    original: int = 0,
    at: int | None = None,
    t: float | None = None,
    group: int | None = None,
    keep: int = 0,
) -> Response:
    """Two documents; ``at`` begins at a difference.

    ``group`` is that of the list of what can go from which they come: there is decided what happens
    to them, and with ``keep`` the right one may stay in the place of the left one.
    """
    seen = view(request, name, t)
    group = group if seen.holds_files else None
    return pair_page(
        request, seen, left, right, bool(original), at, group=group, keep=int(keep > 0)
    )


def pair_page(
    request: Request,
    seen: View,
    left: str,
    right: str,
    original: bool,
    at: int | None,
    **more: Any,
) -> Response:
    """The page; where a text cannot be read, it shows why instead."""
    numbers = seen.index.number(left), seen.index.number(right)
    pair, gone = _compared(seen, left, right, original)
    start = 0
    if pair is not None and at is not None and pair.side.differences:
        start = place_of(pair.side, max(0, min(at, len(pair.side.differences) - 1)))
    return show(
        request,
        "report_pair.html",
        seen,
        here_is=_menu(**more),
        left=left,
        right=right,
        numbers=numbers,
        original=original,
        at=at,
        score=listed(seen.index, *numbers),
        side=None if pair is None else pair.side,
        window=None if pair is None else window(pair.side, start, ITEMS),
        signals=[] if pair is None else in_words(seen.index, *numbers, language_of(request)),
        gone=gone,
        decided=seen.decisions.on([left, right]),
        clusters=_clusters(seen, *numbers),
        **({"queue": False, "skip": 0, "waiting": 0, "group": None, "keep": 0} | more),
    )


def _menu(queue: bool = False, group: int | None = None, **_: Any) -> str:
    """The page of the menu that this one belongs to."""
    return "decide" if queue else "clusters" if group is None else "clean"


@router.get("/rows")
def rows(
    request: Request,
    name: str,
    left: str,
    right: str,
    original: int = 0,
    start: int = 0,
    t: float | None = None,
) -> Response:
    """More rows."""
    seen = view(request, name, t)
    side = compared(seen.index, left, right, original=bool(original)).side
    part = window(side, start, ITEMS)
    return show(
        request,
        "report_pair_rows.html",
        seen,
        side=side,
        window=part,
        left=left,
        right=right,
        original=bool(original),
    )


@router.get("/fold")
def fold(
    request: Request,
    name: str,
    left: str,
    right: str,
    first: int,
    last: int,
    original: int = 0,
    t: float | None = None,
) -> Response:
    """The first rows of a fold."""
    seen = view(request, name, t)
    side = compared(seen.index, left, right, original=bool(original)).side
    end = min(last, first + MOST_UNFOLDED)
    return show(
        request,
        "report_pair_lines.html",
        seen,
        side=side,
        items=unfolded(side, first, end),
        rest=(end, last) if end < last else None,
        left=left,
        right=right,
        original=bool(original),
    )


def _clusters(seen: View, left: int, right: int) -> list[int]:
    """The numbers of the first clusters that hold both."""
    clusters = seen.regrouped.clusters
    both = set(clusters.rows_with(left)) & set(clusters.rows_with(right))
    return [int(clusters.number[row]) for row in sorted(both)[:5]]


def _compared(seen: View, left: str, right: str, original: bool) -> tuple[ComparedPair | None, str]:
    try:
        return compared(seen.index, left, right, original=original), ""
    except ReportError as fault:
        return None, str(fault)
