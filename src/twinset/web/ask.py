"""Questions about pairs, from which the plan of a search is made.

The job is ``twinset ask --exchange``, so that a dialogue outlives the page and the server; every
answer is on the disk before the next question is shown.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.finding.verify.side_by_side import side_by_side
from twinset.lab.ask import CopiesChanged, WorthAsking
from twinset.lab.exchange import GLANCE, AskState, say, wait_until_heard
from twinset.plan import Plan, ReadOptions, read_plan
from twinset.plan.spec import options_of
from twinset.web.jobs import Job, State, jobs_of
from twinset.web.progress import FILES, dialogue_of, home_of
from twinset.web.render import GoneError, go, language_of, render
from twinset.web.report.pair import beside
from twinset.web.searches import changeable, ensure_readable, find, options_in, start

router = APIRouter(prefix="/search")
PATIENCE = 3.0  # seconds: an answer takes a tenth of one
QUESTIONS = 30
MORE = 10  # questions that are asked in addition
MOST_QUESTIONS = 500
PLAN = "plan.toml"
_STARTING = threading.Lock()
_compared = lru_cache(maxsize=6)(side_by_side)
"""Two texts side by side, kept for the parts of the page that follow."""
Phase = Literal["begin", "preparing", "question", "result", "failed"]


@dataclass(frozen=True)
class AskSession:
    """The dialogue about the documents of a search, as they are read now.

    Its job, None before the first one, how far that is, and where the dialogue stands: all of one
    moment, for the job goes on while the page is made.
    """

    search: Job
    job: Job | None
    state: State | None
    dialogue: AskState | None

    @classmethod
    def of(cls, request: Request, search: Job) -> AskSession:
        """Other documents, or other ways to read them, have a dialogue of their own."""
        jobs = [
            job
            for job in jobs_of(request).all("ask", about=search.name)
            if (job.paths, job.options, job.is_started) == (search.paths, _reading(search), True)
        ]
        if not jobs:
            return cls(search, None, None, None)
        return cls(search, jobs[0], jobs[0].state(), dialogue_of(jobs[0]))

    @property
    def folder(self) -> Path:
        """Its plan, its answers, and what is said to the job."""
        if self.job is None:
            raise GoneError("these questions have not begun; begin them again")
        return Path(self.job.out)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The answers so far, with what each has changed."""
        return self.dialogue.steps if self.dialogue is not None else []

    @property
    def phase(self) -> Phase:
        """What a page has to show."""
        if self.state is None:
            return "begin"
        if self.state.is_over:
            has_plan = (self.folder / PLAN).is_file()
            return "result" if self.state.status == "done" and has_plan else "failed"
        if self.dialogue is None:
            return "preparing"
        is_asked = not self.dialogue.is_over and self.dialogue.question is not None
        return "question" if is_asked else "result"


@router.get("/{name}/ask")
def ask(request: Request, name: str, at: int | None = None, start: int = 0) -> Response:
    """The page: how far the preparation is, the question, or the result.

    The texts begin at the difference ``at`` or the item ``start``.
    """
    search = find(request, name)
    if not search.paths:
        return go(f"/search/{name}/documents")
    return render(request, "ask.html", **_shown(request, AskSession.of(request, search), at, start))


@router.post("/{name}/ask")
def begin(request: Request, name: str, more: Annotated[int, Form()] = 0) -> Response:
    """Prepare the questions, or go on with some more of them."""
    session = _changeable(request, name)
    if more or session.state is None or session.state.is_over:
        ensure_readable(request, session.search)
        _end(request, session)
        _start(request, session.search, min(len(session.steps) + max(more, 0), MOST_QUESTIONS))
    return go(f"/search/{name}/ask")


@router.post("/{name}/ask/answer")
def answer(
    request: Request,
    name: str,
    said: Annotated[Literal["yes", "no", "unsure", "undo"], Form()],
    left: Annotated[str, Form()] = "",
    right: Annotated[str, Form()] = "",
) -> Response:
    """Take an answer, or the last one back."""
    session = _changeable(request, name)
    lines = say(session.folder, said, left, right)
    now = AskSession.of(request, session.search)
    if now.state is not None and now.state.is_over:  # it was idle, or killed: it finds it later
        _start(request, session.search, len(now.steps))
        return go(f"/search/{name}/ask")
    wait_until_heard(session.folder, lines, PATIENCE)
    return go(f"/search/{name}/ask")


@router.post("/{name}/ask/enough")
def enough(request: Request, name: str) -> Response:
    """End the questions."""
    _end(request, _changeable(request, name))
    return go(f"/search/{name}/ask")


@router.post("/{name}/ask/use")
def use(request: Request, name: str) -> Response:
    """Search with the plan, which takes the place of the search's choices but those of reading.

    What it finds in a folder is shown as what can go.
    """
    session = _changeable(request, name)
    _end(request, session)
    plan = session.folder / PLAN
    if not plan.is_file():
        raise GoneError("there is no plan of these questions yet; answer some first")
    options = options_in(read_plan(plan, request.app.state.settings.bounds))
    search = session.search.with_(
        options=options | _reading(session.search),
        way="clean" if os.path.isdir(session.search.paths[0]) else "steps",
    )
    start(request, search)
    return go(home_of(search))


def _shown(request: Request, session: AskSession, at: int | None, start: int) -> dict[str, Any]:
    language, phase = language_of(request), session.phase
    state = session.dialogue or AskState()
    question = state.question if phase == "question" else None
    texts: dict[str, Any] = {}
    if question is not None:
        side = _compared(question["left_text"], question["right_text"])
        texts = {name: question[name] for name in ("left", "right")} | beside(side, start, at)
        texts["signals"] = question["signals"].get(language, [])
    last = state.steps[-1] if state.steps else None
    return {
        "address": f"/search/{session.search.name}/ask",
        "search": session.search,
        "phase": phase,
        "job": session.job,
        "state": session.state,
        "dialogue": state,
        "question": question,
        "at": at,
        # what the last answer has changed, and how much more is worth asking
        "changed": CopiesChanged(**last["change"]).in_words(language) if last else "",
        "worth": WorthAsking(**last["outlook"]).in_words(language) if last else "",
        "files": [PLAN, "plan.answers.jsonl"],
        "questions": QUESTIONS,
        "more": MORE,
        **texts,
    }


def _changeable(request: Request, name: str) -> AskSession:
    search = changeable(find(request, name))
    if not search.paths:
        raise PlanError(["no documents are chosen yet; add a folder or files"])
    return AskSession.of(request, search)


def _start(request: Request, search: Job, questions: int) -> None:
    """Start the job that asks, if none does; answers that are there already count."""
    with _STARTING:  # a button may be pressed twice
        session = AskSession.of(request, search)
        if session.state is not None and not session.state.is_over:
            return
        reading = _reading(search)
        facts = {"title": search.title, "about": search.name, "paths": search.paths}
        job = session.job or jobs_of(request).new("ask", options=reading, **facts)
        folder = job.folder / FILES
        folder.mkdir(exist_ok=True)
        asked = ["--questions", str(max(QUESTIONS, questions)), "--exchange", str(folder)]
        options = [*asked, *Plan.make(**reading).arguments(), *request.app.state.settings.within]
        command = ["ask", *search.paths, "-o", str(folder / PLAN), *options, "--json"]
        jobs_of(request).start(job.with_(out=str(folder)), command)


def _end(request: Request, session: AskSession) -> None:
    """Tell a job that it was enough, and wait for its end: another one may follow."""
    end = time.monotonic() + PATIENCE
    while session.phase in ("question", "result") and session.state is not None:
        if session.state.is_over or time.monotonic() > end:
            return
        if session.dialogue is not None and not session.dialogue.is_over:
            wait_until_heard(session.folder, say(session.folder, "enough"), PATIENCE)
        time.sleep(GLANCE)
        session = AskSession.of(request, session.search)


def _reading(search: Job) -> dict[str, Any]:
    """The options of reading that differ from the usual ones, and what is masked."""
    return {n: v for n, v in search.options.items() if n in {*options_of(ReadOptions), "mask"}}
