"""The five steps of a search in the papers' order: documents, image, clusters, results, compared.

Every change is saved at once, so that a reload, a closed page or another day loses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError, TwinsetError
from twinset.finding.clusters.base import ClustersOfImages
from twinset.index.catalogue import is_index_folder
from twinset.lab.truth import By, decided_by
from twinset.pages.charts import Curve
from twinset.pages.language import exact, speaker
from twinset.plan import Plan, ReadOptions, Resources
from twinset.plan.spec import Option, options_of
from twinset.result import read as read_report
from twinset.result.words import faults_shown, summary
from twinset.run import searching
from twinset.run.images import image_keeper
from twinset.run.searching import begin
from twinset.web import forms, searches
from twinset.web.folders import listing
from twinset.web.jobs import SEARCHES, Job, as_written, jobs_of
from twinset.web.progress import run
from twinset.web.render import Filled, go, language_of, render
from twinset.web.reports import pairs_in_sets
from twinset.web.searches import changeable, changed, compared, ensure_readable, find, plan_of
from twinset.web.settings import inside, readable

router = APIRouter(prefix="/search")
STEPS = ("documents", "image", "clusters", "results", "compare")
FIRST = {
    "documents": ("html",),
    "image": ("level", "level.size", "level.inside", "threshold", "recall", "method"),
    "clusters": ("clusters", "k", "share", "keep"),
}
"""The options that a step shows at once; all others are one click away."""
OF_DOCUMENTS = ("clusters", "kinds", "kind", "target", "drop_boilerplate")
"""Options that have no meaning for units of documents."""
STEP_OF_GROUP = {"Input": "documents", "Clusters": "clusters", "Output": "clusters"}
"""The step at which the options of a group are chosen; all others are of the image."""
Chosen = Literal["image", "clusters"]
Texts = Mapping[str, Any]
"""A form as it was filled in."""


def options_at(step: str) -> dict[str, Option]:
    """The options of a plan that are chosen at a step; each is chosen at one."""
    every = options_of(Plan).items()
    chosen = {n: o for n, o in every if STEP_OF_GROUP.get(o.group, "image") == step}
    return options_of(ReadOptions) | chosen if step == "documents" else chosen


def _form_of(
    request: Request,
    search: Job,
    step: str,
    filled: Texts | None = None,
    without: tuple[str, ...] = (),
) -> forms.Form:
    """The form of a step with the options of a search or, over these, as it was ``filled`` in."""
    posted = {name: str(value) for name, value in (filled or {}).items()}
    fixed = {"within": "\n".join(request.app.state.settings.bounds)}
    values = forms.filled_in(posted, search.options)
    left_out = (*without, *(OF_DOCUMENTS if plan_of(search).by_units else ()))
    options = {name: o for name, o in options_at(step).items() if name not in left_out}
    return forms.Drawing(language_of(request), values, fixed).form(options, FIRST[step])


def _saved(request: Request, search: Job) -> Job:
    """The search, saved unless it was started: then it keeps what it was started with."""
    return search if search.is_started else jobs_of(request).save(search)


def _step(request: Request, search: Job, name: str, status: int = 200, **values: Any) -> Response:
    """A step as a whole page, with links to the others.

    Lists of duplicates are about whole documents, and not about their units.
    """
    state = search.state()
    can_open = dict.fromkeys(STEPS, bool(search.paths)) | {"documents": True}
    can_open["results"] = state.status == "done"
    can_open["compare"] = state.status == "done" and not plan_of(search).by_units
    return render(
        request,
        f"step_{name}.html",
        status=status,
        search=search,
        step=name,
        number_of_step=STEPS.index(name) + 1,
        steps=can_open.items(),
        job=search,
        state=state,
        is_fixed=search.is_started,
        **{"faults": [], **values},
    )


@router.post("/new")
def new(
    request: Request,
    path: Annotated[str, Form()] = "",
    now: Annotated[bool, Form()] = False,
    preset: Annotated[str, Form()] = "",
) -> Response:
    """Begin a search with the options of a preset; ``now`` runs it. An index is shown instead."""
    if path and is_index_folder(real := readable(request.app.state.settings, path)):
        return go(request.app.state.shelf.door(real))
    options = searches.options_in(Plan.make(preset=preset or None))
    search = jobs_of(request).new(options=options)
    if path:
        search = _add(request, search, path)
    if now and search.paths:
        ensure_readable(request, search)
        searches.start(request, search)
        return go(f"/search/{search.name}/clusters")
    return go(f"/search/{search.name}/documents")


@router.get("/{name}/documents")
def documents(request: Request, name: str, at: str = "") -> Response:
    """Step 1: which documents, with the folder ``at`` to choose from, and how they are read."""
    search = find(request, name)
    here = listing(request.app.state.settings, at)
    form = _form_of(request, search, "documents")
    return _step(request, search, "documents", listing=here, form=form)


@router.post("/{name}/documents")
def leave_documents(request: Request, name: str, form: Filled) -> Response:
    """Save how the documents are read, and go on."""
    search = _read_as(request, find(request, name), form)
    if not search.paths:
        raise PlanError(["no documents are chosen yet; add a folder or files"])
    ensure_readable(request, search)
    return go(f"/search/{name}/{'ask' if form.get('go') == 'ask' else 'image'}")


@router.post("/{name}/add")
def add(request: Request, name: str, path: Annotated[str, Form()]) -> Response:
    """Add a folder or a file."""
    return _chosen(request, _add(request, find(request, name), path))


@router.post("/{name}/drop")
def drop(request: Request, name: str, path: Annotated[str, Form()]) -> Response:
    """Remove a folder or a file from the list; it stays on the disk."""
    search = changeable(find(request, name))
    rest = tuple(each for each in search.paths if each != path)
    return _chosen(request, _saved(request, search.with_(paths=rest)))


@router.post("/{name}/preview")
def preview(request: Request, name: str, form: Filled) -> Response:
    """The first documents of the chosen paths, read as the form says now."""
    search = _read_as(request, find(request, name), form)
    there = [path for path in search.paths if os.path.exists(path)]
    seen = searches.preview_of(request, search, there) if there else None
    missing = [path for path in search.paths if path not in there]
    return render(request, "documents_preview.html", search=search, seen=seen, missing=missing)


@router.post("/{name}/column")
def column(request: Request, name: str, text: Annotated[str, Form()]) -> Response:
    """Use another field of the records as the text."""
    return _chosen(request, _read_as(request, find(request, name), {"text": text}))


def _read_as(request: Request, search: Job, form: Texts) -> Job:
    return search if search.is_started else _saved(request, changed(request, search, form))


def _add(request: Request, search: Job, path: str) -> Job:
    real = readable(request.app.state.settings, path)
    if real in changeable(search).paths:
        return search
    title, options = search.title or Path(real).stem, search.options
    if not search.paths:
        options = options | searches.usual_keep([real], options.get("level"))
    return _saved(request, search.with_(paths=(*search.paths, real), title=title, options=options))


def _chosen(request: Request, search: Job) -> Response:
    form, is_fixed = _form_of(request, search, "documents"), search.is_started
    return render(request, "documents_chosen.html", search=search, form=form, is_fixed=is_fixed)


@router.get("/{name}/image")
@router.get("/{name}/clusters")
def choose(request: Request, name: str) -> Response:
    """Step 2: what represents a document, which similarity is enough, and what that means.

    Step 3: how pairs become clusters, and the run itself; then how far it is.
    """
    return _chosen_at(request, find(request, name), _step_of(request))


@router.post("/{name}/image")
@router.post("/{name}/clusters")
def leave(request: Request, name: str, form: Filled) -> Response:
    """Save the choices and go on, or start the run; or show what is wrong with them."""
    search, step = find(request, name), _step_of(request)
    to = STEPS[STEPS.index(step) - 1] if form.get("go") == "previous" else "clusters"
    if search.is_started:
        return go(f"/search/{name}/{to}")
    try:
        search = changed(request, search, form)
        CHECKS[step](request, search)
    except PlanError as fault:
        return _chosen_at(request, search, step, fault.faults, form, status=400)
    _saved(request, search)
    try:
        if step == to:
            ensure_readable(request, search)
            searches.start(request, search)
    except TwinsetError as fault:
        return _chosen_at(request, search, step, _faults_of(fault), status=400)
    return go(f"/search/{name}/{to}")


def _step_of(request: Request) -> Chosen:
    return "image" if request.url.path.endswith("/image") else "clusters"


def _faults_of(fault: TwinsetError) -> list[str]:
    return list(getattr(fault, "faults", [str(fault)]))


@router.post("/{name}/{step}/form")
def redraw(request: Request, name: str, step: Chosen, form: Filled) -> Response:
    """A step as its form is now, with the options of other parts; saved unless it has faults."""
    search = find(request, name)
    if search.is_started:
        return _chosen_at(request, search, step)
    try:
        search = changed(request, search, form)
    except PlanError as fault:
        return _chosen_at(request, search, step, fault.faults, form)
    return _chosen_at(request, _saved(request, search), step)


def _meaning(request: Request, search: Job) -> dict[str, Any]:
    """What the choices mean: a curve where the method has one, and how a pair is decided.

    Raises all faults of the choices together. Files that the method names are read in the server's
    process, from the allowed folders alone.
    """
    plan, language = compared(request, search), language_of(request)
    begun = searching.begin(plan, Resources.make())
    points, solved, t = searching.s_curve(begun), begun.describe(), speaker(language, "image")
    has_threshold = "threshold" not in searches.ignored(search.options)
    curve = None
    if points:
        mark = (searching.at_threshold(plan, begun), exact(language, plan.threshold))
        curve = Curve(
            points=points,
            marks=[mark] if has_threshold else [],
            title=t("curve"),
            x_label=t("similarity"),
            y_label=t("chance"),
        )
    return {
        "curve": curve,
        "chance": searching.recall(plan, begun),
        "misses_nothing": solved.get("kind") == "join",
        "decides": begun.decides,
        "solved": solved,
        "threshold": plan.threshold,
        "has_threshold": has_threshold,
    }


def _ensure_clusters(request: Request, search: Job) -> None:
    """Raise with all that is wrong with the choices, the kind of clusters included."""
    plan = compared(request, search)
    begun = begin(plan, Resources.make())
    if isinstance(plan.clusters, ClustersOfImages):
        image_keeper(plan, begun)


CHECKS: dict[Chosen, Callable[[Request, Job], Any]] = {
    "image": _meaning,
    "clusters": _ensure_clusters,
}
"""What is wrong with the choices of a step is raised, all of it, and else what they mean."""


def _chosen_at(
    request: Request,
    search: Job,
    step: Chosen,
    faults: list[str] | None = None,
    filled: Texts | None = None,
    status: int = 200,
) -> Response:
    """A step at which options are chosen, as it was ``filled`` in, with what they mean."""
    language, meaning = language_of(request), None
    without: tuple[str, ...] = ()
    if not faults and not (search.is_started and step == "clusters"):
        try:
            meaning = CHECKS[step](request, search)
        except TwinsetError as fault:
            faults = _faults_of(fault)
    with suppress(PlanError):  # of a form that has faults, every field is drawn
        given = searches.options_filled(search, filled) if filled else search.options
        without = searches.ignored(given)
    settings, told = request.app.state.settings, {"kind": search.kind, "out": search.out}
    return _step(
        request,
        search,
        step,
        status=status,
        faults=faults or [],
        form=_form_of(request, search, step, filled, without),
        meaning=meaning,
        unused=[forms.label_of(language, name) for name in without],
        target=str(searches.report_folder(settings, search)),
        command=as_written(searches.command_of(search, None, settings, language)),
        **{name: str((filled or {}).get(name, value)) for name, value in told.items()},
    )


@router.post("/{name}/again")
def again(request: Request, name: str) -> Response:
    """A copy of the search to change and run; the old one and its report stay."""
    search = find(request, name)
    chosen = {"paths": search.paths, "title": search.title, "options": search.options}
    copy = jobs_of(request).new(search.kind, **chosen)
    return go(f"/search/{copy.name}/documents")


@router.post("/{name}/remove")
def remove(request: Request, name: str) -> Response:
    """Forget a search that does not run; its report stays where it is."""
    search = find(request, name)
    if not search.state().is_over:
        raise PlanError(["this search is running; cancel it first"])
    jobs_of(request).remove(search)
    return go("/more")


@router.get("/{name}/results")
def results(request: Request, name: str) -> Response:
    """Step 4: the findings in sentences; of repeated units, the page of the report."""
    search = find(request, name)
    if search.state().status != "done":
        return go(f"/search/{name}/clusters")
    if plan_of(search).by_units:
        return go(request.app.state.shelf.door(search.out))
    language, report = language_of(request), request.app.state.shelf.put(search.out)
    folder = request.app.state.shelf.folder(report)
    manifest = read_report(folder, request.app.state.settings.bounds).manifest
    return _step(
        request,
        search,
        "results",
        report=report,
        counts=manifest["counts"],
        in_sets=pairs_in_sets(folder),
        sentences=summary(manifest, language),
        **faults_shown(manifest, language),
    )


@router.get("/{name}/compare")
def compare(request: Request, name: str) -> Response:
    """Step 5: compared with known duplicates or another report; what was compared so far."""
    search = find(request, name)
    if search.state().status != "done":
        return go(f"/search/{name}/clusters")
    comparisons = jobs_of(request).all("evaluate", about=name)
    in_sets = decided_by(read_report(_report_of(request, search)).manifest) == "clusters"
    values: dict[str, Any] = {
        "comparisons": comparisons,
        "in_sets": in_sets,
        "others": _others(request, search),
    }
    return _step(request, search, "compare", **values)


@router.post("/{name}/compare")
def start_comparison(
    request: Request,
    name: str,
    truth: Annotated[str, Form()] = "",
    other: Annotated[str, Form()] = "",
    only_known: Annotated[bool, Form()] = False,
    by: Annotated[By, Form()] = "auto",
) -> Response:
    """Compare with a list, or with another report."""
    search = find(request, name)
    report = _report_of(request, search)
    decided = decided_by(read_report(report).manifest)
    if other:
        against = _pairs_of(request.app.state.shelf.folder(other))
        title = _others(request, search).get(other, other)
    elif truth:
        against = inside(request.app.state.settings, truth)
        title = against.name
    else:
        raise PlanError(["nothing to compare with is chosen; name a list or another search"])
    options = ["--truth", str(against), "--by", by]
    options += ["--only-known"] if only_known or other else []
    # of clusters a reader has to know which pairs were compared
    in_sets = {"clusters": "clusters" if by == "auto" else by}.get(decided, "")
    run(request, "evaluate", [str(report)], options, title=title, about=name, in_sets=in_sets)
    return go(f"/search/{name}/compare")


def _others(request: Request, search: Job) -> dict[str, str]:
    """The titles of other reports by name: those of their searches."""
    titles = {each.out: each.title for each in jobs_of(request).all(*SEARCHES)}
    shelf = request.app.state.shelf.all()
    others = {name: folder for name, folder in shelf.items() if str(folder) != search.out}
    return {name: titles.get(str(folder), folder.name) for name, folder in others.items()}


def _report_of(request: Request, search: Job) -> Path:
    shelf = request.app.state.shelf
    folder: Path = shelf.folder(shelf.put(search.out))
    return folder


def _pairs_of(report: Path) -> Path:
    """The pairs that a report has decided on, as a list."""
    manifest = read_report(report).manifest
    if decided_by(manifest) == "clusters":
        return report / "clusters.parquet"
    return report / ("pairs.parquet" if manifest.get("pairs") == "all" else "duplicates.txt")
