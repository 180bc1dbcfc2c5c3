"""How far a job is, its end, and what it has made: numbers, pictures, its page, files to keep."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from twinset.lab.exchange import STATE, AskState, read_state
from twinset.result.places import MANIFEST
from twinset.system.files import read_object
from twinset.web.jobs import ABOUT, SEARCHES, Job, State, jobs_of
from twinset.web.render import GoneError, go, render
from twinset.web.settings import inside

router = APIRouter(prefix="/job/{name}")
FILES = "files"  # the folder of what a job makes, in its own
# Our pages and pictures bring their style along; scripts and everything else stay blocked.
SEALED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LOOKED_AT = (".html", ".svg", ".png")


def home_of(job: Job) -> str:
    """The page that a job is watched on: a step of its search, or its own."""
    if job.way == "clean":
        return f"/job/{job.name}"
    steps = {"ask": f"{job.about}/ask", "evaluate": f"{job.about}/compare"}
    return f"/search/{steps.get(job.kind, f'{job.name}/clusters')}"


@router.get("")
def page(request: Request, name: str) -> Response:
    """A search of the first page while it runs; of any other job, its page or its result."""
    job = jobs_of(request).find(name)
    after = _after(request, job, job.state())
    if after or home_of(job) != request.url.path:
        return go(after or home_of(job))
    return render(request, "job.html", **_shown(request, job))


@router.get("/part")
def part(request: Request, name: str) -> Response:
    """The same as a part of a page; asks for itself again until the job is over."""
    job = jobs_of(request).find(name)
    shown = _shown(request, job)
    answer = render(request, "job_part.html", **shown)
    if after := _after(request, job, shown["state"]):
        answer.headers["hx-redirect"] = after
    return answer


@router.post("/cancel")
def cancel(request: Request, name: str) -> Response:
    """Stop a job; nothing stays of it but its choices."""
    job = jobs_of(request).find(name)
    job.cancel()
    return go(home_of(job))


@router.get("/file/{file}")
def file(request: Request, name: str, file: str, keep: bool = False) -> Response:
    """One of the files that a job has made; ``keep`` makes the browser save it."""
    folder = _folder(request, jobs_of(request).find(name))
    if file not in {path.name for path in _files(folder)}:
        raise GoneError(f"there is no file {file} in {folder} any more")
    looked_at = not keep and Path(file).suffix in LOOKED_AT
    return FileResponse(
        folder / file,
        media_type=mimetypes.guess_type(file)[0] or "application/octet-stream",
        filename=file,
        content_disposition_type="inline" if looked_at else "attachment",
        headers={"content-security-policy": SEALED},
    )


def dialogue_of(job: Job) -> AskState | None:
    """Where the dialogue of a job stands; None while it prepares, also after another start."""
    folder = Path(job.out)
    try:
        is_new = (folder / STATE).stat().st_mtime >= (job.folder / ABOUT).stat().st_mtime
    except OSError:
        return None
    return read_state(folder) if is_new else None


def _after(request: Request, job: Job, state: State) -> str:
    """The page to go on to, where there is nothing more to watch."""
    if job.kind == "ask":
        return home_of(job) if state.is_over or dialogue_of(job) is not None else ""
    if job.kind not in SEARCHES or state.status != "done":
        return ""
    door: str = request.app.state.shelf.door(job.out)
    return door if job.way == "clean" else f"/search/{job.name}/results"


def _shown(request: Request, job: Job) -> dict[str, Any]:
    state = job.state()
    is_done = state.status == "done" and job.kind not in SEARCHES
    folder = _folder(request, job)
    manifest = read_object(folder / MANIFEST) if is_done else None
    return {
        "job": job,
        "state": state,
        "numbers": (manifest or {}).get("evaluation"),
        "files": _files(folder) if is_done else [],
    }


def _folder(request: Request, job: Job) -> Path:
    if not job.out:
        raise GoneError("this has not been started; begin it again")
    return inside(request.app.state.settings, job.out)


def _files(folder: Path) -> list[Path]:
    """The plain files of a folder, by name."""
    if not folder.is_dir():
        return []
    plain = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    return [path for path in sorted(plain) if path.name[0] != "."]
