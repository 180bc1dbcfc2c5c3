"""The first page: begin a search, find running and finished ones again, open a report."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.plan import presets
from twinset.report import read as read_report
from twinset.web.render import go, render
from twinset.web.searches import SavedSearch
from twinset.web.settings import inside
from twinset.web.wizard.steps import searches_of, state_of

router = APIRouter()


@router.get("/")
def start(request: Request) -> Response:
    """The searches and reports to continue with."""
    saved = searches_of(request)
    searches = saved.all()
    own = {search.out for search in searches}
    reports = request.app.state.shelf.all().items()
    return render(
        request,
        "start.html",
        searches=[_row(request, search) for search in searches],
        reports={name: folder for name, folder in reports if str(folder) not in own},
        damaged=saved.damaged(),
        named=request.app.state.settings.named,
        presets=list(presets()),
    )


def _row(request: Request, search: SavedSearch) -> tuple[SavedSearch, str, str]:
    """A search, its status, and the page to continue at."""
    state = state_of(request, search)
    status = "draft" if state is None else state.status
    step = {"draft": "image" if search.paths else "documents", "done": "results"}
    return search, status, f"/search/{search.name}/{step.get(status, 'clusters')}"


@router.post("/open-report")
def open_report(request: Request, folder: Annotated[str, Form()]) -> Response:
    """Put a report folder on the shelf and show it."""
    path = inside(request.app.state.settings, folder)
    read_report(path, request.app.state.settings.bounds)
    return go(f"/report/{request.app.state.shelf.put(path)}")
