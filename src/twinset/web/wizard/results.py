"""Steps 4 and 5: the findings in short, and compared with known duplicates or another report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.lab.truth import By, decided_by
from twinset.result import read as read_report
from twinset.result.words import faults_shown, summary
from twinset.web.jobs import SEARCHES, Job, jobs_of
from twinset.web.progress import run
from twinset.web.render import go, language_of, render
from twinset.web.reports import pairs_in_sets
from twinset.web.searches import find, plan_of
from twinset.web.settings import inside
from twinset.web.uploads import receive, safe_name
from twinset.web.wizard.steps import step

router = APIRouter(prefix="/search")


@router.get("/{name}/results")
def results(request: Request, name: str) -> Response:
    """The findings in sentences; before the end of the run, its progress instead.

    Repeated units are shown by the tab of passages.
    """
    search = find(request, name)
    if search.state().status != "done":
        return go(f"/search/{name}/clusters")
    if plan_of(search).by_units:
        return go(request.app.state.shelf.door(search.out))
    report = request.app.state.shelf.put(search.out)
    folder = request.app.state.shelf.folder(report)
    manifest = read_report(folder, request.app.state.settings.bounds).manifest
    return step(
        request,
        search,
        "results",
        report=report,
        counts=manifest["counts"],
        in_sets=pairs_in_sets(folder),
        sentences=summary(manifest, language_of(request)),
        **faults_shown(manifest, language_of(request)),
    )


@router.get("/{name}/compare")
def compare(request: Request, name: str) -> Response:
    """The step, with the comparisons made so far."""
    search = find(request, name)
    if search.state().status != "done":
        return go(f"/search/{name}/clusters")
    comparisons = jobs_of(request).all("evaluate", about=name)
    in_sets = decided_by(read_report(_folder(request, search)).manifest) == "clusters"
    others = _others(request, search)
    return step(request, search, "compare", comparisons=comparisons, others=others, in_sets=in_sets)


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
    report = _folder(request, search)
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
    if only_known or other:
        options.append("--only-known")
    # of clusters a reader has to know which pairs were compared
    in_sets = {"clusters": "clusters" if by == "auto" else by}.get(decided, "")
    run(request, "evaluate", [str(report)], options, title=title, about=name, in_sets=in_sets)
    return go(f"/search/{name}/compare")


@router.put("/{name}/list/upload")
async def upload(request: Request, name: str, file: str) -> Response:
    """Save a list of known duplicates."""
    folder = find(request, name).folder / "lists"
    path = await receive(request.stream(), safe_name(file), folder)
    return render(request, "truth_field.html", truth=str(path))


def _others(request: Request, search: Job) -> dict[str, str]:
    """The titles of other reports by name: those of their searches."""
    titles = {each.out: each.title for each in jobs_of(request).all(*SEARCHES)}
    shelf = request.app.state.shelf.all()
    return {
        name: titles.get(str(folder), folder.name)
        for name, folder in shelf.items()
        if str(folder) != search.out
    }


def _folder(request: Request, search: Job) -> Path:
    """The report of a search."""
    shelf = request.app.state.shelf
    folder: Path = shelf.folder(shelf.put(search.out))
    return folder


def _pairs_of(report: Path) -> Path:
    """The pairs that a report has decided on, as a list."""
    manifest = read_report(report).manifest
    if decided_by(manifest) == "clusters":
        return report / "clusters.parquet"
    return report / ("pairs.parquet" if manifest.get("pairs") == "all" else "duplicates.txt")
