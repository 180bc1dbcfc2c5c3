"""The overview: figures, similarities with a threshold to drag, sizes of clusters."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, Response

from twinset.pages.charts import Bars, Histogram
from twinset.pages.language import exact, speaker
from twinset.report.faults import faults_shown
from twinset.report.words import summary
from twinset.review import overview
from twinset.review.browse import Overview
from twinset.web.render import go, language_of
from twinset.web.reports import View, pairs_in_sets, show, view

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
        **faults_shown(seen.index.manifest, language_of(request)),
        **_figures(request, seen),
    )


@router.get("/{name}/first")
def first(request: Request, name: str) -> Response:
    """The page that the report opens with."""
    shelf = request.app.state.shelf
    return go(shelf.door(shelf.folder(name)))


@router.get("/{name}/figures")
def figures(request: Request, name: str, t: float | None = None) -> Response:
    """The part that changes with the threshold."""
    seen = view(request, name, t)
    return show(request, "report_figures.html", seen, **_figures(request, seen))


def _figures(request: Request, seen: View) -> dict[str, object]:
    figures = overview(
        seen.index, seen.regrouped.threshold, seen.regrouped.pairs, seen.regrouped.clusters
    )
    return {
        "figures": figures,
        "in_sets": pairs_in_sets(Path(seen.index.report.folder)),
        "histogram": _histogram(request, figures) if sum(figures.pairs) else None,
        "sizes": _sizes(request, figures),
    }


def _histogram(request: Request, figures: Overview) -> Histogram:
    language = language_of(request)
    t = speaker(language)
    return Histogram(
        edges=figures.edges,
        counts=figures.pairs,
        title=t("report.similarities"),
        x_label=t("report.similarity"),
        y_label=t("report.pairs_axis"),
        marks=[(figures.threshold, exact(language, float(f"{figures.threshold:.3g}")))],
    )


def _sizes(request: Request, figures: Overview) -> Bars | None:
    t = speaker(language_of(request))
    rows = [(f"{low}–{high}" if low < high else str(high), n) for low, high, n in figures.sizes]
    return Bars(rows=rows, title=t("report.sizes")) if rows else None
