"""The laboratory: what compares methods or recommends a plan, and what a form starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError
from twinset.plan.catalogue import described
from twinset.web.forms import labels_of, parts_of
from twinset.web.jobs import SEARCHES, jobs_of
from twinset.web.progress import PLANS, run
from twinset.web.render import Filled, GoneError, go, language_of, render
from twinset.web.settings import inside

router = APIRouter(prefix="/laboratory")
KINDS = ("compare", "tune")
USUAL = ("minhash", "longsent", "tf", "threefive", "simhash")  # a quick and varied selection
Texts = Mapping[str, str]
"""A filled form."""


@router.get("")
def laboratory(request: Request) -> Response:
    """The list of commands."""
    return render(request, "laboratory.html", kinds=KINDS)


@router.get("/{kind}")
def form(request: Request, kind: str) -> Response:
    """The form of a command, and its earlier jobs."""
    return _form(request, kind, {})


@router.post("/{kind}")
def begin(request: Request, kind: str, form: Filled) -> Response:
    """Start the command with the options in the form, or show what is wrong with them."""
    texts = {name: str(value).strip() for name, value in form.items()}
    try:
        source, options = _command(request, _known(kind), texts)
    except PlanError as fault:
        return _form(request, kind, texts, fault.faults)
    file = PLANS[kind] if kind == "tune" else ""
    facts = {"title": source.name, "paths": (str(source),)}
    return go(f"/job/{run(request, kind, [str(source)], options, file=file, **facts).name}")


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    return kind


def _form(request: Request, kind: str, filled: Texts, faults: list[str] | None = None) -> Response:
    settings, language = request.app.state.settings, language_of(request)
    jobs = [job for job in jobs_of(request).all(_known(kind))[:20] if job.is_started]
    # documents that were named before, and the folders that may be opened
    searched = [path for job in jobs_of(request).all(*SEARCHES)[:20] for path in job.paths]
    places = dict.fromkeys([settings.named, *searched, *map(str, settings.folders)])
    return render(
        request,
        f"laboratory_{kind}.html",
        status=400 if faults else 200,
        kind=kind,
        faults=faults or [],
        filled=filled,
        places=[place for place in places if place and Path(place).exists()],
        earlier=[(job, job.state().status) for job in jobs],
        methods=parts_of(language, "method"),
        labels=labels_of(language, "method"),
        usual=USUAL,
    )


def _command(request: Request, kind: str, form: Texts) -> tuple[Path, list[str]]:
    """The documents of a command, and its options."""
    settings = request.app.state.settings
    if not form.get("documents"):
        raise PlanError(["no documents are named; choose a folder or a file"])
    source = inside(settings, form["documents"])
    options = [f"--truth={inside(settings, form['truth'])}"] if form.get("truth") else []
    options += ["--only-judged"] if form.get("only-judged") else []
    if kind == "compare":
        chosen = [name for name in described()["method"] if form.get(f"use.{name}")]
        if len(chosen) < 2:
            raise PlanError(["fewer than two methods are chosen; choose those to compare"])
        options.append(f"--methods={','.join(chosen)}")
    return source, options
