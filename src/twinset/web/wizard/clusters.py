"""Step 3: how pairs become clusters, and the run itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.engine.images import image_keeper
from twinset.engine.searching import begin
from twinset.errors import PlanError, TwinsetError
from twinset.plan import Resources
from twinset.report import ensure_free
from twinset.web.jobs import as_written
from twinset.web.render import Filled, go, language_of, render
from twinset.web.searches import SavedSearch
from twinset.web.settings import inside
from twinset.web.wizard.steps import (
    changed,
    compared,
    ensure_readable,
    find,
    form_of,
    redrawn,
    searches_of,
    state_of,
    step,
)

router = APIRouter(prefix="/search")


@router.get("/{name}/clusters")
def clusters(request: Request, name: str) -> Response:
    """The step; after the start, how far the run is."""
    return _page(request, find(request, name), [])


@router.post("/{name}/clusters")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Save the choices, and start the run or go back."""
    search = find(request, name)
    if search.job:
        return go(f"/search/{name}/clusters")
    try:
        search = changed(request, search, form)
        _check(request, search)
    except PlanError as fault:
        return _page(request, search, fault.faults, form, status=400)
    searches_of(request).save(search)
    if form.get("go") == "previous":
        return go(f"/search/{name}/image")
    try:
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
    if not search.job:
        searches_of(request).save(search)
    return render(request, "clusters_command.html", command=_command(request, search))


@router.get("/{name}/progress")
def progress(request: Request, name: str) -> Response:
    """How far the run is; a page that watches it moves on to the results at the end."""
    search = find(request, name)
    state = state_of(request, search)
    if state is None:
        raise PlanError(["this search has not been started"])
    answer = render(request, "progress.html", search=search, state=state)
    if state.status == "done":
        answer.headers["hx-redirect"] = f"/search/{name}/results"
    return answer


@router.post("/{name}/cancel")
def cancel(request: Request, name: str) -> Response:
    """Stop the run; only its choices stay."""
    search = find(request, name)
    if search.job:
        request.app.state.jobs.find(search.job).cancel()
    return go(f"/search/{name}/clusters")


@router.post("/{name}/again")
def again(request: Request, name: str) -> Response:
    """A copy of the search to change."""
    copy = searches_of(request).again(find(request, name))
    return go(f"/search/{copy.name}/documents")


@router.post("/{name}/remove")
def remove(request: Request, name: str) -> Response:
    """Forget a search that does not run; its report stays where it is."""
    search = find(request, name)
    state = state_of(request, search)
    if state is not None and not state.is_over:
        raise PlanError(["this search is running; cancel it first"])
    searches_of(request).remove(search)
    return go("/")


def start(request: Request, search: SavedSearch) -> None:
    """Run a search in the background, if there is text in its first documents."""
    ensure_readable(request, search)
    launch(request, search)


def launch(request: Request, search: SavedSearch) -> None:
    """Run a search in the background, and remember where its report will be."""
    settings, searches = request.app.state.settings, searches_of(request)
    target = inside(settings, search.out or searches.report_folder(search))
    ensure_free(target, False, search.paths)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    search = dataclasses.replace(search, out=str(target))
    command = search.command(searches.write_plan(search), settings, language_of(request))
    job = request.app.state.jobs.start(command, search=search.name)
    searches.save(dataclasses.replace(search, job=job.name))
    request.app.state.shelf.put(target)


def _check(request: Request, search: SavedSearch) -> None:
    """Raise with all that is wrong with the choices, the kind of clusters included."""
    plan, resources = compared(request, search), Resources.make()
    image_keeper(plan, begin(plan, resources))


def _page(
    request: Request,
    search: SavedSearch,
    faults: list[str],
    filled: Mapping[str, Any] | None = None,
    status: int = 200,
) -> Response:
    searches = searches_of(request)
    return step(
        request,
        search,
        "clusters",
        status=status,
        faults=faults,
        form=form_of(request, search, "clusters", filled),
        kind=str((filled or {}).get("kind", search.kind)),
        out=str((filled or {}).get("out", search.out)),
        target=str(searches.report_folder(search)),
        command=_command(request, search),
    )


def _command(request: Request, search: SavedSearch) -> str:
    target = search.out or str(searches_of(request).report_folder(search))
    started = dataclasses.replace(search, out=target)
    return as_written(started.command(None, request.app.state.settings, language_of(request)))
