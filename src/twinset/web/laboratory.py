"""The laboratory: make test collections, compare methods, tune; each a form over a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset import spec
from twinset.errors import PlanError
from twinset.spec.catalogue import described
from twinset.spec.numerals import decimal
from twinset.web import tasks
from twinset.web.faults import GoneError
from twinset.web.forms import labels_of, parts_of
from twinset.web.render import Filled, go, language_of, render
from twinset.web.settings import inside
from twinset.web.wizard.steps import searches_of

router = APIRouter(prefix="/laboratory")
Form = dict[str, Any]
USUAL = ("minhash", "longsent", "tf", "threefive", "simhash")  # a quick and varied selection


@router.get("")
def laboratory(request: Request) -> Response:
    """The list of commands."""
    return render(request, "laboratory.html", kinds=list(COMMANDS))


@router.get("/{kind}")
def form(request: Request, kind: str) -> Response:
    """The form of a command, and its earlier tasks."""
    if kind not in COMMANDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    return render(
        request,
        f"laboratory_{kind}.html",
        kind=kind,
        places=_places(request),
        earlier=[(job, job.state().status) for job in tasks.earlier(request, kind)[:20]],
        methods=parts_of(language_of(request), "method") if kind == "compare" else {},
        labels=labels_of(language_of(request), "method"),
        usual=USUAL,
        operations=parts_of(language_of(request), "operation") if kind == "generate" else {},
    )


@router.post("/{kind}")
def begin(request: Request, kind: str, form: Filled) -> Response:
    """Start the command with the options in the form."""
    if kind not in COMMANDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    if not form.get("documents"):
        raise PlanError(["no documents are named; choose a folder or a file"])
    documents = inside(request.app.state.settings, str(form["documents"]))
    folder = tasks.new_folder(request, kind)
    bounds = [part for root in request.app.state.settings.bounds for part in ("--within", root)]
    options = COMMANDS[kind](request, form)
    out = folder
    if kind == "tune":  # which writes a file and not a folder
        folder.mkdir()
        out = folder / "plan.toml"
    command = [kind, str(documents), "-o", str(out), *options, *bounds, "--json"]
    about = {"title": documents.name, "documents": str(documents)}
    job = tasks.start(request, kind, command, folder, **about)
    return go(f"/task/{job.name}")


def _generate(request: Request, form: Form) -> list[str]:
    """Every operation with a share, in the order of the form."""
    operations = [
        f"{name}:{_number(form, f'share.{name}', 'share'):g}%"
        for name in spec.names("operation")
        if form.get(f"use.{name}")
    ]
    if not operations:
        raise PlanError(["no operation is chosen; choose at least one"])
    options = [part for operation in operations for part in ("--op", operation)]
    options += ["--variants", f"{_number(form, 'variants', 'variants'):g}"]
    if form.get("limit"):
        options += ["--documents", f"{_number(form, 'limit', 'documents'):g}"]
    return [*options, "--seed", f"{_number(form, 'seed', 'seed'):g}"]


def _compare(request: Request, form: Form) -> list[str]:
    methods = [name for name in described()["method"] if form.get(f"use.{name}")]
    if len(methods) < 2:
        raise PlanError(["fewer than two methods are chosen; choose those to compare"])
    return ["--methods", ",".join(methods), *_truth(request, form)]


def _tune(request: Request, form: Form) -> list[str]:
    return _truth(request, form)


def _truth(request: Request, form: Form) -> list[str]:
    if not form.get("truth"):
        return []
    truth = ["--truth", str(inside(request.app.state.settings, str(form["truth"])))]
    return [*truth, "--only-judged"] if form.get("only_judged") else truth


def _number(form: Form, name: str, label: str) -> float:
    try:
        return decimal(str(form.get(name, "")).replace(",", "."))
    except ValueError as fault:
        raise PlanError([f"{label}: {fault}"]) from None


def _places(request: Request) -> list[str]:
    """Documents that were named before, and the folders that may be opened."""
    named = [path for search in searches_of(request).all()[:20] for path in search.paths]
    generated = [job.facts["out"] for job in tasks.earlier(request, "generate")[:5]]
    settings = request.app.state.settings
    roots = [str(root) for root in settings.roots]
    started_with = [settings.named] if settings.named else []
    places = dict.fromkeys([*started_with, *named, *generated, *roots])
    return [place for place in places if Path(place).exists()]


COMMANDS: dict[str, Callable[[Request, Form], list[str]]] = {
    "generate": _generate,
    "compare": _compare,
    "tune": _tune,
}
