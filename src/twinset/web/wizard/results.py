"""Step 4: what was found, in short, and the way to the pages of the report."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from twinset.report import read as read_report
from twinset.report.words import summary
from twinset.web.render import go, language_of
from twinset.web.reports import pairs_in_sets
from twinset.web.wizard.steps import find, state_of, step

router = APIRouter(prefix="/search")


@router.get("/{name}/results")
def results(request: Request, name: str) -> Response:
    """The findings in sentences; before the end of the run, its progress instead."""
    search = find(request, name)
    state = state_of(request, search)
    if state is None or state.status != "done":
        return go(f"/search/{name}/clusters")
    report = request.app.state.shelf.put(search.out)
    folder = request.app.state.shelf.folder(report)
    manifest = read_report(folder, request.app.state.settings.bounds).manifest
    return step(
        request,
        search,
        "results",
        report=report,
        counts=manifest["counts"],
        in_sets=pairs_in_sets(folder),
        sentences=summary(manifest, language_of(request)),
        faults=sum(manifest.get("faults", {}).values()),
        first_faults=manifest.get("first_faults", []),
    )
