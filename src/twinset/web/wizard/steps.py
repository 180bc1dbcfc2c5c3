"""What the steps share: finding the search of an address, and drawing a step around its part."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from twinset.web.faults import GoneError
from twinset.web.jobs import State
from twinset.web.paths import inside
from twinset.web.render import render
from twinset.web.searches import Search, Searches, changed

STEPS = ("documents", "image", "clusters", "results", "compare")


def searches_of(request: Request) -> Searches:
    """The searches of this page."""
    return Searches(request.app.state.settings)


def find(request: Request, name: str) -> Search:
    """The search of an address."""
    return searches_of(request).find(name)


def taken(request: Request, search: Search, form: Mapping[str, Any]) -> Search:
    """The search with the values of a form, files in the method's options kept in bounds.

    Options such as the model of ``learned`` are paths, and are opened by the server itself.
    """
    wanted = changed(search, form)
    for value in wanted.own.values():
        if os.sep in value or os.path.exists(value):
            inside(request.app.state.settings, value)
    return wanted


def state_of(request: Request, search: Search) -> State | None:
    """How the run of a search stands; None before it was started.

    A report that is there counts for more than a process that was killed after writing it.
    """
    if not search.job:
        return None
    try:
        state: State = request.app.state.jobs.find(search.job).state()
    except GoneError:  # what became of the run is not known, and costs no other search its line
        state = State("killed")
    if state.status == "killed" and request.app.state.shelf.holds(search.out):
        return dataclasses.replace(state, status="done")
    return state


def step(
    request: Request, search: Search, name: str, *, status: int = 200, **values: Any
) -> Response:
    """A step as a whole page, with the way to the others."""
    state = state_of(request, search)
    return render(
        request,
        f"step_{name}.html",
        status=status,
        search=search,
        step=name,
        number_of_step=STEPS.index(name) + 1,
        steps=[(one, _is_open(one, search, state)) for one in STEPS],
        state=state,
        is_fixed=bool(search.job),
        **values,
    )


def _is_open(name: str, search: Search, state: State | None) -> bool:
    """Whether one can go to a step already."""
    if name in ("results", "compare"):
        return state is not None and state.status == "done"
    return name == "documents" or bool(search.paths)
