"""The first page: begin a search, find running and finished ones again, open a report."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.report import read as read_report
from twinset.web.paths import inside
from twinset.web.render import go, render

router = APIRouter()


@router.get("/")
def start(request: Request) -> Response:
    """What is there to go on with."""
    return render(request, "start.html", reports=request.app.state.shelf.all())


@router.post("/open-report")
def open_report(request: Request, folder: Annotated[str, Form()]) -> Response:
    """Put a report folder on the shelf and show it."""
    path = inside(request.app.state.settings, folder)
    read_report(path)
    return go(f"/report/{request.app.state.shelf.put(path)}")
