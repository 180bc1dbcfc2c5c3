"""What the steps share: the options of a step as a form, and the page of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from twinset.errors import PlanError
from twinset.plan import Plan, ReadOptions
from twinset.plan.spec import Option, options_of
from twinset.web.forms import Drawing, Form, filled_in
from twinset.web.jobs import Job, jobs_of
from twinset.web.progress import MODEL
from twinset.web.render import language_of, render
from twinset.web.searches import changed, find, plan_of

STEPS = ("documents", "image", "clusters", "results", "compare")
FIRST = {
    "documents": ("html",),
    "image": ("level", "level.size", "level.inside", "threshold", "recall", "method"),
    "clusters": ("clusters", "k", "share", "miner", "keep"),
}
"""The options that a step shows at once; all others are one click away."""
OF_DOCUMENTS = ("clusters", "kinds", "kind", "drop_boilerplate")
"""Options that have no meaning for units of documents."""
STEP_OF_GROUP = {"Input": "documents", "Clusters": "clusters", "Output": "clusters"}
"""The step at which the options of a group are chosen; all others are of the image."""


def options_at(step: str) -> dict[str, Option]:
    """The options of a plan that are chosen at a step; each is chosen at one."""
    chosen = {n: o for n, o in options_of(Plan).items() if _step_of(o) == step}
    return options_of(ReadOptions) | chosen if step == "documents" else chosen


def _step_of(option: Option) -> str:
    return STEP_OF_GROUP.get(option.group, "image")


def form_of(
    request: Request,
    search: Job,
    step: str,
    filled: Mapping[str, Any] | None = None,
    without: tuple[str, ...] = (),
) -> Form:
    """The form of a step with the options of a search or, over these, as it was ``filled`` in."""
    posted = {name: str(value) for name, value in (filled or {}).items()}
    fixed = {"within": "\n".join(request.app.state.settings.bounds)}
    models = (Path(job.out) / MODEL for job in jobs_of(request).all("learn"))
    offers = {"method.learned.model": [str(model) for model in models if model.is_file()]}
    drawing = Drawing(language_of(request), filled_in(posted, search.options), fixed, offers)
    left_out = (*without, *(OF_DOCUMENTS if plan_of(search).by_units else ()))
    options = {name: o for name, o in options_at(step).items() if name not in left_out}
    return drawing.form(options, FIRST[step])


def redrawn(
    request: Request, name: str, form: Mapping[str, Any], page: Callable[..., Response]
) -> Response:
    """The page of a step with the options of another part, saved unless something is wrong."""
    search = find(request, name)
    try:
        search = changed(request, search, form)
    except PlanError as fault:
        return page(request, search, fault.faults, form)
    return page(request, saved(request, search), [])


def saved(request: Request, search: Job) -> Job:
    """The search, saved unless it was started: then it keeps what it was started with."""
    return search if search.is_started else jobs_of(request).save(search)


def step(request: Request, search: Job, name: str, *, status: int = 200, **values: Any) -> Response:
    """A step as a whole page, with links to the others."""
    state = search.state()
    return render(
        request,
        f"step_{name}.html",
        status=status,
        search=search,
        step=name,
        number_of_step=STEPS.index(name) + 1,
        steps=[(each, _is_open(each, search, state.status == "done")) for each in STEPS],
        job=search,
        state=state,
        is_fixed=search.is_started,
        **values,
    )


def _is_open(name: str, search: Job, is_done: bool) -> bool:
    """Whether a step can be opened already; lists of duplicates are about whole documents."""
    if name in ("results", "compare"):
        return is_done and not (name == "compare" and plan_of(search).by_units)
    return name == "documents" or bool(search.paths)
