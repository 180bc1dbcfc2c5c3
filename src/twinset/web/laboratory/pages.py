"""The addresses of the laboratory: the list of commands, their forms, and what a form starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError
from twinset.web import tasks
from twinset.web.faults import GoneError
from twinset.web.laboratory.commands import COMPARE, GENERATE, TUNE
from twinset.web.laboratory.experiments import EXPERIMENT
from twinset.web.laboratory.form import LabCommand, Texts
from twinset.web.laboratory.learning import LEARN
from twinset.web.laboratory.mining import MINE
from twinset.web.render import Filled, go, render
from twinset.web.uploads import receive
from twinset.web.wizard.steps import searches_of

router = APIRouter(prefix="/laboratory")
COMMANDS: dict[str, LabCommand] = {
    "generate": GENERATE,
    "compare": COMPARE,
    "tune": TUNE,
    "learn": LEARN,
    "mine": MINE,
    "experiment": EXPERIMENT,
}
"""The commands in the order of the page; each has a template ``laboratory_NAME.html``."""


@router.get("")
def laboratory(request: Request) -> Response:
    """The list of commands."""
    return render(request, "laboratory.html", kinds=list(COMMANDS))


@router.get("/{kind}")
def form(request: Request, kind: str) -> Response:
    """The form of a command, and its earlier tasks."""
    return _form(request, kind, {})


@router.post("/{kind}")
def begin(request: Request, kind: str, form: Filled) -> Response:
    """Start the command with the options in the form, or show what is wrong with them."""
    texts = {name: str(value) for name, value in form.items()}
    try:
        run = _command(kind).read(request, texts)
    except PlanError as fault:
        return _form(request, kind, texts, fault.faults)
    folder = tasks.new_folder(request, kind)
    out = folder
    if run.file:
        folder.mkdir()
        out = folder / run.file
    command = [kind, *run.sources, "-o", str(out), *run.options, "--json"]
    about = {"title": run.title, "documents": run.sources[-1], **run.facts}
    job = tasks.start(request, kind, command, folder, **about)
    return go(f"/task/{job.name}")


@router.put("/{kind}/upload")
async def upload(request: Request, kind: str, file: str) -> Response:
    """Save a list or a table that was dropped on a form; shows the field that names it."""
    field = _command(kind).upload
    if not field:
        raise PlanError([f"the form of {kind} takes no file; drop it on another one"])
    folder = request.app.state.settings.home / "uploads"
    path = await receive(request.stream(), file, folder)
    return render(request, "laboratory_file.html", kind=kind, upload=field, value=str(path))


def _command(kind: str) -> LabCommand:
    if kind not in COMMANDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    return COMMANDS[kind]


def _form(request: Request, kind: str, filled: Texts, faults: list[str] | None = None) -> Response:
    command = _command(kind)
    offered: Mapping[str, Any] = command.offered(request, filled)
    return render(
        request,
        f"laboratory_{kind}.html",
        status=400 if faults else 200,
        kind=kind,
        faults=faults or [],
        filled=filled,
        upload=command.upload,
        places=_places(request),
        earlier=[(job, job.state().status) for job in tasks.earlier(request, kind)[:20]],
        **offered,
    )


def _places(request: Request) -> list[str]:
    """Documents that were named before, and the folders that may be opened."""
    named = [path for search in searches_of(request).all()[:20] for path in search.paths]
    generated = [job.facts["out"] for job in tasks.earlier(request, "generate")[:5]]
    settings = request.app.state.settings
    roots = [str(root) for root in settings.roots]
    started_with = [settings.named] if settings.named else []
    places = dict.fromkeys([*started_with, *named, *generated, *roots])
    return [place for place in places if Path(place).exists()]
