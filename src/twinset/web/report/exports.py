"""Exports: the report as one page or a ZIP file, labels to learn from, decisions applied."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from twinset.errors import PlanError
from twinset.review import apply, as_csv, as_json
from twinset.review.export import page_text, zip_folder
from twinset.system.temporary import TemporaryFile
from twinset.web.render import language_of, render
from twinset.web.reports import View, show, view
from twinset.web.settings import inside

router = APIRouter(prefix="/report")
DECISIONS = 200


@router.get("/{name}/export")
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


@router.get("/{name}/page.html")
def single_page(request: Request, name: str) -> Response:
    """The run as one file."""
    seen = view(request, name)
    page = page_text(seen.index, language_of(request)).encode("utf-8", "replace")
    return Response(page, headers=_as_file(seen, "html"), media_type="text/html; charset=utf-8")


@router.get("/{name}/folder.zip")
def zipped(request: Request, name: str) -> Response:
    """The report folder as a ZIP file."""
    seen = view(request, name)
    home: Path = request.app.state.settings.home
    packed = TemporaryFile(home)
    with open(packed.path, "wb") as out:
        zip_folder(seen.index.report.folder, out)
    removal = BackgroundTask(packed.close)
    headers = _as_file(seen, "zip")
    return FileResponse(
        packed.path, headers=headers, media_type="application/zip", background=removal
    )


@router.get("/{name}/labels.{form}")
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


@router.post("/{name}/apply")
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
