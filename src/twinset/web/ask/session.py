"""The dialogue about the documents of a search: its folder, the job that asks, where it stands."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from fastapi import Request

from twinset.lab.asking.exchange import STATE, AskState, read_state
from twinset.plan import Plan, ReadOptions
from twinset.spec import options_of
from twinset.verify.side_by_side import SideBySide, side_by_side
from twinset.web import tasks
from twinset.web.jobs import Job, State
from twinset.web.render import address
from twinset.web.searches import SavedSearch
from twinset.web.wizard.steps import searches_of

PLAN = "plan.toml"
QUESTIONS = 30
_STARTING = threading.Lock()
Phase = Literal["begin", "preparing", "question", "result", "failed"]


@dataclass(frozen=True)
class Glance:
    """What a page has to show, how far the job is, and where the dialogue stands."""

    phase: Phase
    job: State | None
    dialogue: AskState


@dataclass(frozen=True)
class AskSession:
    """A dialogue; ``folder`` holds its plan, its answers and what it says to the job."""

    search: SavedSearch
    folder: Path
    job: Job | None

    @property
    def plan(self) -> Path:
        """The plan as it stands after the last answer."""
        return self.folder / PLAN

    def job_state(self) -> State | None:
        """How far the job is; None before the first one."""
        return None if self.job is None else self.job.state()

    def state(self) -> AskState | None:
        """Where the dialogue stands; None while its job prepares, also after a new start."""
        if self.job is None or not self._is_of_job():
            return None
        return read_state(self.folder)

    def phase(self) -> Phase:
        """What a page has to show."""
        return self.glance().phase

    def glance(self) -> Glance:
        """What a page has to show, of one moment: the job goes on while the page is made."""
        job = self.job_state()
        state = None if job is None else self.state()
        return Glance(self._phase(job, state), job, state or AskState())

    def _phase(self, job: State | None, state: AskState | None) -> Phase:
        if job is None:
            return "begin"
        if not job.is_over:
            if state is None:
                return "preparing"
            return "result" if state.is_over or state.question is None else "question"
        return "result" if job.status == "done" and self.plan.is_file() else "failed"

    def to(self, page: str = "", **query: Any) -> str:
        """The address of a part of the page, as the view of a report has it."""
        path = f"/search/{self.search.name}/ask" + (f"/{page}" if page else "")
        return address(path, **query)

    def _is_of_job(self) -> bool:
        """Whether the file of the state was written by the last job."""
        assert self.job is not None
        try:
            created: float = self.job.facts["created"]
            return (self.folder / STATE).stat().st_mtime >= created
        except OSError:
            return False


def session_of(request: Request, search: SavedSearch) -> AskSession:
    """The dialogue about the documents of a search, as they are read now.

    Other documents, or others ways to read them, have a dialogue of their own.
    """
    key = json.dumps([search.paths, _reading(search)]).encode()
    folder = searches_of(request).home(search.name) / f"ask-{hashlib.sha256(key).hexdigest()[:12]}"
    jobs = tasks.earlier(request, "ask", search=search.name, out=str(folder))
    return AskSession(search, folder, jobs[0] if jobs else None)


def start(request: Request, search: SavedSearch, questions: int) -> None:
    """Start the job that asks, if none does; answers that are there already count."""
    with _STARTING:  # a button may be pressed twice
        session = session_of(request, search)
        state = session.job_state()
        if state is None or state.is_over:
            _start(request, session, questions)


def _start(request: Request, session: AskSession, questions: int) -> None:
    session.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings = request.app.state.settings
    bounds = [part for root in settings.bounds for part in ("--within", root)]
    command = [
        "ask",
        *session.search.paths,
        "-o",
        str(session.plan),
        "--questions",
        str(questions),
        *_reading(session.search),
        "--exchange",
        str(session.folder),
        *bounds,
        "--json",
    ]
    about = {"title": session.search.title, "search": session.search.name}
    tasks.start(request, "ask", command, session.folder, **about)


def _reading(search: SavedSearch) -> list[str]:
    """The options of reading that differ from the usual ones, as words of the command line."""
    options = {n: v for n, v in search.options.items() if n in options_of(ReadOptions)}
    return Plan.make(**options).arguments()


@lru_cache(maxsize=6)
def compared(left: str, right: str) -> SideBySide:
    """Two texts side by side, kept for the parts of the page that follow."""
    return side_by_side(left, right)
