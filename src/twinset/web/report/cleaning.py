"""What can go: the list of copies with the file that stays, and the marks of what goes.

A click changes a mark and gets its group again, with the totals; what changes many groups gets the
list again. The address in the browser says which part of the list is shown.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.background import BackgroundTask

from twinset.errors import PlanError, TwinsetError
from twinset.review import ReportIndex, ReportTexts
from twinset.review.cleaning.model import Action
from twinset.review.cleaning.rules import MarkRule
from twinset.review.cleaning.selection import Change
from twinset.web.opening import open_file, open_folder
from twinset.web.render import go
from twinset.web.report.cleaning_view import ALL_ROWS, AskedGroups, CleaningView, cleaning_view
from twinset.web.reports import show, view

router = APIRouter(prefix="/report/{name}/clean")
Sent = Annotated[int, Form()]
"""The number of a document or group, as a form sends it."""


@router.get("")
def page(request: Request, name: str, asked: Annotated[AskedGroups, Depends()]) -> Response:
    """The whole page, or the groups alone for a request of the page itself."""
    seen = view(request, name)
    clean = cleaning_view(request, seen, asked)
    if clean is None:
        return show(request, "clean_none.html", seen, here_is="clean")
    if request.headers.get("hx-target") == "groups":
        return answer(request, clean, "clean_groups.html", **clean.groups())
    response = answer(request, clean, "clean.html", **clean.page())
    # The next click may ask what differs: the folder is looked through before it.
    response.background = BackgroundTask(_prepare_texts, seen.index)
    return response


def _prepare_texts(index: ReportIndex) -> None:
    with suppress(TwinsetError):
        ReportTexts.of(index).inputs()


@router.get("/group/{number}")
def group(request: Request, name: str, number: int) -> Response:
    """All files of one group."""
    clean = cleaning_of(request, name)
    return answer(request, clean, "clean_group.html", group=clean.group(number, ALL_ROWS))


@router.get("/changes")
def changes(request: Request, name: str, group: int, document: int) -> Response:
    """What differs between a file of a group and the one that stays; long texts take time."""
    clean = cleaning_of(request, name)
    phrases = clean.cleaning.changes(group, [known_file(clean, document)])
    return answer(request, clean, "clean_changes.html", changes=phrases[document])


@router.post("/mark")
def mark(
    request: Request,
    name: str,
    document: Sent,
    group: Sent,
    goes: Annotated[str, Form()] = "",
) -> Response:
    """Mark one file as going or staying; the last copy of something is refused."""
    clean = cleaning_of(request, name)
    action: Action = "remove" if goes else "keep"
    before = clean.cleaning.group(group, rows=1).keeper.document
    change = clean.cleaning.set_action([known_file(clean, document)], action)
    after = clean.cleaning.group(group, rows=1).keeper.document
    if change.refused or before != after or "hx-request" not in request.headers:
        answered = _changed_group(request, clean, group, change)
        answered.headers["hx-retarget"] = f"#group-{group}"
        answered.headers["hx-reswap"] = "outerHTML"
        return answered
    return answer(request, clean, "clean_marked.html", group=clean.group(group))


@router.post("/keeper")
def keeper(
    request: Request,
    name: str,
    document: Sent,
    group: Sent,
) -> Response:
    """Let this file of a group stay and its copies go."""
    clean = cleaning_of(request, name)
    change = clean.cleaning.set_keeper(group, known_file(clean, document))
    return _changed_group(request, clean, group, change)


@router.post("/ignore")
def ignore(
    request: Request,
    name: str,
    document: Sent,
    group: Sent,
) -> Response:
    """Note that a file is no copy of the one that stays, for this and later searches."""
    clean = cleaning_of(request, name)
    stays = clean.cleaning.group(group, rows=1).keeper.document
    clean.cleaning.ignore(stays, known_file(clean, document))
    return changed_list(request, clean)


@router.post("/ignored")
def stop_ignoring(request: Request, name: str, line: Sent) -> Response:
    """Take such a note back."""
    clean = cleaning_of(request, name)
    if line not in [pair.line for pair in clean.cleaning.ignored()]:
        raise PlanError(["this pair is not among those noted as no copies any more"])
    clean.cleaning.stop_ignoring([line])
    return go(f"{clean.address}/history")


@router.post("/settle")
def settle(request: Request, name: str) -> Response:
    """Let all files go that are byte for byte the same as the one that stays."""
    clean = cleaning_of(request, name)
    return changed_list(request, clean, clean.cleaning.settle_equal())


@router.post("/rule")
def rule(
    request: Request,
    name: str,
    rule: Annotated[str, Form()] = "",
    folder: Annotated[str, Form()] = "",
) -> Response:
    """Mark by a rule in the groups that the list shows, or turn their marks around."""
    clean = cleaning_of(request, name)
    shown = clean.asked.query()
    if rule == "invert":
        return changed_list(request, clean, clean.cleaning.invert(shown))
    below = clean.cleaning.root / folder if folder else None
    chosen = MarkRule(rule, below)  # type: ignore[arg-type]
    return changed_list(request, clean, clean.cleaning.apply_rule(chosen, shown))


@router.post("/back")
def take_back(request: Request, name: str) -> Response:
    """Take the last mark back."""
    clean = cleaning_of(request, name)
    clean.cleaning.undo()
    return changed_list(request, clean)


@router.post("/open")
def open_it(
    request: Request,
    name: str,
    document: Sent,
    what: Annotated[str, Form()] = "file",
) -> Response:
    """Open a file of the report, or its folder, on this machine."""
    clean = cleaning_of(request, name)
    path = clean.cleaning.file(known_file(clean, document)).path
    settings = request.app.state.settings
    if what == "folder":
        open_folder(settings, path)
    else:
        open_file(settings, path)
    return Response(status_code=204)


def cleaning_of(request: Request, name: str) -> CleaningView:
    """The list over a report, as the page that sent a request shows it."""
    clean = cleaning_view(request, view(request, name), AskedGroups.current(request))
    if clean is None:
        raise PlanError(["this report holds no files of a folder, so there is nothing to remove"])
    return clean


def answer(request: Request, clean: CleaningView, template: str, **values: Any) -> Response:
    """A page or a fragment of the list."""
    return show(request, template, clean.view, **clean.always(), **values)


def known_file(clean: CleaningView, document: int) -> int:
    """The number of a document, if the report has it."""
    files = clean.cleaning.files
    if not 0 <= document < len(files) or not files.named[document]:
        raise PlanError([f"there is no file {document} in this report; load the list again"])
    return document


def _changed_group(
    request: Request, clean: CleaningView, number: int, change: Change | None = None
) -> Response:
    """A group as it is now; empty where it is none any more."""
    if "hx-request" not in request.headers:
        return go(clean.address)
    group = clean.group_or_none(number, change)
    return answer(request, clean, "clean_changed.html", group=group)


def changed_list(
    request: Request, clean: CleaningView, change: Change | None = None, **more: Any
) -> Response:
    """The list as it is now."""
    if request.headers.get("hx-target") != "groups":
        return go(clean.address)
    values = clean.groups() | more
    return answer(request, clean, "clean_changed.html", change=change, **values)
