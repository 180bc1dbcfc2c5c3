"""The tab of boilerplate: paragraphs of many documents, and a new run that leaves them out."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from twinset.errors import PlanError
from twinset.plan import Plan
from twinset.report.facts import older
from twinset.report.manifest import plan_of
from twinset.review.boilerplate import common_paragraphs
from twinset.spec.numerals import decimal
from twinset.web.render import go
from twinset.web.reports import View, show, view
from twinset.web.searches import Searches, options_in
from twinset.web.settings import inside
from twinset.web.wizard.clusters import launch

router = APIRouter(prefix="/report/{name}/boilerplate")
ROWS = 50
SUGGESTED = 20
"""The number of documents that the form offers where the run had none."""


@router.get("")
def page(request: Request, name: str, start: int = 0) -> Response:
    """The paragraphs from a rank on, those of the most documents first."""
    seen = view(request, name)
    common = common_paragraphs(seen.index)
    count = 0 if common.table is None else len(common.table)
    start = max(0, min(start, count - 1))
    return show(
        request,
        "report_boilerplate.html",
        seen,
        here_is="boilerplate",
        common=common,
        count=count,
        start=start,
        after=start + ROWS if start + ROWS < count else None,
        rows=[] if common.table is None else common.table.slice(start, ROWS).to_pylist(),
        suggested=common.more_than or SUGGESTED,
        can_run=bool(_paths(seen)) and older(seen.index.manifest) is None,
    )


@router.post("")
def run_without(request: Request, name: str, more_than: Annotated[str, Form()]) -> Response:
    """Search again, with the options of the report, and leave such paragraphs out."""
    seen = view(request, name)
    try:
        bound = decimal(more_than.strip().replace(",", "."))
    except ValueError as fault:
        raise PlanError([str(fault)]) from None
    paths = _paths(seen)
    if not paths or older(seen.index.manifest) is not None:
        raise PlanError(["the documents of this report cannot be searched again from this page"])
    manifest, settings = seen.index.manifest, request.app.state.settings
    plan = plan_of(manifest)
    # changed by its options, so that what is wrong with the number is said here
    plan = Plan.make(plan=dataclasses.replace(plan, preset=None), drop_boilerplate=bound)
    search = Searches(settings).new(
        title=seen.index.report.folder.name,
        paths=tuple(str(inside(settings, path)) for path in paths),
        options=options_in(plan),
        kind="find" if manifest["counts"].get("kept") is None else "dedup",
    )
    launch(request, search)
    return go(f"/search/{search.name}/clusters")


def _paths(seen: View) -> list[str]:
    """Where the documents of the report lie; references are named by the plan."""
    entries = seen.index.manifest.get("inputs", [])
    return [str(e["path"]) for e in entries if e.get("path") and not e.get("reference")]
