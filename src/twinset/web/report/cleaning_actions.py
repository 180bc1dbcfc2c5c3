"""Removing what is marked: what will happen, doing it, undoing it, and what was done.

Nothing outside the allowed folders is touched, whatever a report or a journal names.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.review.cleaning import actions
from twinset.review.cleaning.model import Reason, worded
from twinset.web.jobs import Move, Moves, Tell
from twinset.web.render import go
from twinset.web.report.cleaning import CleaningView, answer, cleaning_of
from twinset.web.settings import Settings, inside, is_allowed

router = APIRouter(prefix="/report/{name}/clean")
WAYS: tuple[actions.How, ...] = ("move",) if sys.platform == "darwin" else ("trash", "move")
LISTED = 500
"""Files of a plan that are listed by name."""
SORTS = {"revision": "version", "part": "part", "same-form": "other", "same-meaning": "other"}
"""What goes that is no copy, by its kind to the file that stays; all but parts lose text."""
NAMED = 5
"""Files of one refusal that are listed by name."""


@router.get("/remove")
def look(request: Request, name: str, how: str = WAYS[0], target: str = "") -> Response:
    """What will happen to the marked files, by the chosen way."""
    clean = cleaning_of(request, name)
    settings = request.app.state.settings
    way, folder = _way(how), target or _usual_target(settings, clean.cleaning.root)
    values: dict[str, Any] = {"ways": WAYS, "how": way, "target": folder}
    if clean.cleaning.totals(clean.acted_on).files:
        plan = _plan(request, clean, way, folder)
        named = [(step.file.path, step.keeper.path) for step in plan.steps[:LISTED]]
        values["plan"] = {
            "count": len(plan.steps),
            "bytes": plan.bytes,
            "sorts": Counter(SORTS.get(step.kind or "", "copy") for step in plan.steps),
            "files": [tuple(map(clean.below, paths)) for paths in named],
            "refused": _refusals(plan.refused, clean),
            "refused_count": len(plan.refused),
            "mark": _mark_of(plan),
        }
    return answer(request, clean, "clean_remove.html", **values)


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
    if mark != _mark_of(plan):
        raise PlanError(["the list has changed since you looked at it; look once more, then go on"])
    if not plan.steps:
        raise PlanError(["no file can be removed in this way; choose another way"])
    return _start(request, clean, plan.how, lambda tell: actions.carry_out(plan, tell), target)


@router.get("/removal/{move}")
def watch(request: Request, name: str, move: str) -> Response:
    """How far the move is, and at its end what was done."""
    clean = cleaning_of(request, name)
    known = _moves(request).find(clean.view.name, move)
    values: dict[str, Any] = {"state": known.state(), "move": known, "outcome": known.outcome}
    values["refused"] = _refusals(known.outcome.refused, clean) if known.outcome else []
    return answer(request, clean, "clean_move.html", **values)


@router.post("/removal/{move}/cancel")
def stop(request: Request, name: str, move: str) -> Response:
    """End a move after the file at hand."""
    clean = cleaning_of(request, name)
    _moves(request).find(clean.view.name, move).cancel()
    return go(f"{clean.address}/removal/{move}")


@router.post("/undo")
def bring_back(
    request: Request,
    name: str,
    operation: Annotated[str, Form()],
    step: Annotated[int | None, Form()] = None,
) -> Response:
    """Begin to bring the files of an operation back, or that of one step."""
    clean = cleaning_of(request, name)
    home = request.app.state.settings.home
    past = next((past for past in actions.history(home) if past.id == operation), None)
    if past is None:
        raise PlanError([f"there is no operation '{operation}'; see what was done"])
    for folder in {path.parent for each in past.standing for path in each.touched}:
        inside(request.app.state.settings, folder)
    return _start(request, clean, "undo", lambda tell: actions.undo(home, operation, tell, step))


@router.get("/history")
def past(request: Request, name: str) -> Response:
    """What was done with files from this page, the latest first."""
    clean = cleaning_of(request, name)
    operations = actions.history(clean.cleaning.home)
    return answer(request, clean, "clean_history.html", history=operations, most=LISTED)


@router.get("/list.csv")
def spreadsheet(request: Request, name: str) -> Response:
    """The marked files as a table, with their reasons."""
    clean = cleaning_of(request, name)
    plan = _plan(request, clean, "trash", "")
    table = actions.as_csv(plan, lambda reason: worded(reason, clean.language))
    headers = {"content-disposition": 'attachment; filename="what-can-go.csv"'}
    return Response(table, headers=headers, media_type="text/csv; charset=utf-8")


def _plan(
    request: Request, clean: CleaningView, how: actions.How, target: str
) -> actions.ActionPlan:
    """The part of a plan inside the allowed folders; other files are refused."""
    settings: Settings = request.app.state.settings
    folder = inside(settings, target) if how == "move" else None
    plan = actions.plan_actions(clean.cleaning, how, folder, query=clean.acted_on)
    sides = [(step.file.path.parent, step.keeper.path.parent) for step in plan.steps]
    named = {folder for pair in sides for folder in pair}
    allowed = {folder for folder in named if is_allowed(settings, folder)}
    steps, refused = [], list(plan.refused)
    for step, folders in zip(plan.steps, sides, strict=True):
        if allowed.issuperset(folders):
            steps.append(step)
        else:
            refused.append(actions.Refusal(step.file.path, Reason("refused_outside")))
    return dataclasses.replace(plan, steps=tuple(steps), refused=tuple(refused))


def _mark_of(plan: actions.ActionPlan) -> str:
    """A digest of what a plan does, to know later that it is what was shown."""
    digest = hashlib.blake2b(f"{plan.how}\0{plan.target}".encode("utf-8", "surrogateescape"))
    for step in plan.steps:
        names = os.fsencode(step.file.path), os.fsencode(step.keeper.path)
        digest.update(b"\0".join(names) + b"\0")
    return digest.hexdigest()[:32]


def _refusals(
    refused: Iterable[actions.Refusal], clean: CleaningView
) -> list[tuple[str, list[str], int]]:
    """For each reason the first names of the refused files, and how many more."""
    by_reason: dict[str, list[str]] = {}
    for refusal in refused:
        words = worded(refusal.reason, clean.language)
        by_reason.setdefault(words, []).append(clean.below(refusal.path))
    return [(why, names[:NAMED], len(names) - NAMED) for why, names in by_reason.items()]


def _start(
    request: Request, clean: CleaningView, how: str, do: Callable[[Tell], Any], target: str = ""
) -> Response:
    """Move files in a thread, after which the list looks at the folder again."""

    def do_and_look(tell: Tell) -> actions.ActionOutcome:
        try:
            outcome: actions.ActionOutcome = do(tell)
            return outcome
        finally:
            clean.cleaning.look_again()

    move = _moves(request).start(Move(clean.view.name, how, target), do_and_look)
    return go(f"{clean.address}/removal/{move.name}")


def _way(how: str) -> actions.How:
    for way in WAYS:
        if way == how:
            return way
    raise PlanError([f"there is no way '{how}' to remove files; choose {', '.join(WAYS)}"])


def _usual_target(settings: Settings, root: Path) -> str:
    """A folder beside the searched one, where that is allowed; else in the page's own folder."""
    beside = actions.folder_beside(root)
    return str(beside if is_allowed(settings, beside) else settings.home / beside.name)


def _moves(request: Request) -> Moves:
    moves: Moves = request.app.state.moves
    return moves
