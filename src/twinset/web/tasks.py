"""Tasks other than searches: their progress, charts and files.

A task is shown by what is in its folder: the numbers that the command printed, its pictures, its
page, and its files to download. So a new command of the library needs a form, and a chart at most.
"""

from __future__ import annotations

import json
import mimetypes
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from twinset.lab.evaluation.result import COMPARATOR
from twinset.lab.experiment.result import BEST
from twinset.pages.language import speaker
from twinset.plan import Plan, read_plan
from twinset.spec import compose
from twinset.system.bounded import LIST_BYTES, open_regular, read_regular
from twinset.web.faults import GoneError
from twinset.web.jobs import Job
from twinset.web.plots import plots
from twinset.web.render import go, language_of, render
from twinset.web.searches import Searches, in_language, options_in
from twinset.web.settings import inside

router = APIRouter(prefix="/task")
WITH_PAGE = ("evaluate", "compare", "experiment")
"""Tasks whose commands write a page."""
# Our pages and pictures bring their style along; scripts and everything else stay blocked.
SEALED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
MODEL = "model.json"  # the file that a model is saved in
TEXT_BYTES = 64 << 10
SETS_SHOWN = 50
LOOKED_AT = (".html", ".svg", ".png")


@dataclass(frozen=True, slots=True)
class Listed:
    """A file to offer."""

    name: str
    bytes: int


def listed(folder: Path) -> list[Listed]:
    """The plain files of a folder, by name."""
    if not folder.is_dir():
        return []
    plain = [p for p in folder.iterdir() if p.is_file() and not p.is_symlink()]
    return [Listed(p.name, p.stat().st_size) for p in sorted(plain) if p.name[0] != "."]


def answer(folder: Path, name: str, *, keep: bool = False) -> FileResponse:
    """A file that `listed` names; ``keep`` makes the browser save it."""
    if name not in {file.name for file in listed(folder)}:
        raise GoneError(f"there is no file {name} in {folder} any more")
    path = folder / name
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    to_look_at = not keep and path.suffix in LOOKED_AT
    response = FileResponse(
        path,
        media_type=kind,
        filename=name,
        content_disposition_type="inline" if to_look_at else "attachment",
    )
    response.headers["content-security-policy"] = SEALED
    return response


def new_folder(request: Request, kind: str) -> Path:
    """A new folder name for the files of a task."""
    folder: Path = request.app.state.settings.home / "tasks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


def start(request: Request, kind: str, command: list[str], folder: Path, **facts: Any) -> Job:
    """Start a task that writes ``folder``."""
    facts = {"kind": kind, "out": str(folder), **facts}
    if kind in WITH_PAGE:
        command = [*command, *in_language(language_of(request))]
    job: Job = request.app.state.jobs.start(command, **facts)
    return job


def earlier(request: Request, kind: str, **facts: Any) -> list[Job]:
    """The tasks of a kind, the newest first; only those with these facts."""
    facts = {"kind": kind, **facts}
    jobs: list[Job] = request.app.state.jobs.all()
    return [job for job in jobs if all(job.facts.get(k) == v for k, v in facts.items())]


@router.get("/{name}")
def task(request: Request, name: str) -> Response:
    """A task on a page of its own."""
    return render(request, "task.html", **_shown(request, name))


@router.get("/{name}/part")
def part(request: Request, name: str) -> Response:
    """The same as a part of another page; asks for itself again until the task is over."""
    return render(request, "task_part.html", **_shown(request, name))


@router.post("/{name}/cancel")
def cancel(request: Request, name: str) -> Response:
    """Stop a task."""
    _find(request, name).cancel()
    return go(f"/task/{name}")


@router.post("/{name}/search")
def search_again(request: Request, name: str) -> Response:
    """A new search: in the generated collection, with the recommended plan or with the model."""
    job = _find(request, name)
    numbers = _numbers(job)
    if job.facts["kind"] == "generate":
        # The truth and the log lie beside the documents and are not documents.
        path = next(Path(job.facts["out"]).glob("documents*"), Path(job.facts["out"]))
        chosen: dict[str, Any] = {"paths": (str(path),), "title": job.facts["title"]}
    else:
        chosen = {"paths": (job.facts["documents"],), "title": job.facts["title"]}
        chosen["options"] = _options_of(job, numbers)
    search = Searches(request.app.state.settings).new(**chosen)
    return go(f"/search/{search.name}/image")


def _options_of(job: Job, numbers: dict[str, Any]) -> dict[str, Any]:
    """The options that a task recommends: its plan, or the method with its model."""
    if job.facts["kind"] == "learn":
        model = str(Path(job.facts["out"]) / MODEL)
        return {"method": compose("learned", {"model": model}, {})}
    if job.facts["kind"] == "experiment":
        return options_in(read_plan(Path(job.facts["out"]) / BEST))
    return options_in(Plan.from_dict(numbers.get("plan", {})))


@router.get("/{name}/file/{file}")
def file(request: Request, name: str, file: str, keep: bool = False) -> Response:
    """One of the files that a task has written."""
    job = _find(request, name)
    return answer(inside(request.app.state.settings, job.facts["out"]), file, keep=keep)


def _find(request: Request, name: str) -> Job:
    """The job of a task; raises where it is none."""
    job: Job = request.app.state.jobs.find(name)
    if not {"kind", "out", "title"} <= job.facts.keys():
        raise GoneError("there is no such task any more; start it again")
    return job


def _shown(request: Request, name: str) -> dict[str, Any]:
    job = _find(request, name)
    state = job.state()
    numbers = _numbers(job) if state.status == "done" else {}
    kind, folder = job.facts["kind"], inside(request.app.state.settings, job.facts["out"])
    files = listed(folder) if state.status == "done" else []
    return {
        "job": job,
        "kind": kind,
        "state": state,
        "numbers": numbers,
        "plots": plots(kind, numbers, folder, speaker(language_of(request))),
        "comparator_log": _text(folder / COMPARATOR) if kind == "evaluate" else "",
        "best_plan": _text(folder / BEST) if kind == "experiment" else "",
        "first_sets": _first_sets(folder / "sets.txt") if kind == "mine" else [],
        "files": files,
        "pictures": [file for file in files if file.name.endswith(".svg")],
        "pages": [file for file in files if file.name.endswith(".html")],
    }


def _numbers(job: Job) -> dict[str, Any]:
    """The JSON object that the command has printed."""
    for line in reversed(job.output().splitlines()):
        if line.startswith("{"):
            try:
                numbers: dict[str, Any] = json.loads(line)
            except ValueError:
                break
            return numbers
    return {}


def _first_sets(file: Path) -> list[tuple[list[str], str]]:
    """(items, support) of the first sets that ``mine`` has written."""
    try:
        with open_regular(file, (), LIST_BYTES, 1 << 16) as opened:
            lines = [line for _, line in zip(range(SETS_SHOWN), opened, strict=False)]
    except OSError:
        return []
    rows = [line.decode("utf-8", "replace").split() for line in lines]
    return [(items, support) for *items, support in rows]


def _text(file: Path) -> str:
    """A short text that a task has written; empty where it has written none."""
    try:
        return read_regular(file, TEXT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
