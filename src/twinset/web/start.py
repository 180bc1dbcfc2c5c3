"""The first page: choose a folder and start the search; what is there already is one click on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.index.catalogue import is_index_folder
from twinset.plan import Plan, presets
from twinset.plan.presets import FOR_FOLDERS
from twinset.web.folders import content_of, listing, roots
from twinset.web.jobs import SEARCHES, Job, jobs_of
from twinset.web.progress import home_of
from twinset.web.render import go, render
from twinset.web.searches import ensure_readable, options_in, start
from twinset.web.settings import Settings, inside, is_there, readable

router = APIRouter()
PRESET = "files"
RECENT = 6
RECORDS = "text"  # the preset for a file of records, which no cleaning of a folder is about


@router.get("/")
def first_page(request: Request, folder: str = "") -> Response:
    """A folder to choose, what was chosen before, and the way to everything else."""
    settings: Settings = request.app.state.settings
    recent, searches = _recent(request), _cleanings(request)
    references = searches[0].options.get("reference", ()) if searches else ()
    named = settings.named or (folder if folder and is_there(settings, folder) else "")
    allowed = roots(settings)
    return render(
        request,
        "start.html",
        roots=[(root, listing(settings, root.path, files=False)) for root in allowed[:1]]
        + [(root, None) for root in allowed[1:]],
        recent=recent,
        chosen=named or next(iter(recent), ""),
        references=[path for path in references if is_there(settings, path)],
        home=str(Path.home().resolve()),
    )


@router.get("/more")
def more(request: Request) -> Response:
    """The searches and reports to continue with, the indexes, and a search step by step."""
    jobs, shelf = jobs_of(request), request.app.state.shelf
    searches = jobs.all(*SEARCHES)
    own = {search.out for search in searches}
    reports = {name: path for name, path in shelf.all().items() if str(path) not in own}
    return render(
        request,
        "more.html",
        searches=[_row(search) for search in searches],
        reports=reports,
        indexes=shelf.all(is_index_folder),
        damaged=jobs.damaged(),
        chosen=request.app.state.settings.named or next(iter(_recent(request)), ""),
        presets=[name for name in presets() if name != PRESET],
    )


@router.get("/start/tree")
def tree(request: Request, at: str) -> Response:
    """The folders right in one."""
    held = listing(request.app.state.settings, at, files=False)
    return render(request, "start_branches.html", held=held)


@router.get("/start/folder")
def about_folder(request: Request, folder: str = "") -> Response:
    """What a search in this folder would read, and what to know before it starts."""
    if not folder.strip():
        return render(request, "start_folder.html", folder="", content=None, fixed=False)
    path = Path(readable(request.app.state.settings, folder))
    if is_index_folder(path):
        return render(request, "start_index.html")
    content = content_of(path) if path.is_dir() else None
    fixed = not os.access(path if path.is_dir() else path.parent, os.W_OK | os.X_OK)
    return render(request, "start_folder.html", folder=str(path), content=content, fixed=fixed)


@router.post("/start")
def begin(
    request: Request,
    folder: Annotated[str, Form()] = "",
    reference: Annotated[str, Form()] = "",
    ocr: Annotated[bool, Form()] = False,
) -> Response:
    """Search for what can go, in a folder; an index is shown instead.

    ``reference`` names folders that are only compared with, one in each line.
    """
    settings: Settings = request.app.state.settings
    references = [_folder(settings, line) for line in reference.splitlines() if line.strip()]
    chosen: dict[str, Any] = {"keep": list(FOR_FOLDERS), "reference": references}
    chosen |= {"ocr": "yes"} if ocr else {}
    options = options_in(Plan.make(preset=PRESET, each_file=True, **chosen))
    if not folder.strip():
        raise PlanError(["no folder is chosen; choose one in the list, or paste its path"])
    path = readable(settings, folder)
    if is_index_folder(path):
        return go(request.app.state.shelf.door(path))
    if not os.path.isdir(path):
        return _search_records(request, path)
    title = Path(path).name or path
    search = jobs_of(request).new(paths=(path,), title=title, options=options, way="clean")
    start(request, search)
    return go(f"/job/{search.name}")


def _search_records(request: Request, path: str) -> Response:
    """A file of records, such as JSON lines, has nothing to clean: its pairs are the result."""
    options = options_in(Plan.make(preset=RECORDS))
    search = jobs_of(request).new(paths=(path,), title=Path(path).stem, options=options)
    ensure_readable(request, search)
    start(request, search)
    return go(f"/search/{search.name}/clusters")


def _folder(settings: Settings, named: str) -> str:
    """A folder that a visitor has named, if it may be opened."""
    path = readable(settings, named)
    if not os.path.isdir(path):
        raise PlanError([f"{named} is a file and not a folder; name the folder that it lies in"])
    return path


def _cleanings(request: Request) -> list[Job]:
    """The searches that were begun on the first page, the newest first."""
    return [search for search in jobs_of(request).all(*SEARCHES) if search.way == "clean"]


def _recent(request: Request) -> list[str]:
    """The folders of these that are still there."""
    folders = dict.fromkeys(path for search in _cleanings(request) for path in search.paths)
    return [path for path in folders if is_there(request.app.state.settings, path)][:RECENT]


def _row(search: Job) -> tuple[Job, str, str]:
    """A search, its status, and the page to continue at."""
    status = search.state().status
    if search.way == "clean" and status != "draft":
        return search, status, home_of(search)
    step = {"draft": "image" if search.paths else "documents", "done": "results"}
    return search, status, f"/search/{search.name}/{step.get(status, 'clusters')}"


@router.post("/open-report")
def open_report(request: Request, folder: Annotated[str, Form()]) -> Response:
    """Put the folder of a report or an index on the shelf and show it."""
    return go(request.app.state.shelf.door(inside(request.app.state.settings, folder)))
