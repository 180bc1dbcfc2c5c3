"""Step 5: the findings against a list of known duplicates, or against another report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.report import read as read_report
from twinset.web import tasks
from twinset.web.paths import inside
from twinset.web.render import go, render
from twinset.web.searches import Search
from twinset.web.uploads import receive, safe_name
from twinset.web.wizard.steps import find, searches_of, state_of, step

router = APIRouter(prefix="/search")


@router.get("/{name}/compare")
def compare(request: Request, name: str) -> Response:
    """The step, with the comparisons made so far."""
    search = find(request, name)
    state = state_of(request, search)
    if state is None or state.status != "done":
        return go(f"/search/{name}/clusters")
    made = tasks.earlier(request, "evaluate", search=name)
    return step(request, search, "compare", made=made, others=_others(request, search))


@router.post("/{name}/compare")
def begin(
    request: Request,
    name: str,
    truth: Annotated[str, Form()] = "",
    other: Annotated[str, Form()] = "",
    only_known: Annotated[bool, Form()] = False,
) -> Response:
    """Compare with a list, or with another report."""
    search = find(request, name)
    report = request.app.state.shelf.folder(request.app.state.shelf.put(search.out))
    if other:
        against = _pairs_of(request.app.state.shelf.folder(other))
        title = _others(request, search).get(other, other)
    elif truth:
        against = inside(request.app.state.settings, truth)
        title = against.name
    else:
        raise PlanError(["nothing to compare with is chosen; name a list or another search"])
    folder = tasks.new_folder(request, "evaluate")
    command = ["evaluate", str(report), "--truth", str(against), "-o", str(folder), "--json"]
    if only_known or other:
        command.append("--only-known")
    tasks.start(request, "evaluate", command, folder, search=name, title=title)
    return go(f"/search/{name}/compare")


@router.put("/{name}/list/upload")
async def upload(request: Request, name: str, file: str) -> Response:
    """Take in a list of known duplicates."""
    folder = searches_of(request).home(find(request, name).name) / "lists"
    taken = await receive(request.stream(), safe_name(file), folder)
    return render(request, "truth_field.html", truth=str(taken))


def _others(request: Request, search: Search) -> dict[str, str]:
    """Other reports by name, called as their searches are."""
    titles = {one.out: one.title for one in searches_of(request).all()}
    shelf = request.app.state.shelf.all()
    return {
        name: titles.get(str(folder), folder.name)
        for name, folder in shelf.items()
        if str(folder) != search.out
    }


def _pairs_of(report: Path) -> Path:
    """All pairs of a report, as a list."""
    is_whole = read_report(report).manifest.get("pairs") == "all"
    return report / ("pairs.parquet" if is_whole else "duplicates.txt")
