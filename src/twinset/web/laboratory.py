"""The laboratory: the forms of commands for researchers, and what a form starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from twinset.errors import PlanError
from twinset.finding.clusters.mine import ALGORITHMS
from twinset.lab.description import Description, open_description, shipped_names
from twinset.lab.options import PairOptions, Training, ViewOptions
from twinset.plan.catalogue import described
from twinset.plan.spec import Option, as_text, default_of, names, options_of
from twinset.web.forms import Drawing, fault_of, files_named, labels_of, parts_of
from twinset.web.jobs import SEARCHES, jobs_of
from twinset.web.progress import MODEL, run
from twinset.web.render import Filled, GoneError, go, language_of, render
from twinset.web.settings import inside, is_there

router = APIRouter(prefix="/laboratory")
USUAL = ("minhash", "longsent", "tf", "threefive", "simhash")  # a quick and varied selection
TABLE = "shingles.txt.out"  # the inverted table that a report with closed sets has
OF_THE_LIBRARY = ("improve", "degree", "coef0")  # options without a flag of that form
OWN = "own"  # the choice of a TOML file
Texts = Mapping[str, str]
"""A filled form."""


KINDS = {
    "generate": "no operation is chosen; choose at least one",
    "compare": "fewer than two methods are chosen; choose those to compare",
    "tune": "",
    "learn": "there is nothing to learn from; name a list or choose an edit",
    "mine": "",
    "experiment": "no TOML file is named; name one, or choose one of the list",
}
"""The commands, each with a template, and what is said where too little is chosen."""
FILES = ("documents", "table", "labels", "truth", "file")
"""Fields that name a file or a folder, which must lie in bounds."""
FLAGS = {
    **{name: name for name in ("variants", "seed", "grade", "features", "support", "algorithm")},
    "limit": "documents",
    "least_items": "least-items",
    "seconds": "seconds",
}
"""Fields that are options of a command when they are filled in."""
SWITCHES = ("only-judged", "improve", "closed", "compare")
WRITTEN = {"tune": "plan.toml", "learn": MODEL, "mine": "sets.txt"}
"""The file that a command writes, where it writes one and no folder."""


@router.get("")
def laboratory(request: Request) -> Response:
    """The list of commands."""
    return render(request, "laboratory.html", kinds=list(KINDS))


@router.get("/{kind}")
def form(request: Request, kind: str) -> Response:
    """The form of a command, and its earlier jobs."""
    return _form(request, kind, {})


@router.post("/{kind}")
def begin(request: Request, kind: str, form: Filled) -> Response:
    """Start the command with the options in the form, or show what is wrong with them."""
    texts = {name: str(value).strip() for name, value in form.items()}
    try:
        sources, options, title = _command(request, _known(kind), texts)
    except PlanError as fault:
        return _form(request, kind, texts, fault.faults)
    file = "times.txt" if kind == "mine" and "--compare" in options else WRITTEN.get(kind, "")
    facts = {"title": title, "paths": (sources[-1],)}
    return go(f"/job/{run(request, kind, sources, options, file=file, **facts).name}")


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    return kind


def _form(request: Request, kind: str, filled: Texts, faults: list[str] | None = None) -> Response:
    settings = request.app.state.settings
    jobs = [job for job in jobs_of(request).all(kind)[:20] if job.is_started]
    # documents that were named before, and the folders that may be opened
    searched = [path for job in jobs_of(request).all(*SEARCHES)[:20] for path in job.paths]
    made = [job.out for job in jobs_of(request).all("generate")[:5]]
    places = dict.fromkeys([settings.named, *searched, *made, *map(str, settings.folders)])
    return render(
        request,
        f"laboratory_{_known(kind)}.html",
        status=400 if faults else 200,
        kind=kind,
        faults=faults or [],
        filled=filled,
        places=[place for place in places if place and Path(place).exists()],
        earlier=[(job, job.state().status) for job in jobs],
        **_offered(request, filled),
    )


def _command(request: Request, kind: str, form: Texts) -> tuple[list[str], list[str], str]:
    """The sources of a command, the last one that of the documents, its options, and a title."""
    settings = request.app.state.settings
    named = {name: inside(settings, form[name]) for name in FILES if form.get(name)}
    source = named.get("table" if kind == "mine" else "documents")
    if source is None and kind == "mine":
        raise PlanError(
            ["no table is named; choose a file of numbers in lines, or the table of a report"]
        )
    if source is None:
        raise PlanError(["no documents are named; choose a folder or a file"])
    if (source / TABLE).is_file() and kind == "mine":
        source = source / TABLE
    title = source.parent.name if source.name == TABLE else source.name
    options = [f"--{flag}={form[name]}" for name, flag in FLAGS.items() if form.get(name)]
    options += [f"--{name}" for name in SWITCHES if form.get(name)]
    options += [f"--{name}={named[name]}" for name in ("labels", "truth") if name in named]
    known = described()["method"] if kind == "compare" else names("operation")
    chosen = [name for name in known if form.get(f"use.{name}")]
    least = {"generate": 1, "compare": 2, "learn": int("labels" not in named)}
    if len(chosen) < least.get(kind, 0):
        raise PlanError([KINDS[kind]])
    if kind == "compare":
        options.append(f"--methods={','.join(chosen)}")
    else:
        options += [f"--op={name}:{form.get(f'share.{name}')}%" for name in chosen]
    if kind == "learn":
        options += _changed(form)
    if kind != "experiment":
        return [str(source)], options, title
    name = form.get("experiment", OWN)
    if name not in shipped_names():
        if "file" not in named:
            raise PlanError([KINDS[kind]])
        name = str(named["file"])
        for file in _files_in(open_description(name)):
            inside(settings, file)
    return [name, str(source)], options, f"{open_description(name).name} · {title}"


def learn_options() -> dict[str, Option]:
    """The options that the form of a model draws."""
    known = options_of(ViewOptions) | options_of(Training) | options_of(PairOptions)
    return {name: option for name, option in known.items() if name not in OF_THE_LIBRARY}


def _changed(form: Texts) -> list[str]:
    """The drawn options that were changed; raises with all faults together."""
    drawn = {name: (option, form.get(name, "")) for name, option in learn_options().items()}
    faults = [fault for option, text in drawn.values() if (fault := fault_of(option, text))]
    if faults:
        raise PlanError(faults)
    return [
        f"{option.flag}={text}"
        for option, text in drawn.values()
        if text and text != as_text(option, default_of(option))
    ]


def _files_in(described: Description) -> Iterator[str]:
    """The files that an experiment names, which whoever wrote it may not read through the page."""
    ignored = described.compare.get("ignore")
    if isinstance(ignored, str):
        yield ignored
    lists: list[Mapping[str, list[Any]]] = [described.sweep, *described.zips, *described.blocks]
    values = [(name, value) for name, value in described.plan.items()]
    values += [(name, value) for block in lists for name, each in block.items() for value in each]
    for name, value in values:
        yield from files_named({name: value})


def _offered(request: Request, filled: Texts) -> dict[str, Any]:
    """What the forms offer to choose from."""
    settings, language = request.app.state.settings, language_of(request)
    tables = [folder / TABLE for folder in request.app.state.shelf.all().values()]
    return {
        "operations": parts_of(language, "operation"),
        "methods": parts_of(language, "method"),
        "labels": labels_of(language, "method"),
        "usual": USUAL,
        "form": Drawing(language, filled).form(learn_options(), ("kernel",)),
        "tables": [str(table) for table in tables if is_there(settings, table)],
        "algorithms": list(ALGORITHMS),
        "experiments": [open_description(name) for name in shipped_names()],
        "own": OWN,
    }
