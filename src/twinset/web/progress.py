"""How far a job is, its end, and what it has made: numbers, pictures, its page, files to keep.

A job other than a search is shown by what is in its folder. So a new command of the library needs
a form alone.
"""

from __future__ import annotations

import json
import mimetypes
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from twinset.lab.evaluate import COMPARATOR
from twinset.lab.exchange import STATE, AskState, read_state
from twinset.lab.experiment_result import BEST
from twinset.plan import read_plan
from twinset.system.bounded import open_regular
from twinset.web.jobs import ABOUT, SEARCHES, Job, State, jobs_of
from twinset.web.render import GoneError, go, in_language, language_of, render
from twinset.web.searches import options_in
from twinset.web.settings import Settings, inside

router = APIRouter(prefix="/job/{name}")
FILES = "files"  # the folder of what a job makes, in its own
WITH_PAGE = ("evaluate", "compare")
"""Jobs whose commands write a page in a language."""
# Our pages and pictures bring their style along; scripts and everything else stay blocked.
SEALED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PLANS = {"compare": BEST, "tune": "plan.toml"}
"""The files of plans that jobs make."""
HEAD_BYTES = 64 << 10
LOOKED_AT = (".html", ".svg", ".png")


def run(
    request: Request,
    kind: str,
    sources: list[str],
    options: list[str],
    *,
    file: str = "",
    **facts: Any,
) -> Job:
    """Run a command that writes a new folder, or a ``file`` in it, kept in bounds."""
    settings: Settings = request.app.state.settings
    job = jobs_of(request).new(kind, **facts)
    out = job.folder / FILES
    if file:
        out.mkdir()
    language = in_language(language_of(request)) if kind in WITH_PAGE else []
    within = [] if kind == "evaluate" else settings.within
    command = [kind, *sources, "-o", str(out / file), *options, *within, *language, "--json"]
    return jobs_of(request).start(job.with_(out=str(out)), command)


def home_of(job: Job) -> str:
    """The page that a job is watched on: that of its search, of its questions, or its own."""
    if job.kind in SEARCHES and job.way == "steps":
        return f"/search/{job.name}/clusters"
    return f"/search/{job.about}/ask" if job.kind == "ask" else f"/job/{job.name}"


@router.get("")
def page(request: Request, name: str) -> Response:
    """A job on a page of its own; of a search that is done, its result."""
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


@router.post("/search")
def search_again(request: Request, name: str) -> Response:
    """A new search with the plan that was recommended, or was the best."""
    job = jobs_of(request).find(name, *PLANS)
    options = options_in(read_plan(Path(job.out) / PLANS[job.kind]))
    search = jobs_of(request).new(paths=job.paths, title=job.title, options=options)
    return go(f"/search/{search.name}/image")


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
    if job.way == "clean":
        return f"/report/{request.app.state.shelf.put(job.out)}/clean"
    return f"/search/{job.name}/results"


def _shown(request: Request, job: Job) -> dict[str, Any]:
    state = job.state()
    is_done = state.status == "done" and job.kind not in SEARCHES
    folder = _folder(request, job)
    return {
        "job": job,
        "state": state,
        "numbers": _numbers(job) if is_done else {},
        "files": _files(folder) if is_done else [],
        "texts": {name: _head(folder / name) for name in (COMPARATOR, BEST)},
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


def _numbers(job: Job) -> dict[str, Any]:
    """The JSON object that the command has printed."""
    lines = [line for line in job.output().splitlines() if line.startswith("{")]
    try:
        numbers: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {}
    return numbers


def _head(file: Path) -> str:
    """The first whole lines of a text; empty where there is none."""
    try:
        with open_regular(file) as opened:
            text = opened.read(HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if len(text) < HEAD_BYTES else text[: text.rfind("\n") + 1]
