"""The tab of passages in a report of spans, units or reuse: a list, one in its context, shares."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.finding.verify.side_by_side import side_by_side
from twinset.result.pair_rows import Line, line
from twinset.run.passages.opened import InContext, PassagesReport, open_passages
from twinset.run.passages.report import spans_said, units_said
from twinset.run.passages.reuse import reuse_said
from twinset.web.render import language_of, render

router = APIRouter(prefix="/report/{name}/passages")
ROWS, DOCUMENTS = 50, 30
LONG = 20_000
"""Characters of a passage that are shown, and compared word by word."""


@router.get("")
def page(request: Request, name: str, start: int = 0, at: int | None = None) -> Response:
    """Passages from a rank on; ``at`` is one to look at."""
    state = request.app.state
    report = open_passages(state.shelf.folder(name), state.settings.bounds)
    start = max(0, min(start, len(report.ranked) - 1))
    places = [] if at is None else [_bounded(place) for place in report.context(at)]
    return render(
        request,
        "passages.html",
        wide=True,
        name=name,
        report=report,
        start=start,
        at=at,
        after=start + ROWS if start + ROWS < len(report.ranked) else None,
        rows=report.rows(start, ROWS),
        shares=report.shares(DOCUMENTS),
        places=places,
        is_cut=any(place.end - place.start > LONG for place in places),
        lines=_beside(places),
        **_said(report, language_of(request)),
    )


def _bounded(place: InContext) -> InContext:
    """A place with the beginning of a long text, and nothing of what stands behind it."""
    if place.text is None or len(place.text) <= LONG:
        return place
    return place._replace(text=place.text[:LONG], after="…")


def _said(report: PassagesReport, language: str) -> dict[str, Any]:
    """What was found, in sentences."""
    said = {"reuse": reuse_said, "units": units_said, "spans": spans_said}[report.kind]
    headline, *sentences = said(report.manifest, language)
    return {"headline": headline, "sentences": sentences}


def _beside(places: list[InContext]) -> list[Line]:
    """Both sides of a reused passage in rows; none where a text is gone, or of a span."""
    texts = [place.text for place in places if place.side and place.text is not None]
    if len(texts) != 2:
        return []
    side = side_by_side(*texts)
    return [line(side, row) for row in range(len(side.rows))]
