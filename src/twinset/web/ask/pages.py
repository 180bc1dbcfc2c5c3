"""The addresses of a dialogue: its question, answers, and the plan that comes out of it."""

from __future__ import annotations

import dataclasses
import time
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.lab.asking.exchange import GLANCE, AskState, say, wait_until_heard
from twinset.lab.asking.expecting import CopiesChanged, WorthAsking
from twinset.pages.charts import Curves
from twinset.pages.language import speaker
from twinset.plan import ReadOptions, read_plan
from twinset.report.pair_rows import place_of, unfolded, window
from twinset.spec import options_of
from twinset.web import tasks
from twinset.web.ask.session import PLAN, QUESTIONS, AskSession, compared, session_of, start
from twinset.web.faults import GoneError
from twinset.web.render import go, language_of, render
from twinset.web.searches import options_in
from twinset.web.settings import inside
from twinset.web.wizard.steps import ensure_readable, find, searches_of

router = APIRouter(prefix="/search")
ITEMS, MOST_UNFOLDED = 120, 400
PATIENCE = 3.0  # seconds: an answer takes a tenth of one
MORE = 10  # questions that are asked in addition
MOST_QUESTIONS = 500


@router.post("/ask")
def new(request: Request, documents: Annotated[str, Form()] = "") -> Response:
    """A new search over a folder or a file, which begins with questions."""
    if not documents.strip():
        raise PlanError(["no documents are named; choose a folder or a file"])
    path = inside(request.app.state.settings, documents.strip())
    search = searches_of(request).new(paths=(str(path),), title=path.stem)
    return go(f"/search/{search.name}/ask")


@router.get("/{name}/ask")
def ask(request: Request, name: str, taken: int = 0, at: int | None = None) -> Response:
    """The page: how far the preparation is, the question, or the result.

    ``at`` begins at a difference; ``taken`` says that another window was quicker.
    """
    search = find(request, name)
    if not search.paths:
        return go(f"/search/{name}/documents")
    session = session_of(request, search)
    return render(request, "ask.html", taken=bool(taken), **_shown(request, session, at))


@router.get("/{name}/ask/part")
def part(request: Request, name: str) -> Response:
    """How far the preparation is; a page that watches it moves on to the first question."""
    session = session_of(request, find(request, name))
    shown = _shown(request, session)
    answer = render(request, "ask_progress.html", **shown)
    if shown["phase"] != "preparing":
        answer.headers["hx-redirect"] = session.to()
    return answer


@router.post("/{name}/ask")
def begin(request: Request, name: str, more: Annotated[int, Form()] = 0) -> Response:
    """Prepare the questions, or go on with some more of them."""
    session = _changeable(request, name)
    job = session.job_state()
    if job is not None and not job.is_over and not more:
        return go(session.to())
    ensure_readable(request, session.search)
    _end(session)
    answers = _answers(session)
    start(request, session.search, max(QUESTIONS, min(answers + max(more, 0), MOST_QUESTIONS)))
    return go(session.to())


@router.post("/{name}/ask/answer")
def answer(
    request: Request,
    name: str,
    said: Annotated[str, Form()],
    left: Annotated[str, Form()] = "",
    right: Annotated[str, Form()] = "",
) -> Response:
    """Take an answer, or the last one back."""
    session = _changeable(request, name)
    if said not in ("yes", "no", "unsure", "undo"):
        raise PlanError([f"'{said[:40]}' is no answer; answer yes, no or unsure"])
    if session.job is None:
        raise GoneError("these questions have not begun; begin them again")
    lines = say(session.folder, said, left, right)  # type: ignore[arg-type]
    state = session.job_state()
    if state is not None and state.is_over:  # it was idle, or killed: it finds the answer later
        start(request, session.search, max(QUESTIONS, _answers(session)))
        return go(session.to())
    wait_until_heard(session.folder, lines, PATIENCE)
    return go(session.to(taken=int(_was_taken(session, said, left, right))))


@router.post("/{name}/ask/cancel")
def cancel(request: Request, name: str) -> Response:
    """Stop the preparation; answers stay."""
    session = session_of(request, find(request, name))
    if session.job is not None:
        session.job.cancel()
    return go(session.to())


@router.post("/{name}/ask/enough")
def enough(request: Request, name: str) -> Response:
    """End the questions."""
    session = _changeable(request, name)
    _end(session)
    return go(session.to())


@router.post("/{name}/ask/use")
def use(request: Request, name: str) -> Response:
    """Search with the plan: it takes the place of the search's choices but those of reading."""
    session = _changeable(request, name)
    _end(session)
    reading = {n: v for n, v in session.search.options.items() if n in options_of(ReadOptions)}
    bounds = request.app.state.settings.bounds
    options = options_in(read_plan(_written(session).plan, bounds)) | reading
    searches_of(request).save(dataclasses.replace(session.search, options=options))
    return go(f"/search/{name}/clusters")


@router.get("/{name}/ask/file/{file}")
def file(request: Request, name: str, file: str) -> Response:
    """The plan or the answers, to save."""
    session = _written(session_of(request, find(request, name)))
    if file not in _files(session):
        raise GoneError(f"there is no file {file[:80]} of these questions")
    return tasks.answer(session.folder, file, keep=True)


@router.get("/{name}/ask/pair/rows")
def rows(request: Request, name: str, left: str, right: str, start: int = 0) -> Response:
    """More rows of the two texts."""
    session, side = _texts(request, name, left, right)
    shown = {"view": session, "side": side, "left": left, "right": right, "original": False}
    return render(request, "report_pair_rows.html", window=window(side, start, ITEMS), **shown)


@router.get("/{name}/ask/pair/fold")
def fold(request: Request, name: str, left: str, right: str, first: int, last: int) -> Response:
    """The first rows of a fold."""
    session, side = _texts(request, name, left, right)
    end = min(last, first + MOST_UNFOLDED)
    rest = (end, last) if end < last else None
    shown = {"view": session, "side": side, "left": left, "right": right, "original": False}
    items = unfolded(side, first, end)
    return render(request, "report_pair_lines.html", items=items, rest=rest, **shown)


def _shown(request: Request, session: AskSession, at: int | None = None) -> dict[str, Any]:
    language = language_of(request)
    now = session.glance()
    state = now.dialogue
    question = state.question if now.phase == "question" else None
    side = compared(question["left_text"], question["right_text"]) if question else None
    begin = 0
    if side is not None and at is not None and side.differences:
        begin = place_of(side, max(0, min(at, len(side.differences) - 1)))
    return {
        "session": session,
        "view": session,
        "search": session.search,
        "phase": now.phase,
        "job": session.job,
        "state": now.job,
        "dialogue": state,
        "question": question,
        "side": side,
        "window": None if side is None else window(side, begin, ITEMS),
        "at": at,
        "left": question["left"] if question else "",
        "right": question["right"] if question else "",
        "original": False,
        "signals": question["signals"].get(language, []) if question else [],
        **_last_words(state, language),
        "chart": _chart(request, state),
        "files": _files(session),
        "questions": QUESTIONS,
        "more": MORE,
        "is_fixed": bool(session.search.job),
    }


def _last_words(state: AskState, language: str) -> dict[str, str]:
    """What the last answer has changed, and how much more is worth asking."""
    if not state.steps:
        return {"changed": "", "worth": ""}
    last = state.steps[-1]
    return {
        "changed": CopiesChanged(**last["change"]).in_words(language),
        "worth": WorthAsking(**last["outlook"]).in_words(language),
    }


def _chart(request: Request, state: AskState) -> Curves | None:
    """How the expected precision and recall changed with the answers."""
    t = speaker(language_of(request))
    series = []
    for name in ("precision", "recall"):
        points = [
            (float(n), step[name])
            for n, step in enumerate(state.steps, 1)
            if step[name] is not None
        ]
        if len(points) > 1:
            series.append((t(f"ask.{name}"), points))
    if not series:
        return None
    return Curves(series=series, title=t("ask.chart"), x_label=t("ask.answers_axis"), height=190)


def _answers(session: AskSession) -> int:
    state = session.state()
    return len(state.steps) if state is not None else 0


def _was_taken(session: AskSession, said: str, left: str, right: str) -> bool:
    """Whether another window has answered this question before, and otherwise."""
    state = session.state()
    if state is None or said == "undo":
        return False
    earlier = [
        step["answer"] for step in state.steps if (step["left"], step["right"]) == (left, right)
    ]
    return bool(earlier) and earlier[-1] != said


def _changeable(request: Request, name: str) -> AskSession:
    search = find(request, name)
    if search.job:
        raise PlanError(["this search has been started; make a changed copy of it instead"])
    if not search.paths:
        raise PlanError(["no documents are chosen yet; add a folder or files, or drop some"])
    return session_of(request, search)


def _end(session: AskSession) -> None:
    """Tell a job that it was enough, and wait for its end: another one may follow."""
    if session.phase() not in ("question", "result"):
        return
    end = time.monotonic() + PATIENCE
    while (state := session.job_state()) is not None and not state.is_over:
        dialogue = session.state()
        if dialogue is not None and not dialogue.is_over:
            wait_until_heard(session.folder, say(session.folder, "enough"), PATIENCE)
        if time.monotonic() > end:
            return
        time.sleep(GLANCE)


def _written(session: AskSession) -> AskSession:
    if not session.plan.is_file():
        raise GoneError("there is no plan of these questions yet; answer some first")
    return session


def _files(session: AskSession) -> list[str]:
    names = (PLAN, "plan.answers.jsonl")
    return [name for name in names if (session.folder / name).is_file()]


def _texts(request: Request, name: str, left: str, right: str) -> tuple[AskSession, Any]:
    """The two texts of the current question; other ones are not handed out."""
    session = session_of(request, find(request, name))
    state = session.state()
    question = state.question if state is not None else None
    if question is None or (question["left"], question["right"]) != (left, right):
        raise GoneError("this question is not asked any more; go to the current one")
    return session, compared(question["left_text"], question["right_text"])
