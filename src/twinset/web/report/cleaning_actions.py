"""Removing what is marked: what will happen, doing it, undoing it, and what was done.

Nothing outside the allowed folders is touched, whatever a report or a journal names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.review.cleaning.actions import (
    ActionOutcome,
    ActionPlan,
    How,
    as_csv,
    as_script,
    carry_out,
    folder_beside,
    history,
    plan_actions,
    undo,
)
from twinset.web.render import go
from twinset.web.report.cleaning import answer, cleaning_of
from twinset.web.report.cleaning_plans import ShownOutcome, ShownPlan, bounded, mark_of
from twinset.web.report.cleaning_view import CleaningView
from twinset.web.settings import ForbiddenError, Settings, inside
from twinset.web.works import Tell, Work, Works

router = APIRouter(prefix="/report/{name}/clean")
WAYS: tuple[How, ...] = ("trash", "move", "hard-link", "symbolic-link")


@router.get("/remove")
def look(request: Request, name: str, how: str = "trash", target: str = "") -> Response:
    """What will happen to the marked files, by the chosen way."""
    clean = cleaning_of(request, name)
    settings = request.app.state.settings
    way, folder = _way(how), target or _usual_target(settings, clean.cleaning.root)
    fragment = request.headers.get("hx-target") == "plan"
    template = "clean_plan.html" if fragment else "clean_remove.html"
    values: dict[str, Any] = {"ways": WAYS, "how": way, "target": folder}
    if clean.cleaning.totals.files:
        plan = _plan(request, clean, way, folder)
        values["plan"] = ShownPlan.of(plan, clean.words)
    return answer(request, clean, template, **values)


@router.post("/remove")
def remove(
    request: Request,
    name: str,
    how: Annotated[str, Form()],
    target: Annotated[str, Form()] = "",
    mark: Annotated[str, Form()] = "",
) -> Response:
    """Begin to do what was shown; refused where that is not what would happen now."""
    clean = cleaning_of(request, name)
    plan = _plan(request, clean, _way(how), target)
    if mark != mark_of(plan):
        raise PlanError(["the list has changed since you looked at it; look once more, then go on"])
    if not plan.steps:
        raise PlanError(["no file can be removed in this way; choose another way"])
    work = _works(request).start(
        clean.view.name, plan.how, lambda tell: _carry_out(clean, plan, tell), target=target
    )
    return go(f"{clean.address}/removal/{work.name}")


@router.get("/removal/{work}")
def watch(request: Request, name: str, work: str) -> Response:
    """How far the work is, and at its end what was done."""
    clean = cleaning_of(request, name)
    known = _works(request).find(clean.view.name, work)
    fragment = request.headers.get("hx-target") == "work"
    template = "clean_work_part.html" if fragment else "clean_work.html"
    return answer(request, clean, template, work=known, outcome=_outcome(clean, known))


@router.post("/undo")
def bring_back(request: Request, name: str, operation: Annotated[str, Form()]) -> Response:
    """Begin to bring the files of an operation back."""
    clean = cleaning_of(request, name)
    home = request.app.state.settings.home
    past = next((past for past in history(home) if past.id == operation), None)
    if past is None:
        raise PlanError([f"there is no operation '{operation}'; see what was done"])
    for folder in {path.parent for step in past.standing for path in step.touched}:
        inside(request.app.state.settings, folder)
    work = _works(request).start(
        clean.view.name, "undo", lambda tell: _undo(clean, operation, tell)
    )
    return go(f"{clean.address}/removal/{work.name}")


@router.get("/history")
def past(request: Request, name: str) -> Response:
    """What was done with files from this page, the latest first."""
    clean = cleaning_of(request, name)
    operations = history(request.app.state.settings.home)
    return answer(
        request, clean, "clean_history.html", history=operations, ignored=clean.cleaning.ignored()
    )


@router.get("/list.csv")
def spreadsheet(request: Request, name: str) -> Response:
    """The marked files as a table, with their reasons."""
    clean = cleaning_of(request, name)
    table = as_csv(_plan(request, clean, "script", ""), clean.words.reason)
    return _download(table, "text/csv", "what-can-go.csv")


@router.get("/script.sh")
def script(request: Request, name: str) -> Response:
    """A script that moves the marked files, to be read and run by hand."""
    clean = cleaning_of(request, name)
    lines = as_script(_plan(request, clean, "script", ""))
    return _download(lines, "text/x-shellscript", "what-can-go.sh")


def _plan(request: Request, clean: CleaningView, how: How, target: str) -> ActionPlan:
    settings: Settings = request.app.state.settings
    folder = inside(settings, target) if how == "move" else None
    return bounded(plan_actions(clean.cleaning, how, folder), settings)


def _carry_out(clean: CleaningView, plan: ActionPlan, tell: Tell) -> ActionOutcome:
    try:
        return carry_out(plan, lambda done, total, path: tell(done, total, path.name))
    finally:
        clean.cleaning.look_again()


def _undo(clean: CleaningView, operation: str, tell: Tell) -> ActionOutcome:
    try:
        home = clean.cleaning.home
        return undo(home, operation, lambda done, total, path: tell(done, total, path.name))
    finally:
        clean.cleaning.look_again()


def _way(how: str) -> How:
    for way in WAYS:
        if way == how:
            return way
    raise PlanError([f"there is no way '{how}' to remove files; choose {', '.join(WAYS)}"])


def _usual_target(settings: Settings, root: Path) -> str:
    """A folder beside the searched one, where that is allowed; else in the page's own folder."""
    beside = folder_beside(root)
    try:
        return str(inside(settings, beside))
    except ForbiddenError:
        return str(settings.home / beside.name)


def _outcome(clean: CleaningView, work: Work[Any]) -> ShownOutcome | None:
    return None if work.outcome is None else ShownOutcome.of(work.outcome, clean.words)


def _works(request: Request) -> Works:
    works: Works = request.app.state.works
    return works


def _download(content: bytes, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=f"{kind}; charset=utf-8")
