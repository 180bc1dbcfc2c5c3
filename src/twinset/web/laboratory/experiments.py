"""Run an experiment of the papers, or one of a TOML file: a plan with many combinations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import Request

from twinset.errors import PlanError
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.shipped import open_description, shipped_names
from twinset.web.filled import files_named
from twinset.web.laboratory.form import (
    LabCommand,
    LabRun,
    Texts,
    bounds,
    documents_of,
    named_file,
    truth_options,
)
from twinset.web.settings import inside

OWN = "own"  # the choice of a TOML file


def _experiment(request: Request, form: Texts) -> LabRun:
    name = form.get("experiment", OWN)
    if name == OWN:
        missing = "no TOML file is named; name one, or choose an experiment of the list"
        name = str(named_file(request, form, "file", missing))
        for file in _files_in(open_description(name)):
            inside(request.app.state.settings, file)
    elif name not in shipped_names():
        raise PlanError([f"experiment: '{name[:60]}' is not one of {', '.join(shipped_names())}"])
    documents = documents_of(request, form)
    options = [*truth_options(request, form), *bounds(request)]
    title = f"{open_description(name).name} · {documents.name}"
    return LabRun([name, str(documents)], options, title)


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
    return {"experiments": [open_description(name) for name in shipped_names()], "own": OWN}


EXPERIMENT = LabCommand(_experiment, _offered, "truth")
