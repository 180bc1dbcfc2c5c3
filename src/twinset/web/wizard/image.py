"""Step 2: what represents a document, which similarity is enough, and what that means and costs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError, TwinsetError
from twinset.pages.charts import Curve
from twinset.pages.language import exact, speaker
from twinset.plan import Resources
from twinset.run import predict
from twinset.system.children import run_child
from twinset.web.forms import label_of
from twinset.web.jobs import Job
from twinset.web.render import Filled, go, language_of, render
from twinset.web.runner import COMMAND
from twinset.web.searches import changed, compared, find, ignored, options_filled, plan_of
from twinset.web.wizard.steps import form_of, redrawn, saved, step

router = APIRouter(prefix="/search")
SAMPLE, PATIENCE = "4MB", 60.0  # what is read to predict the cost, and seconds it may take


@router.get("/{name}/image")
def image(request: Request, name: str) -> Response:
    """Show the step."""
    return _page(request, find(request, name), [])


@router.post("/{name}/image")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Save the choices and go on, or show what is wrong with them."""
    search = find(request, name)
    if not search.is_started:
        try:
            search = changed(request, search, form)
            meaning(request, search)
        except PlanError as fault:
            return _page(request, search, fault.faults, form, status=400)
        saved(request, search)
    return go(f"/search/{name}/{'documents' if form.get('go') == 'previous' else 'clusters'}")


@router.post("/{name}/image/form")
def redraw(request: Request, name: str, form: Filled) -> Response:
    """The step with the options of another method, image or other part."""
    return redrawn(request, name, form, _page)


@router.post("/{name}/image/meaning")
def meaning_again(request: Request, name: str, form: Filled) -> Response:
    """Curve and sentences for the form as it is now; saved if nothing is wrong with it."""
    search = find(request, name)
    if not search.is_started:
        search = changed(request, search, form)
    shown = meaning(request, search)
    return render(request, "image_meaning.html", search=saved(request, search), meaning=shown)


@router.get("/{name}/image/cost")
def cost(request: Request, name: str) -> Response:
    """Time and memory of the whole run, from a run over the first bytes."""
    search = find(request, name)
    options = plan_of(search, request.app.state.settings.bounds).arguments()
    predicted = _predicted(("plan", *search.paths, *options, "--sample-bytes", SAMPLE, "--json"))
    return render(request, "image_cost.html", search=search, cost=predicted)


def meaning(request: Request, search: Job) -> dict[str, Any]:
    """What the choices mean: a curve where the method has one, and how a pair is decided.

    Raises all faults of the choices together. Files that the method names are read in the server's
    process, from the allowed folders alone.
    """
    plan = compared(request, search)
    begun = predict.candidates(plan, Resources.make())
    curve, solved = predict.s_curve(begun), begun.describe()
    has_threshold = "threshold" not in ignored(search.options)
    language = language_of(request)
    t = speaker(language, "image")
    mark = (predict.at_threshold(plan, begun), exact(language, plan.threshold))
    marks = [mark] if curve and has_threshold else []
    labels: dict[str, Any] = {
        "title": t("curve"),
        "x_label": t("similarity"),
        "y_label": t("chance"),
    }
    return {
        "curve": Curve(points=curve, marks=marks, **labels) if curve else None,
        "chance": predict.recall(plan, begun),
        "misses_nothing": solved.get("kind") == "join",
        "decides": begun.decides,
        "solved": solved,
        "threshold": plan.threshold,
        "has_threshold": has_threshold,
    }


def _page(
    request: Request,
    search: Job,
    faults: list[str],
    filled: Mapping[str, Any] | None = None,
    status: int = 200,
) -> Response:
    shown = None
    if not faults:
        try:
            shown = meaning(request, search)
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


def _without(search: Job, filled: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The fields that the method of the form ignores; none where the form has faults."""
    try:
        return ignored(options_filled(search, filled) if filled else search.options)
    except PlanError:
        return ()


@lru_cache(maxsize=64)
def _predicted(command: tuple[str, ...]) -> dict[str, Any] | None:
    """The cost that a child process measures: the server's own memory is not part of it."""
    try:
        done = run_child([sys.executable, "-c", COMMAND, *command], timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    predicted: dict[str, Any] = json.loads(done.stdout)["cost"]
    return predicted
