"""Step 1: which documents, and how they look after cleaning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.index.catalogue import is_index_folder
from twinset.plan import Plan
from twinset.web.folders import listing
from twinset.web.jobs import Job, jobs_of
from twinset.web.render import Filled, go, render
from twinset.web.searches import (
    changeable,
    changed,
    ensure_readable,
    find,
    options_in,
    preview_of,
    start,
)
from twinset.web.settings import readable
from twinset.web.uploads import receive
from twinset.web.wizard.steps import form_of, saved, step

router = APIRouter(prefix="/search")


@router.post("/new")
def new(
    request: Request,
    path: Annotated[str, Form()] = "",
    now: Annotated[bool, Form()] = False,
    preset: Annotated[str, Form()] = "",
) -> Response:
    """Begin a search, perhaps with a folder or file that was named when the page was started.

    It begins with the options of a preset, where one is chosen; ``now`` runs it with these.
    An index is shown instead.
    """
    if path and is_index_folder(real := readable(request.app.state.settings, path)):
        return go(request.app.state.shelf.door(real))
    options = options_in(Plan.make(preset=preset or None))
    search = jobs_of(request).new(options=options)
    if path:
        search = _add(request, search, path)
    if now and search.paths:
        ensure_readable(request, search)
        start(request, search)
        return go(f"/search/{search.name}/clusters")
    return go(f"/search/{search.name}/documents")


@router.get("/{name}/documents")
def documents(request: Request, name: str, at: str = "") -> Response:
    """The step, with the folder ``at`` in its browser."""
    search = find(request, name)
    here = listing(request.app.state.settings, at)
    form = form_of(request, search, "documents")
    return step(request, search, "documents", listing=here, form=form)


@router.post("/{name}/documents")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Save how the documents are read, and go on."""
    search = _read_as(request, find(request, name), form)
    if not search.paths:
        raise PlanError(["no documents are chosen yet; add a folder or files, or drop some"])
    ensure_readable(request, search)
    return go(f"/search/{name}/{'ask' if form.get('go') == 'ask' else 'image'}")


@router.get("/{name}/browse")
def browse(request: Request, name: str, at: str = "") -> Response:
    """A folder of this machine, to choose from."""
    here = listing(request.app.state.settings, at)
    return render(request, "browser.html", search=find(request, name), listing=here)


@router.post("/{name}/add")
def add(request: Request, name: str, path: Annotated[str, Form()]) -> Response:
    """Add a folder or a file."""
    return _shown(request, _add(request, find(request, name), path))


@router.post("/{name}/drop")
def drop(request: Request, name: str, path: Annotated[str, Form()]) -> Response:
    """Remove a folder or a file from the list; it stays on the disk."""
    search = changeable(find(request, name))
    rest = tuple(each for each in search.paths if each != path)
    return _shown(request, saved(request, search.with_(paths=rest)))


@router.put("/{name}/upload")
async def upload(request: Request, name: str, file: str, modified: float | None = None) -> Response:
    """Save a file that was dropped on the page; a ZIP file is unpacked.

    ``modified`` is when it was last changed, in seconds since 1970, as far as the browser says.
    """
    search = changeable(find(request, name))
    await receive(request.stream(), file, search.uploads, modified)
    return _shown(request, _add(request, search, str(search.uploads)))


@router.post("/{name}/preview")
def preview_again(request: Request, name: str, form: Filled) -> Response:
    """The first documents of the chosen paths, read as the form says now."""
    search = _read_as(request, find(request, name), form)
    missing = [path for path in search.paths if not os.path.exists(path)]
    there = [path for path in search.paths if path not in missing]
    seen = preview_of(request, search, there) if there else None
    return render(request, "documents_preview.html", search=search, seen=seen, missing=missing)


@router.post("/{name}/column")
def column(request: Request, name: str, text: Annotated[str, Form()]) -> Response:
    """Use another field of the records as the text."""
    return _shown(request, _read_as(request, find(request, name), {"text": text}))


def _read_as(request: Request, search: Job, form: dict[str, object]) -> Job:
    return search if search.is_started else saved(request, changed(request, search, form))


def _add(request: Request, search: Job, path: str) -> Job:
    real = readable(request.app.state.settings, path)
    if real in changeable(search).paths:
        return search
    title = search.title or _title(search, Path(real))
    return saved(request, search.with_(paths=(*search.paths, real), title=title))


def _title(search: Job, path: Path) -> str:
    """The name of the first folder or file, or of the first file that was dropped."""
    dropped = path.iterdir() if path == search.uploads.resolve() else ()
    return min(dropped, key=lambda file: file.stat().st_mtime, default=path).stem


def _shown(request: Request, search: Job) -> Response:
    form, is_fixed = form_of(request, search, "documents"), search.is_started
    return render(request, "documents_chosen.html", search=search, form=form, is_fixed=is_fixed)
