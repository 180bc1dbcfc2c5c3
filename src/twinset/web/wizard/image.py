"""Step 2: what represents a document, which similarity is enough, and what that means and costs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.engine import predict
from twinset.errors import PlanError, TwinsetError
from twinset.pages.charts import Curve
from twinset.pages.language import exact, sentences
from twinset.plan import Resources
from twinset.system.children import run_child
from twinset.web.forms import label_of
from twinset.web.render import Filled, go, language_of, render
from twinset.web.runner import COMMAND
from twinset.web.searches import SavedSearch, ignored
from twinset.web.wizard.steps import (
    changed,
    compared,
    find,
    form_of,
    options_filled,
    redrawn,
    searches_of,
    step,
)

router = APIRouter(prefix="/search")
SAMPLE, PATIENCE = "4MB", 60.0


@dataclass(frozen=True)
class Meaning:
    """What the choices mean: a curve where the method has one, and how a pair is decided."""

    curve: Curve | None
    chance: float | None
    misses_nothing: bool
    decides: str
    solved: dict[str, Any]
    threshold: float
    has_threshold: bool


@router.get("/{name}/image")
def image(request: Request, name: str) -> Response:
    """The step."""
    return _page(request, find(request, name), [])


@router.post("/{name}/image")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Save the choices and go on, or show what is wrong with them."""
    search = find(request, name)
    way = "documents" if form.get("go") == "previous" else "clusters"
    if search.job:
        return go(f"/search/{name}/{way}")
    try:
        search = changed(request, search, form)
        meaning(request, search)
    except PlanError as fault:
        return _page(request, search, fault.faults, form, status=400)
    searches_of(request).save(search)
    return go(f"/search/{name}/{way}")


@router.post("/{name}/image/form")
def redraw(request: Request, name: str, form: Filled) -> Response:
    """The step with the options of another method, image or other part."""
    return redrawn(request, name, form, _page)


@router.post("/{name}/image/meaning")
def meaning_again(request: Request, name: str, form: Filled) -> Response:
    """Curve and sentences for the form as it is now; saved if nothing is wrong with it."""
    search = find(request, name)
    if not search.job:
        search = changed(request, search, form)
    shown = meaning(request, search, drawn=True)
    if not search.job:
        searches_of(request).save(search)
    return render(request, "image_meaning.html", search=search, meaning=shown)


@router.get("/{name}/image/cost")
def cost(request: Request, name: str) -> Response:
    """Time and memory of the whole run, from a run over the first bytes."""
    search = find(request, name)
    options = search.plan(request.app.state.settings.bounds).arguments()
    predicted = _predicted(("plan", *search.paths, *options, "--sample-bytes", SAMPLE, "--json"))
    return render(request, "image_cost.html", search=search, cost=predicted)


def meaning(request: Request, search: SavedSearch, *, drawn: bool = False) -> Meaning:
    """What the choices mean, with the curve ``drawn``; raises with all that is wrong with them.

    The method reads its files here, in the server itself, and only in the allowed folders.
    """
    plan = compared(request, search)
    begun = predict.candidates(plan, Resources.make())
    curve = predict.s_curve(begun)
    misses_nothing = begun.describe().get("kind") == "join"
    picture: Curve | None = None
    has_threshold = "threshold" not in ignored(search.options)
    if curve and drawn:
        title, x_label, y_label = _drawn_in(request)
        mark = (predict.at_threshold(plan, begun), exact(language_of(request), plan.threshold))
        marks = [mark] if has_threshold else []
        picture = Curve(points=curve, title=title, x_label=x_label, y_label=y_label, marks=marks)
    chance = predict.recall(plan, begun)
    solved = begun.describe()
    return Meaning(
        picture, chance, misses_nothing, begun.decides, solved, plan.threshold, has_threshold
    )


def _page(
    request: Request,
    search: SavedSearch,
    faults: list[str],
    filled: Mapping[str, Any] | None = None,
    status: int = 200,
) -> Response:
    shown = None
    if not faults:
        try:
            shown = meaning(request, search, drawn=True)
        except TwinsetError as fault:
            faults = getattr(fault, "faults", [str(fault)])
    without = _without(search, filled)
    return step(
        request,
        search,
        "image",
        status=status,
        meaning=shown,
        faults=faults,
        form=form_of(request, search, "image", filled, without),
        unused=[label_of(language_of(request), name) for name in without],
    )


def _without(search: SavedSearch, filled: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The fields that have no effect with the method of the form."""
    try:
        return ignored(options_filled(search, filled) if filled else search.options)
    except PlanError:
        return ()  # the fault is shown, beside all fields


def _drawn_in(request: Request) -> tuple[str, str, str]:
    known = sentences(language_of(request))
    return known["image.curve"], known["image.similarity"], known["image.chance"]


@lru_cache(maxsize=64)
def _predicted(command: tuple[str, ...]) -> dict[str, Any] | None:
    """In a process of its own, so that the server's memory is not measured with it."""
    try:
        done = run_child([sys.executable, "-c", COMMAND, *command], timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    predicted: dict[str, Any] = json.loads(done.stdout)["cost"]
    return predicted
