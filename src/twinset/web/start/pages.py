"""The first page: choose a folder, start the search, find earlier ones again."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import PlainTextResponse

from twinset.errors import PlanError
from twinset.index.catalogue import is_index_folder
from twinset.plan import Plan, presets
from twinset.system.mounts import place_of
from twinset.web.remembered import Remembered
from twinset.web.render import go, render
from twinset.web.searches import SavedSearch, options_in
from twinset.web.settings import ForbiddenError, Settings, inside, readable
from twinset.web.start import priorities
from twinset.web.start.places import content_of, place_notices, usual_places
from twinset.web.start.tree import Branch, Branches, branch, branches
from twinset.web.wizard.clusters import launch, start
from twinset.web.wizard.steps import find, searches_of, state_of

router = APIRouter()
PRESET = "files"
RECORDS = "text"  # the preset for a file of records, which no cleaning of a folder is about


@router.get("/")
def first_page(request: Request, folder: str = "") -> Response:
    """What to choose from, and the searches and reports to continue with."""
    settings: Settings = request.app.state.settings
    saved = searches_of(request)
    searches = saved.all()
    own = {search.out for search in searches}
    reports = request.app.state.shelf.all().items()
    recent = [path for path in _remembered(request).choices.recent if _is_there(settings, path)]
    named = settings.named or (folder if folder and _is_there(settings, folder) else "")
    return render(
        request,
        "start.html",
        roots=_roots(settings),
        places=usual_places(settings, Path.home(), os.environ),
        recent=recent,
        chosen=named or next(iter(recent), ""),
        **priorities.shown(request, _remembered(request).choices.priorities),
        references=_references(request),
        searches=[_row(request, search) for search in searches],
        reports={name: folder for name, folder in reports if str(folder) not in own},
        indexes=request.app.state.shelf.indexes(),
        damaged=saved.damaged(),
        home=str(Path.home().resolve()),
        presets=[name for name in presets() if name != PRESET],
    )


@router.get("/start/tree")
def tree(request: Request, at: str) -> Response:
    """The folders right in one."""
    held = branches(request.app.state.settings, at)
    return render(request, "start_branches.html", held=held)


@router.get("/start/folder")
def about_folder(request: Request, folder: str = "") -> Response:
    """What a search in this folder would read, and what to know before it starts."""
    if not folder.strip():
        return render(request, "start_folder.html", folder="", content=None, notices=[])
    path = Path(readable(request.app.state.settings, folder))
    if is_index_folder(path):
        return render(request, "start_index.html")
    content = content_of(path) if path.is_dir() else None
    notices = place_notices(place_of(path))
    return render(request, "start_folder.html", folder=str(path), content=content, notices=notices)


@router.get("/start/reference")
def reference(request: Request, other: str = "") -> Response:
    """One more folder to compare with."""
    folder = _folder(request.app.state.settings, other)
    return render(request, "start_reference.html", folder=folder)


@router.post("/start/drop")
def begin_drop(request: Request) -> Response:
    """A search to which dropped files are added; its name."""
    return PlainTextResponse(searches_of(request).new().name)


@router.get("/start/dropped")
def dropped(request: Request, name: str) -> Response:
    """How many files have been dropped, and what that means for cleaning."""
    search = find(request, name)
    content = content_of(searches_of(request).home(name) / "documents")
    return render(request, "start_dropped.html", search=search, content=content)


@router.post("/start")
def begin(
    request: Request,
    folder: Annotated[str, Form()] = "",
    dropped: Annotated[str, Form()] = "",
    reference: Annotated[list[str] | None, Form()] = None,
    priority: Annotated[str, Form(alias="priorities")] = "",
) -> Response:
    """Search for what can go, in a folder or in what was dropped; an index is shown instead."""
    settings: Settings = request.app.state.settings
    references = [_folder(settings, each) for each in reference or ()]
    options = _options(priorities.policies_named(request, priority), references)
    if dropped:
        return _run(request, dataclasses.replace(find(request, dropped), options=options))
    if not folder.strip():
        raise PlanError(["no folder is chosen; choose one in the list, or paste its path"])
    path = readable(settings, folder)
    if is_index_folder(path):
        return go(request.app.state.shelf.door(path))
    if not os.path.isdir(path):
        return _search_records(request, path)
    _remembered(request).change(references=tuple(references), priorities=priority)
    _remembered(request).opened(path)
    title = Path(path).name or path
    chosen: dict[str, Any] = {"paths": (path,), "title": title, "options": options}
    return _run(request, searches_of(request).new(**chosen))


def _run(request: Request, search: SavedSearch) -> Response:
    if not search.job:
        if not search.paths:
            raise PlanError(["no files have been dropped; drop some, or choose a folder"])
        launch(request, dataclasses.replace(search, way="clean"))
    return go(f"/search/{search.name}/running")


def _search_records(request: Request, path: str) -> Response:
    """A file of records, such as JSON lines, has nothing to clean: its pairs are the result."""
    options = options_in(Plan.make(preset=RECORDS))
    title = Path(path).stem
    search = searches_of(request).new(paths=(path,), title=title, options=options)
    start(request, search)
    return go(f"/search/{search.name}/clusters")


def _options(keep: list[str], references: list[str]) -> dict[str, Any]:
    """The options of a search for what can go."""
    return options_in(Plan.make(preset=PRESET, each_file=True, keep=keep, reference=references))


def _folder(settings: Settings, named: str) -> str:
    """A folder that a visitor has named, if it may be opened."""
    if not named.strip():
        raise PlanError(["no folder is named; choose one in the list, or paste its path"])
    path = readable(settings, named)
    if not os.path.isdir(path):
        raise PlanError([f"{named} is a file and not a folder; name the folder that it lies in"])
    return path


def _references(request: Request) -> list[str]:
    settings: Settings = request.app.state.settings
    references = _remembered(request).choices.references
    return [path for path in references if _is_there(settings, path)]


def _is_there(settings: Settings, path: str) -> bool:
    """Whether a folder or file of earlier still exists and may be opened."""
    try:
        return inside(settings, path).exists()
    except (ForbiddenError, OSError):
        return False


def _roots(settings: Settings) -> list[tuple[Branch, Branches | None]]:
    """The folders that the page may open; a single one with the folders in it."""
    roots = [root for path in settings.roots if (root := branch(settings, path, hidden=True))]
    if len(roots) != 1:
        return [(root, None) for root in roots]
    return [(roots[0], branches(settings, roots[0].path))]


def _remembered(request: Request) -> Remembered:
    remembered: Remembered = request.app.state.remembered
    return remembered


def _row(request: Request, search: SavedSearch) -> tuple[SavedSearch, str, str]:
    """A search, its status, and the page to continue at."""
    state = state_of(request, search)
    status = "draft" if state is None else state.status
    if search.way == "clean" and state is not None:
        return search, status, f"/search/{search.name}/running"
    step = {"draft": "image" if search.paths else "documents", "done": "results"}
    return search, status, f"/search/{search.name}/{step.get(status, 'clusters')}"


@router.post("/open-report")
def open_report(request: Request, folder: Annotated[str, Form()]) -> Response:
    """Put the folder of a report or an index on the shelf and show it."""
    path = inside(request.app.state.settings, folder)
    return go(request.app.state.shelf.door(path))
