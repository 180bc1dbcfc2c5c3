"""Searches: jobs that are chosen in steps; their plans, and the run of one."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import Request

from twinset.errors import PlanError
from twinset.plan import Plan, used_options
from twinset.plan import options as plan_options
from twinset.plan.plan import GOAL
from twinset.plan.presets import keep_for
from twinset.plan.spec import as_value
from twinset.reading.preview import Preview, preview
from twinset.result import ensure_free
from twinset.system.files import write_file
from twinset.web.forms import DECIDED_BY_PAGE, ensure_printable, files_named, read_form
from twinset.web.jobs import SEARCHES, Job, jobs_of
from twinset.web.render import in_language, language_of
from twinset.web.settings import Settings, inside

PREVIEWED, CHARACTERS = 6, 500  # documents that a preview shows, and how much of each
BESIDE = ("go", "kind", "out")  # fields of a form beside those of options; "go" are its buttons


def find(request: Request, name: str) -> Job:
    """The search of an address."""
    return jobs_of(request).find(name, *SEARCHES)


def changeable(search: Job) -> Job:
    """The search, if it was not started yet."""
    if search.is_started:
        raise PlanError(["this search has been started; make a changed copy of it instead"])
    return search


def plan_of(search: Job, within: tuple[str, ...] = ()) -> Plan:
    """The plan, bound to folders; raises with all that is wrong with its options."""
    # The form has fields that the method may not use.
    return Plan.make(**used_options(search.options) | {"within": within})


def options_in(plan: Plan) -> dict[str, Any]:
    """The options of a plan that a search keeps."""
    return {name: value for name, value in plan.changes().items() if name not in DECIDED_BY_PAGE}


def ignored(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of the goal that have no effect with the method among these options."""
    used = used_options({**options, **dict.fromkeys(GOAL)})
    return tuple(name for name in GOAL if name not in used)


def options_filled(search: Job, form: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search after a form, as texts that are not checked yet."""
    return read_form({n: str(v) for n, v in form.items() if n not in BESIDE}, search.options)


def changed(request: Request, search: Job, form: Mapping[str, Any]) -> Job:
    """The search with the values of a form; raises with all that is wrong with them.

    The files that options name are opened by the server itself, and so are kept in bounds.
    """
    options = options_filled(search, form)
    for file in files_named(options):
        inside(request.app.state.settings, file)
    about = {name: str(form[name]).strip() for name in ("kind", "out") if name in form}
    ensure_printable(about)
    if about.get("kind", "find") not in SEARCHES:
        raise PlanError([f"kind: '{about['kind'][:60]}' is not one of {', '.join(SEARCHES)}"])
    return with_options(search, options).with_(**about)


def with_options(search: Job, options: dict[str, Any]) -> Job:
    """The search with other options; raises with all that is wrong with them."""
    options = _at_its_level(search, options)
    plan = plan_of(search.with_(options=options))
    # Another method may use them again: a visitor has not chosen to lose them.
    unused = {name: options[name] for name in ignored(options) if _is_usable(name, options)}
    return search.with_(options=options_in(plan) | unused)


def _at_its_level(search: Job, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a form, less what its fields had only because of the level they were drawn at.

    A form gives every option. Where another level is chosen in it, what is usual for the level
    before was chosen by nobody: units are compared by equality unless something else is.
    """
    before, after = (each.get("level") or None for each in (search.options, options))
    if _splits(before) == _splits(after):
        return options
    chosen = plan_of(search.with_(options=options | {"level": before})).changes()
    usual = Plan.make(level=before, **usual_keep(search.paths, before)).changes()
    chosen = {name: value for name, value in chosen.items() if usual.get(name) != value}
    return usual_keep(search.paths, after) | chosen | ({"level": after} if after else {})


def usual_keep(paths: Sequence[str], level: Any) -> dict[str, Any]:
    """Which copy of files stays, as an option: that of the first page; units have no names."""
    return {} if _splits(level) else keep_for([Path(path) for path in paths])


def _splits(level: Any) -> bool:
    return bool(level) and Plan.make(level=level).by_units


def _is_usable(name: str, options: Mapping[str, Any]) -> bool:
    """Whether an option is given, with a value that a form can show again."""
    option = plan_options()[name]
    if name not in options:
        return False
    try:
        return not option.fault(as_value(option, options[name]))
    except (ValueError, PlanError):
        return False


def compared(request: Request, search: Job) -> Plan:
    """The plan of a search by which its documents, or the units of these, are compared."""
    return dataclasses.replace(plan_of(search, _bounds(request)), level=None)


def command_of(
    search: Job, plan: Path | None, settings: Settings, language: str = "en"
) -> list[str]:
    """The command line that runs a search, bound to the folders that the page may read.

    Its options come from the file of a plan or, for people to read, stand in it.
    """
    options = plan_of(search).arguments() if plan is None else ["--plan", str(plan)]
    out = search.out or str(report_folder(settings, search))
    rest = [*options, *in_language(language), *settings.within, "--json"]
    return [search.kind, *search.paths, "-o", out, *rest]


def report_folder(settings: Settings, search: Job) -> Path:
    """A new folder for the report, named after the search."""
    title = re.sub(r"[^\w.-]+", "-", search.title).strip("-.") or "search"
    return settings.home / "reports" / f"{title[:60]}-{search.name[:15]}"


def start(request: Request, search: Job) -> None:
    """Run a search in the background, and remember where its report will be."""
    settings: Settings = request.app.state.settings
    target = inside(settings, search.out or report_folder(settings, search))
    ensure_free(target, False, search.paths)
    target.parent.mkdir(parents=True, exist_ok=True)
    plan = write_file(search.folder / "plan.toml", plan_of(search, settings.bounds).as_toml())
    search = search.with_(out=str(target))
    jobs_of(request).start(search, command_of(search, plan, settings, language_of(request)))
    request.app.state.shelf.put(target)


def preview_of(request: Request, search: Job, paths: Sequence[str]) -> Preview:
    """The first documents of these paths, with nothing outside the page's folders."""
    read = plan_of(search, _bounds(request)).read
    return preview(paths, read, documents=PREVIEWED, characters=CHARACTERS)


def ensure_readable(request: Request, search: Job) -> None:
    """Refuse a search in whose first documents there is no text; the message offers the fields."""
    there = [path for path in search.paths if os.path.exists(path)]
    if there and (fault := preview_of(request, search, there).unread):
        raise PlanError([fault])


def _bounds(request: Request) -> tuple[str, ...]:
    settings: Settings = request.app.state.settings
    return settings.bounds
