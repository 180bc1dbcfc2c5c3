"""What the steps share: the search of an address, its form and state, and the page of a step."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from twinset.errors import PlanError
from twinset.plan import Plan, ReadOptions
from twinset.reading.preview import Preview, preview
from twinset.spec import Option, options_of
from twinset.web.faults import GoneError
from twinset.web.filled import files_named, filled_in, read_form
from twinset.web.forms import Drawing, Form
from twinset.web.jobs import State
from twinset.web.render import language_of, render
from twinset.web.searches import KINDS, SavedSearch, Searches
from twinset.web.settings import inside
from twinset.web.tasks import MODEL, earlier

STEPS = ("documents", "image", "clusters", "results", "compare")
FIRST = {
    "documents": ("html",),
    "image": ("level", "level.size", "level.inside", "threshold", "recall", "method"),
    "clusters": ("clusters", "k", "share", "miner", "keep"),
}
"""The options that a step shows at once; all others are one click away."""
OF_DOCUMENTS = ("clusters", "kinds", "drop_boilerplate")
"""Options that have no meaning for units of documents."""
GROUPS_OF_CLUSTERS = ("Clusters", "Output")
PREVIEWED, CHARACTERS = 6, 500  # documents that a preview shows, and how much of each
BUTTONS = "go"  # the name of the buttons of a form


def searches_of(request: Request) -> Searches:
    """The searches of this page."""
    return Searches(request.app.state.settings)


def find(request: Request, name: str) -> SavedSearch:
    """The search of an address."""
    return searches_of(request).find(name)


def options_at(step: str) -> dict[str, Option]:
    """The options of a plan that are chosen at a step; each is chosen at one."""
    chosen = {n: o for n, o in options_of(Plan).items() if _step_of(o) == step}
    return options_of(ReadOptions) | chosen if step == "documents" else chosen


def _step_of(option: Option) -> str:
    """The step at which an option of a plan is chosen."""
    if option.group == "Input":
        return "documents"
    return "clusters" if option.group in GROUPS_OF_CLUSTERS else "image"


def form_of(
    request: Request,
    search: SavedSearch,
    step: str,
    filled: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
) -> Form:
    """The form of a step with the options of a search or, over these, as it was ``filled`` in."""
    posted = {name: str(value) for name, value in (filled or {}).items()}
    values = filled_in(posted, search.options)
    bounds = request.app.state.settings.bounds
    models = {"method.learned.model": _models(request)}
    drawing = Drawing(language_of(request), values, {"within": "\n".join(bounds)}, models)
    left_out = (*without, *(OF_DOCUMENTS if search.plan().by_units else ()))
    options = {name: o for name, o in options_at(step).items() if name not in left_out}
    return drawing.form(options, FIRST[step], request.headers.get("hx-trigger-name", ""))


def _models(request: Request) -> list[str]:
    """The models that were trained on this page, the newest first."""
    models = [Path(job.facts["out"]) / MODEL for job in earlier(request, "learn")]
    return [str(model) for model in models if model.is_file()]


def changed(request: Request, search: SavedSearch, form: Mapping[str, Any]) -> SavedSearch:
    """The search with the values of a form; raises with all that is wrong with them.

    The files that options name are opened by the server itself, and so are kept in bounds.
    """
    texts = {name: str(value) for name, value in form.items()}
    options = options_filled(search, form)
    for file in files_named(options):
        inside(request.app.state.settings, file)
    about: dict[str, Any] = {n: texts[n].strip() for n in ("kind", "out") if n in texts}
    faults = [
        f"{name}: {text!r:.60} holds a character that cannot be written; leave it out"
        for name, text in about.items()
        if not text.isprintable()
    ]
    if about.get("kind", "find") not in KINDS:
        faults.append(f"kind: '{about['kind'][:60]}' is not one of {', '.join(KINDS)}")
    if faults:
        raise PlanError(faults)
    return dataclasses.replace(search.changed(options), **about)


def options_filled(search: SavedSearch, form: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search after a form, as texts that are not checked yet."""
    texts = {name: str(value) for name, value in form.items()}
    return read_form(_option_fields(texts), search.options)


def redrawn(
    request: Request, name: str, form: Mapping[str, Any], page: Callable[..., Response]
) -> Response:
    """The page of a step with the options of another part, saved unless something is wrong."""
    search = find(request, name)
    try:
        search = changed(request, search, form)
        if not search.job:
            searches_of(request).save(search)
    except PlanError as fault:
        return page(request, search, fault.faults, form)
    return page(request, search, [])


def _option_fields(texts: Mapping[str, str]) -> dict[str, str]:
    return {n: text for n, text in texts.items() if n not in (BUTTONS, "kind", "out")}


def compared(request: Request, search: SavedSearch) -> Plan:
    """The plan of a search by which its documents, or the units of these, are compared."""
    plan = search.plan(request.app.state.settings.bounds)
    return dataclasses.replace(plan, level=None)


def state_of(request: Request, search: SavedSearch) -> State | None:
    """The state of the run of a search; None before it is started.

    A complete report counts for more than a process that was killed after writing it.
    """
    if not search.job:
        return None
    try:
        state: State = request.app.state.jobs.find(search.job).state()
    except GoneError:  # one lost job must not hide the other searches
        state = State("killed")
    if state.status == "killed" and request.app.state.shelf.holds(search.out):
        return dataclasses.replace(state, status="done")
    return state


def is_done(request: Request, search: SavedSearch) -> bool:
    """Whether the run of a search has ended well, so that there are results."""
    state = state_of(request, search)
    return state is not None and state.status == "done"


def step(
    request: Request, search: SavedSearch, name: str, *, status: int = 200, **values: Any
) -> Response:
    """A step as a whole page, with links to the others."""
    state = state_of(request, search)
    return render(
        request,
        f"step_{name}.html",
        status=status,
        search=search,
        step=name,
        number_of_step=STEPS.index(name) + 1,
        steps=[(each, _is_open(each, search, state)) for each in STEPS],
        state=state,
        is_fixed=bool(search.job),
        **values,
    )


def _is_open(name: str, search: SavedSearch, state: State | None) -> bool:
    """Whether a step can be opened already."""
    if name == "compare" and search.plan().by_units:
        return False  # lists of duplicates are about whole documents
    if name in ("results", "compare"):
        return state is not None and state.status == "done"
    return name == "documents" or bool(search.paths)


def preview_of(request: Request, search: SavedSearch, paths: Sequence[str]) -> Preview:
    """The first documents of these paths, with nothing outside the page's folders."""
    read = search.plan(request.app.state.settings.bounds).read
    return preview(paths, read, documents=PREVIEWED, characters=CHARACTERS)


def ensure_readable(request: Request, search: SavedSearch) -> None:
    """Refuse a search in whose first documents there is no text; the message offers the fields."""
    there = [path for path in search.paths if os.path.exists(path)]
    if there and (fault := preview_of(request, search, there).unread):
        raise PlanError([fault])
