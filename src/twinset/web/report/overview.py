"""The overview with its figures and a threshold to drag; what a report can be taken along as."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import FileResponse

from twinset.errors import PlanError
from twinset.pages.charts import Bars, Histogram
from twinset.pages.language import exact, speaker
from twinset.plan import Plan
from twinset.result.words import can_be_asked, faults_shown, is_doubtful, summary
from twinset.review import apply, as_csv, as_json, overview
from twinset.review.browse import Overview
from twinset.web.jobs import jobs_of
from twinset.web.progress import SEALED
from twinset.web.render import GoneError, go, language_of, render
from twinset.web.reports import View, pairs_in_sets, show, view
from twinset.web.searches import options_in
from twinset.web.settings import inside, is_there

router = APIRouter(prefix="/report/{name}")
DECISIONS = 200


@router.get("")
def page(request: Request, name: str, t: float | None = None) -> Response:
    """The overview of a report; it asks for itself again when the threshold is dragged."""
    seen = view(request, name, t)
    manifest, language = seen.index.manifest, language_of(request)
    faults, inputs = faults_shown(manifest, language), manifest.get("inputs") or []
    has_scans = any(group.kind == "no-text" for group in faults["fault_groups"])
    can_read = has_scans and len(inputs) == 1 and shutil.which("tesseract") is not None
    return show(
        request,
        "report_overview.html",
        seen,
        here_is="overview",
        sentences=summary(manifest, language),
        scans=inputs[0].get("path") if can_read else None,
        can_ask=can_be_asked(manifest) and _sources(request, seen),
        is_doubtful=is_doubtful(manifest),
        **faults,
        **_figures(request, seen),
    )


@router.get("/first")
def first(request: Request, name: str) -> Response:
    """The page that the report opens with."""
    shelf = request.app.state.shelf
    return go(shelf.door(shelf.folder(name)))


@router.post("/ask")
def ask(request: Request, name: str) -> Response:
    """Questions about the documents of a report, read and masked as they were for it."""
    seen, jobs = view(request, name), jobs_of(request)
    plan = seen.index.manifest["plan"]
    options = options_in(Plan.make(**plan["read"], mask=plan.get("mask", ())))
    title, paths = seen.index.report.folder.name, _sources(request, seen)
    same = (job for job in jobs.all("find") if (job.paths, job.options) == (paths, options))
    begun = next((job for job in same if not job.is_started), None)
    search = begun or jobs.new(paths=paths, options=options, title=title)
    return go(f"/search/{search.name}/ask")


def _sources(request: Request, seen: View) -> tuple[str, ...]:
    """The files and folders that were read, where all of them are still there and may be opened."""
    inputs = [row for row in seen.index.manifest.get("inputs") or [] if not row.get("reference")]
    paths = tuple(str(row.get("path", "")) for row in inputs)
    return paths if all(is_there(request.app.state.settings, path) for path in paths) else ()


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


@router.get("/export")
def export(request: Request, name: str, t: float | None = None) -> Response:
    """The list of exports, and the decisions so far."""
    seen = view(request, name, t)
    decisions = seen.decisions
    target = seen.index.report.folder
    return show(
        request,
        "report_export.html",
        seen,
        here_is="export",
        counts=decisions.counts(),
        standing=decisions.standing[-DECISIONS:][::-1],
        total=len(decisions),
        out=str(target.with_name(f"{target.name}-decided")),
    )


@router.get("/page.html")
def single_page(request: Request, name: str) -> Response:
    """The run as one file."""
    seen = view(request, name)
    page = inside(request.app.state.settings, seen.index.report.folder / "report.html")
    headers = _as_file(seen, "html")
    return FileResponse(page, headers=headers, media_type="text/html; charset=utf-8")


@router.get("/passages")
def passages(request: Request, name: str) -> Response:
    """A report of spans, reuse or units: the page in its folder."""
    folder = request.app.state.shelf.folder(name)
    page = inside(request.app.state.settings, folder / "report.html")
    if not page.is_file():
        raise GoneError(f"there is no page in {folder} any more; run the search again")
    headers = {"content-security-policy": SEALED}
    return FileResponse(page, headers=headers, media_type="text/html; charset=utf-8")


@router.get("/labels.{form}")
def labels(request: Request, name: str, form: str) -> Response:
    """Decisions as labelled pairs."""
    seen = view(request, name)
    kinds = {"csv": (as_csv, "text/csv"), "json": (as_json, "application/json")}
    if form not in kinds:
        raise PlanError([f"labels come as csv or json, not as {form}"])
    as_text, kind = kinds[form]
    text = as_text(seen.decisions).encode("utf-8", "surrogatepass")
    headers = _as_file(seen, form, "-labels")
    return Response(text, headers=headers, media_type=f"{kind}; charset=utf-8")


@router.post("/apply")
def carry_out(
    request: Request,
    name: str,
    out: Annotated[str, Form()],
    undecided: Annotated[str, Form()] = "keep",
) -> Response:
    """Write the kept and the removed documents into a new folder."""
    seen = view(request, name)
    if undecided not in ("keep", "remove"):
        raise PlanError([f"undecided documents are kept or removed, not '{undecided}'"])
    folder = inside(request.app.state.settings, out)
    applied = apply(seen.index, folder, undecided=undecided, language=language_of(request))  # type: ignore[arg-type]
    report = request.app.state.shelf.put(applied.folder)
    return render(
        request, "report_applied.html", applied=applied, report=report, view=seen, wide=True
    )


def _as_file(seen: View, suffix: str, more: str = "") -> dict[str, str]:
    name = quote(f"{seen.index.report.folder.name}{more}.{suffix}")
    # An attachment: what comes from documents is never a page of this site.
    return {"content-disposition": f"attachment; filename*=UTF-8''{name}"}
