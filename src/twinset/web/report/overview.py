"""The overview: figures, similarities with a threshold to drag, sizes of clusters."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, Response

from twinset.pages.charts import Bars, Histogram
from twinset.pages.language import exact, speaker
from twinset.report.words import summary
from twinset.review import overview
from twinset.review.browse import Overview
from twinset.web.render import language_of
from twinset.web.report.views import View, show, view
from twinset.web.reports import pairs_in_sets

router = APIRouter(prefix="/report")


@router.get("/{name}")
def page(request: Request, name: str, t: float | None = None) -> Response:
    """The overview of a report."""
    seen = view(request, name, t)
    return show(
        request,
        "report_overview.html",
        seen,
        here_is="overview",
        sentences=summary(seen.index.manifest, language_of(request)),
        **_figures(request, seen),
    )


@router.get("/{name}/figures")
def figures(request: Request, name: str, t: float | None = None) -> Response:
    """The part that changes with the threshold."""
    seen = view(request, name, t)
    return show(request, "report_figures.html", seen, **_figures(request, seen))


def _figures(request: Request, seen: View) -> dict[str, object]:
    found = overview(seen.index, seen.found.threshold, seen.found.pairs, seen.found.clusters)
    return {
        "figures": found,
        "in_sets": pairs_in_sets(Path(seen.index.report.folder)),
        "histogram": _histogram(request, found) if sum(found.pairs) else None,
        "sizes": _sizes(request, found),
    }


def _histogram(request: Request, found: Overview) -> Histogram:
    language = language_of(request)
    t = speaker(language)
    return Histogram(
        edges=found.edges,
        counts=found.pairs,
        title=t("report.similarities"),
        x_label=t("report.similarity"),
        y_label=t("report.pairs_axis"),
        marks=[(found.threshold, exact(language, float(f"{found.threshold:.3g}")))],
    )


def _sizes(request: Request, found: Overview) -> Bars | None:
    t = speaker(language_of(request))
    rows = [(f"{low}–{high}" if low < high else str(high), n) for low, high, n in found.sizes]
    return Bars(rows=rows, title=t("report.sizes")) if rows else None
