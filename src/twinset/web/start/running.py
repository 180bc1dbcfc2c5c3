"""The progress of a search that the first page has started, in plain words, and its end."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError
from twinset.web.jobs import State
from twinset.web.render import go, render
from twinset.web.searches import SavedSearch
from twinset.web.wizard.steps import find, state_of

router = APIRouter(prefix="/search")
WORDS = {
    "counting words": "counting",
    "reading": "reading",
    "comparing": "comparing",
    "clustering": "grouping",
    "writing": "writing",
}
"""Stages of a run and what a person would call them; any other is a part of comparing."""


@router.get("/{name}/running")
def running(request: Request, name: str) -> Response:
    """How far the search is; when it is done, what it has found."""
    search = find(request, name)
    state = _state(request, search)
    if state.status == "done":
        return go(_results(request, search))
    return render(request, "running.html", **_shown(search, state))


@router.get("/{name}/running/part")
def part(request: Request, name: str) -> Response:
    """The part of the page that moves; at the end the browser goes on to the results."""
    search = find(request, name)
    state = _state(request, search)
    answer = render(request, "running_part.html", **_shown(search, state))
    if state.status == "done":
        answer.headers["hx-redirect"] = _results(request, search)
    return answer


@router.post("/{name}/running/cancel")
def cancel(request: Request, name: str) -> Response:
    """Stop the search; nothing stays of it but the choice of the folder."""
    search = find(request, name)
    if search.job:
        request.app.state.jobs.find(search.job).cancel()
    return go(f"/search/{name}/running")


def _state(request: Request, search: SavedSearch) -> State:
    state = state_of(request, search)
    if state is None:
        raise PlanError(["this search has not been started; choose its folder on the first page"])
    return state


def _shown(search: SavedSearch, state: State) -> dict[str, Any]:
    """What the page shows: the stage in words, and which one of how many it is."""
    names = list(dict.fromkeys(WORDS.get(stage.name, "comparing") for stage in state.stages))
    words = names[-1] if names else "beginning"
    all_words = [word for word in WORDS.values() if word != "counting" or word in names]
    number = all_words.index(words) + 1 if names else 1
    counts = {"number_of_stage": number, "stages": len(all_words)}
    return {"search": search, "state": state, "words": words, **counts}


def _results(request: Request, search: SavedSearch) -> str:
    door: str = request.app.state.shelf.door(search.out)
    return door
