"""Mine closed sets out of a table of lines, by an algorithm of the papers or by all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request

from twinset.clusters.mine import ALGORITHMS
from twinset.errors import PlanError
from twinset.web.laboratory.form import LabCommand, LabRun, Texts, count, named_file, number
from twinset.web.settings import ForbiddenError, inside

TABLE = "shingles.txt.out"  # the inverted table that a report with closed sets has
SETS, TIMES = "sets.txt", "times.txt"
KINDS = ("maximal", "closed")


def _mine(request: Request, form: Texts) -> LabRun:
    missing = "no table is named; choose a file of numbers in lines, or the table of a report"
    file = named_file(request, form, "table", missing)
    if file.is_dir() and (file / TABLE).is_file():
        file = file / TABLE
    kind, algorithm = form.get("kind", KINDS[0]), form.get("algorithm", "search")
    faults = [
        f"{name}: '{value[:60]}' is not one of {', '.join(known)}"
        for name, value, known in (
            ("kind", kind, KINDS),
            ("algorithm", algorithm, tuple(ALGORITHMS)),
        )
        if value not in known
    ]
    if faults:
        raise PlanError(faults)
    options = ["--support", count(form, "support", "support")]
    options += ["--closed"] if kind == "closed" else []
    title = file.parent.name if file.name == TABLE else file.name
    if form.get("compare"):
        seconds = number(form, "seconds", "seconds")
        options += ["--compare", "--seconds", f"{seconds:g}"]
        return LabRun([str(file)], options, title, TIMES)
    options += ["--least-items", count(form, "least_items", "least number of items")]
    options += ["--algorithm", algorithm]
    return LabRun([str(file)], options, title, SETS)


def _offered(request: Request, filled: Texts) -> dict[str, Any]:
    return {"tables": _tables(request), "algorithms": list(ALGORITHMS), "set_kinds": KINDS}


def _tables(request: Request) -> list[str]:
    """The tables of the reports that the page knows."""
    tables = []
    for folder in request.app.state.shelf.all().values():
        try:
            table = inside(request.app.state.settings, Path(folder) / TABLE)
        except ForbiddenError:
            continue
        if table.is_file():
            tables.append(str(table))
    return tables


MINE = LabCommand(_mine, _offered, "table")
