"""Step 2: what represents a document, how alike is alike, and what that means and costs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.engine import predict
from twinset.errors import PlanError, TwinsetError
from twinset.pages.charts import Curve
from twinset.pages.language import sentences
from twinset.plan import Resources
from twinset.spec import load, options_of
from twinset.spec.catalogue import described
from twinset.system.children import run_child
from twinset.web.render import Filled, go, language_of, render
from twinset.web.searches import SHARED, Search
from twinset.web.wizard.steps import find, searches_of, step, taken

router = APIRouter(prefix="/search")
SAMPLE, PATIENCE = "4MB", 60.0
CHILD = """
from twinset.system.children import follow_parent
from twinset.cli import main
follow_parent()
main()
"""
SHOWN = 40  # of the curve only the part from this similarity (in hundredths) on says much
MEASURES = ("jaccard", "containment", "dice", "cosine")  # those whose threshold is a share


@dataclass(frozen=True)
class Meaning:
    """What the choices mean: a curve where the method has one, and how a pair is decided."""

    curve: Curve | None
    chance: float | None
    misses_nothing: bool
    decides: str
    solved: dict[str, Any]


@router.get("/{name}/image")
def image(request: Request, name: str) -> Response:
    """The step."""
    return _page(request, find(request, name), [])


@router.post("/{name}/image")
def next_step(request: Request, name: str, form: Filled) -> Response:
    """Keep the choices and go on, or tell what is wrong with them."""
    search = find(request, name)
    way = "documents" if form.get("go") == "previous" else "clusters"
    if search.job:
        return go(f"/search/{name}/{way}")
    try:
        search = taken(request, search, form)
        meaning(request, search)
    except PlanError as fault:
        return _page(request, search, fault.faults, status=400)
    searches_of(request).save(search)
    return go(f"/search/{name}/{way}")


@router.post("/{name}/image/method")
def another_method(request: Request, name: str, form: Filled) -> Response:
    """The step with the options of another method."""
    search = taken(request, find(request, name), {"method": form.get("method", "")})
    if not search.job:
        searches_of(request).save(search)
    return _page(request, search, [])


@router.post("/{name}/image/meaning")
def meaning_again(request: Request, name: str, form: Filled) -> Response:
    """Curve and sentences for the form as it is now; kept if nothing is wrong with it."""
    search = find(request, name)
    if not search.job:
        search = taken(request, search, form)
        told = meaning(request, search, drawn=True)
        searches_of(request).save(search)
    else:
        told = meaning(request, search, drawn=True)
    return render(request, "image_meaning.html", search=search, meaning=told)


@router.get("/{name}/image/cost")
def cost(request: Request, name: str) -> Response:
    """Time and memory of the whole run, from a run over the first bytes."""
    search = find(request, name)
    options = search.plan(request.app.state.settings.bounds).arguments()
    told = _predicted(("plan", *search.paths, *options, "--sample-bytes", SAMPLE, "--json"))
    return render(request, "image_cost.html", search=search, cost=told)


def meaning(request: Request, search: Search, *, drawn: bool = False) -> Meaning:
    """What the choices mean, with the curve ``drawn``; raises with all that is wrong with them.

    The method reads its files here, in the server itself, and only in the allowed folders.
    """
    plan = search.plan(request.app.state.settings.bounds)
    begun = predict.candidates(plan, Resources.make())
    curve = predict.s_curve(begun)
    exact = begun.describe().get("kind") == "join"
    picture: Curve | None = None
    if curve and drawn:
        title, x_label, y_label = _drawn_in(request)
        mark = (predict.at_threshold(plan, begun), f"{plan.threshold:g}")
        picture = Curve(points=curve, title=title, x_label=x_label, y_label=y_label, marks=[mark])
    chance = predict.recall(plan, begun)
    return Meaning(picture, chance, exact, begun.decides, begun.describe())


def _page(request: Request, search: Search, faults: list[str], status: int = 200) -> Response:
    told = None
    if not faults:
        try:
            told = meaning(request, search, drawn=True)
        except TwinsetError as fault:
            faults = getattr(fault, "faults", [str(fault)])
    return step(
        request,
        search,
        "image",
        status=status,
        meaning=told,
        faults=faults,
        methods=choices(request, "method"),
        images=choices(request, "image"),
        measures={name: choices(request, "measure")[name] for name in MEASURES},
        takes=_takes(search.method),
        own=_own(search.method),
    )


def choices(request: Request, kind: str) -> dict[str, str]:
    """Name -> sentence about it, in the reader's language where we have one."""
    known = sentences(language_of(request))
    group = {"image": "images", "clusters": "kinds"}.get(kind, kind)
    return {
        name: known.get(f"{group}.{name}", entry["is"].replace("``", ""))
        for name, entry in described()[kind].items()
    }


def _takes(method: str) -> set[str]:
    """Which of the options with fields of their own the method has."""
    return set(options_of(load("method", method))) & set(SHARED)


def _own(method: str) -> list[dict[str, Any]]:
    """The options that only this method has."""
    (entry,) = described(method)["method"].values()
    return [option for option in entry["options"] if option["name"] not in SHARED]


def _drawn_in(request: Request) -> tuple[str, str, str]:
    known = sentences(language_of(request))
    return known["image.curve"], known["image.similarity"], known["image.chance"]


@lru_cache(maxsize=64)
def _predicted(command: tuple[str, ...]) -> dict[str, Any] | None:
    """In a process of its own: its memory is what is measured, and not the server's."""
    try:
        done = run_child([sys.executable, "-c", CHILD, *command], timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    found: dict[str, Any] = json.loads(done.stdout)["cost"]
    return found
