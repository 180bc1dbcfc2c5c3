"""The laboratory: the forms of commands for researchers, and what a form starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class LabRun:
    """A command line to be: its sources, the last one that of the documents, and its options.

    ``file`` is the file that the command writes, where it writes one and no folder.
    """

    sources: list[str]
    options: list[str]
    title: str
    file: str = ""


@router.get("")
def laboratory(request: Request) -> Response:
    """The list of commands."""
    return render(request, "laboratory.html", kinds=list(COMMANDS))


@router.get("/{kind}")
def form(request: Request, kind: str) -> Response:
    """The form of a command, and its earlier jobs."""
    return _form(request, kind, {})


@router.post("/{kind}")
def begin(request: Request, kind: str, form: Filled) -> Response:
    """Start the command with the options in the form, or show what is wrong with them."""
    texts = {name: str(value).strip() for name, value in form.items()}
    try:
        lab = _command(kind)(request, texts)
    except PlanError as fault:
        return _form(request, kind, texts, fault.faults)
    facts = {"title": lab.title, "paths": (lab.sources[-1],)}
    job = run(request, kind, lab.sources, lab.options, file=lab.file, **facts)
    return go(f"/job/{job.name}")


def _form(request: Request, kind: str, filled: Texts, faults: list[str] | None = None) -> Response:
    _command(kind)
    settings = request.app.state.settings
    jobs = [job for job in jobs_of(request).all(kind)[:20] if job.is_started]
    # documents that were named before, and the folders that may be opened
    searched = [path for job in jobs_of(request).all(*SEARCHES)[:20] for path in job.paths]
    made = [job.out for job in jobs_of(request).all("generate")[:5]]
    places = dict.fromkeys([settings.named, *searched, *made, *map(str, settings.folders)])
    return render(
        request,
        f"laboratory_{kind}.html",
        status=400 if faults else 200,
        kind=kind,
        faults=faults or [],
        filled=filled,
        places=[place for place in places if place and Path(place).exists()],
        earlier=[(job, job.state().status) for job in jobs],
        **_offered(request, filled),
    )


def _generate(request: Request, form: Texts) -> LabRun:
    options = _operations(form)
    if not options:
        raise PlanError(["no operation is chosen; choose at least one"])
    given = {"variants": "variants", "limit": "documents", "seed": "seed"}
    return _over(request, form, options + _given(form, given))


def _compare(request: Request, form: Texts) -> LabRun:
    methods = [name for name in described()["method"] if form.get(f"use.{name}")]
    if len(methods) < 2:
        raise PlanError(["fewer than two methods are chosen; choose those to compare"])
    return _over(request, form, ["--methods", ",".join(methods), *_truth(request, form)])


def _tune(request: Request, form: Texts) -> LabRun:
    return _over(request, form, _truth(request, form), "plan.toml")


def _learn(request: Request, form: Texts) -> LabRun:
    labels, source = _named(request, form, "labels"), _operations(form)
    if labels is not None:
        source = ["--labels", str(labels), *_given(form, {"grade": "grade"})]
    run = _over(request, form, source, MODEL)
    if not source:
        raise PlanError(["there is nothing to learn from; name a list or choose an edit"])
    run.options.extend([*_given(form, {"features": "features"}), *_changed(form)])
    return run


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
    changed = [
        part
        for option, text in drawn.values()
        if text and text != as_text(option, default_of(option))
        for part in (option.flag, text)
    ]
    return [*changed, "--improve"] if form.get("improve") else changed


def _mine(request: Request, form: Texts) -> LabRun:
    file = _named(request, form, "table")
    if file is None:
        raise PlanError(
            ["no table is named; choose a file of numbers in lines, or the table of a report"]
        )
    if file.is_dir() and (file / TABLE).is_file():
        file = file / TABLE
    title = file.parent.name if file.name == TABLE else file.name
    options = _given(form, {"support": "support"})
    options += ["--closed"] if form.get("kind") == "closed" else []
    if form.get("compare"):
        options += ["--compare", *_given(form, {"seconds": "seconds"})]
        return LabRun([str(file)], options, title, "times.txt")
    options += _given(form, {"least_items": "least-items", "algorithm": "algorithm"})
    return LabRun([str(file)], options, title, "sets.txt")


def _experiment(request: Request, form: Texts) -> LabRun:
    name = form.get("experiment", OWN)
    if name not in shipped_names():
        own = _named(request, form, "file")
        if own is None:
            raise PlanError(["no TOML file is named; name one, or choose one of the list"])
        name = str(own)
        for file in _files_in(open_description(name)):
            inside(request.app.state.settings, file)
    run = _over(request, form, _truth(request, form))
    title = f"{open_description(name).name} · {run.title}"
    return LabRun([name, *run.sources], run.options, title)


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


def _over(request: Request, form: Texts, options: list[str], file: str = "") -> LabRun:
    """A command over a folder or a file of documents."""
    documents = _named(request, form, "documents")
    if documents is None:
        raise PlanError(["no documents are named; choose a folder or a file"])
    return LabRun([str(documents)], options, documents.name, file)


def _named(request: Request, form: Texts, name: str) -> Path | None:
    """The file or folder that a field names, in bounds; None where it is empty."""
    return inside(request.app.state.settings, form[name]) if form.get(name) else None


def _truth(request: Request, form: Texts) -> list[str]:
    """The list of known duplicates, where one is named."""
    truth = _named(request, form, "truth")
    if truth is None:
        return []
    return ["--truth", str(truth), *(["--only-judged"] if form.get("only_judged") else [])]


def _operations(form: Texts) -> list[str]:
    """Every chosen operation with its share, in the order of the form."""
    chosen = [name for name in names("operation") if form.get(f"use.{name}")]
    return [f"--op={name}:{form.get(f'share.{name}')}%" for name in chosen]


def _given(form: Texts, flags: Mapping[str, str]) -> list[str]:
    """The fields that are filled in as options, which the command checks."""
    return [f"--{flag}={form[name]}" for name, flag in flags.items() if form.get(name)]


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


COMMANDS: dict[str, Callable[[Request, Texts], LabRun]] = {
    "generate": _generate,
    "compare": _compare,
    "tune": _tune,
    "learn": _learn,
    "mine": _mine,
    "experiment": _experiment,
}
"""How the form of each command is read; each has a template."""


def _command(kind: str) -> Callable[[Request, Texts], LabRun]:
    if kind not in COMMANDS:
        raise GoneError("there is no such page in the laboratory; choose one from its first page")
    return COMMANDS[kind]
