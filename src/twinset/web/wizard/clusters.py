"""Step 3: how pairs become clusters, and the run itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError, TwinsetError
from twinset.finding.clusters.base import ClustersOfImages
from twinset.plan import Resources
from twinset.run.images import image_keeper
from twinset.run.searching import begin
from twinset.web.jobs import Job, as_written, jobs_of
from twinset.web.render import Filled, go, language_of, render
from twinset.web.searches import (
    changed,
    command_of,
    compared,
    ensure_readable,
    find,
    report_folder,
    start,
)
from twinset.web.wizard.steps import form_of, redrawn, saved, step

router = APIRouter(prefix="/search")


@router.get("/{name}/clusters")
def clusters(request: Request, name: str) -> Response:
    """The step; after the start, how far the run is."""
    return _page(request, find(request, name), [])


@router.post("/{name}/clusters")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Save the choices, and start the run or go back."""
    search = find(request, name)
    if search.is_started:
        return go(f"/search/{name}/clusters")
    try:
        search = changed(request, search, form)
        _check(request, search)
    except PlanError as fault:
        return _page(request, search, fault.faults, form, status=400)
    saved(request, search)
    if form.get("go") == "previous":
        return go(f"/search/{name}/image")
    try:
        ensure_readable(request, search)
        start(request, search)
    except TwinsetError as fault:
        return _page(request, search, getattr(fault, "faults", [str(fault)]), status=400)
    return go(f"/search/{name}/clusters")


@router.post("/{name}/clusters/form")
def redraw(request: Request, name: str, form: Filled) -> Response:
    """The step with the options of another kind of clusters or other part."""
    return redrawn(request, name, form, _page)


@router.post("/{name}/clusters/command")
def show_command(request: Request, name: str, form: Filled) -> Response:
    """Save the form as it is now; shows the command line that does the same."""
    search = changed(request, find(request, name), form)
    _check(request, search)
    command = _command(request, saved(request, search))
    return render(request, "clusters_command.html", command=command)


@router.post("/{name}/again")
def again(request: Request, name: str) -> Response:
    """A copy of the search to change and run; the old one and its report stay."""
    search = find(request, name)
    chosen = {"paths": search.paths, "title": search.title, "options": search.options}
    copy = jobs_of(request).new(search.kind, **chosen)
    return go(f"/search/{copy.name}/documents")


@router.post("/{name}/remove")
def remove(request: Request, name: str) -> Response:
    """Forget a search that does not run; its report stays where it is."""
    search = find(request, name)
    if not search.state().is_over:
        raise PlanError(["this search is running; cancel it first"])
    jobs_of(request).remove(search)
    return go("/")


def _check(request: Request, search: Job) -> None:
    """Raise with all that is wrong with the choices, the kind of clusters included."""
    plan, resources = compared(request, search), Resources.make()
    begun = begin(plan, resources)
    if isinstance(plan.clusters, ClustersOfImages):
        image_keeper(plan, begun)


def _page(
    request: Request,
    search: Job,
    faults: list[str],
    filled: Mapping[str, Any] | None = None,
    status: int = 200,
) -> Response:
    return step(
        request,
        search,
        "clusters",
        status=status,
        faults=faults,
        form=form_of(request, search, "clusters", filled),
        kind=str((filled or {}).get("kind", search.kind)),
        out=str((filled or {}).get("out", search.out)),
        target=str(report_folder(request.app.state.settings, search)),
        command=_command(request, search),
    )


def _command(request: Request, search: Job) -> str:
    settings = request.app.state.settings
    return as_written(command_of(search, None, settings, language_of(request)))
