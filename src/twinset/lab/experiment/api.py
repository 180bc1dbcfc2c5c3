"""`experiment`: read the documents once, run every row, measure all by one reference."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError, ReportError
from twinset.lab.comparison.judge import PoolJudge
from twinset.lab.evaluation.findings import By
from twinset.lab.evaluation.list_columns import column_names
from twinset.lab.evaluation.truth import Truth
from twinset.lab.experiment.derived import DERIVED
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.measure import measured
from twinset.lab.experiment.reference import reference_of
from twinset.lab.experiment.result import ExperimentResult
from twinset.lab.experiment.rows import MOST_ROWS, ExperimentRow, rows_of
from twinset.lab.experiment.settings import MeasureSettings
from twinset.lab.experiment.shipped import open_description
from twinset.lab.experiment.sweep import run_rows, share_of
from twinset.lab.runs.documents import store_documents
from twinset.lab.runs.folder import results_folder
from twinset.lab.runs.runner import Outcome, Runner
from twinset.pages.language import ensure_known
from twinset.plan import Plan, Reading, Resources, reading_arguments, reads_documents
from twinset.spec import suggestion
from twinset.system.temporary import temporary_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

FilePath = str | os.PathLike[str]
ROWS = "rows"


@reads_documents
def experiment(
    documents: Any,
    description: FilePath | Description | Mapping[str, Any],
    *,
    truth: Any = None,
    by: By | None = None,
    ignore: Any = None,
    only_judged: bool | None = None,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    judge: float | str | None = None,
    most_judged: int | None = None,
    best: str | None = None,
    tables: Sequence[str] = (),
    folder: FilePath | None = None,
    fresh: bool = False,
    language: str = "en",
    most_rows: int = MOST_ROWS,
    jobs: int = 1,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> ExperimentResult:
    """Run a plan with every combination of the swept options, and measure each.

    >>> texts = ["one two three four five six", "one two three four five six", "seven eight"]
    >>> sweep = {"plan": {"threshold": 0.5}, "sweep": {"shingle": [1, 2]}}
    >>> result = experiment(texts, sweep, truth=[("0", "1")])
    >>> result.table.select(["name", "found", "f1"]).to_pylist()
    [{'name': 'shingle=1', 'found': 1, 'f1': 1.0}, {'name': 'shingle=2', 'found': 1, 'f1': 1.0}]

    ``description`` is the name of an experiment that comes with twinset, a TOML file, or what such
    a file holds. Without a ``truth``, the pairs of all rows are the pool, of which those with an
    edit similarity of at least ``judge`` are true. ``by`` chooses what counts as found, as in
    `evaluate`, and ``best`` the column of the best row. ``tables`` are derived tables beside those
    that the description asks for. With a ``folder`` the result is written there, and rows in it
    are used again unless ``fresh``. ``jobs`` rows run at a time and share the ``threads``.
    """
    given = reading_arguments(reading, "experiment")
    described = _described(description, tables)
    asked = {
        "by": by,
        "best": best,
        "ignore": ignore,
        "only_judged": only_judged,
        "grade": grade,
        "judge": judge,
        "most_judged": most_judged,
    }
    settings = MeasureSettings.make(described, truth, column_names(truth_columns), asked)
    if jobs < 1:
        raise PlanError([f"jobs must be at least 1, not {jobs}"])
    rows = rows_of(described, given, most_rows)
    ensure_known(language)
    resources = Resources.make(threads=threads, memory=memory)
    progress = progress or Silent()
    read = {name: value for name, value in described.plan.items() if name in given}
    read |= {name: value for name, value in given.items() if value not in (None, (), [])}
    with temporary_folder(resources.folder) as temporary:
        store = temporary
        if folder is not None:
            store = results_folder(folder, ROWS, "experiment", fresh)
        raw = any(row.plan is not None and row.plan.read.raw for row in rows)
        opened, _ = open_documents(documents, Plan.make(**read), resources, read, raw=raw)
        begun = time.perf_counter()
        collection = store_documents(
            opened, temporary / "texts.arrow", resources.threads, progress, raw=raw
        )
        facts = {
            "seconds_reading": round(time.perf_counter() - begun, 3),
            "threads": resources.threads,
            "jobs": jobs,
        }
        # Before the rows run, which may take hours: a faulty truth would make it all in vain.
        yardstick = settings.yardstick
        true = Truth.read(yardstick.truth, collection.ids) if yardstick.has_truth else None
        runner = Runner(collection, temporary, store, share_of(resources, jobs))
        outcomes = _outcomes(rows, settings.by, runner, jobs, progress)
        pool = PoolJudge(collection, store, yardstick, resources) if true is None else None
        reference = reference_of(true, pool, outcomes, collection, yardstick, progress)
        result = measured(described, rows, outcomes, reference, collection, settings, facts)
        progress.stage("tables", None)
        for name in described.tables:
            table = DERIVED[name](result)
            result = dataclasses.replace(result, derived={**result.derived, name: table})
        if folder is not None:
            result.save(Path(folder), language)
    return result


def _described(
    description: FilePath | Description | Mapping[str, Any], tables: Sequence[str]
) -> Description:
    """The description, with further tables."""
    if isinstance(description, Mapping):
        described = Description.from_values(description)
    else:
        described = open_description(description)
    names = tuple(dict.fromkeys([*described.tables, *tables]))
    faults = [
        f"there is no derived table '{name}'; {suggestion(name, DERIVED)}"
        for name in names
        if name not in DERIVED
    ]
    if faults:
        raise PlanError(faults)
    return dataclasses.replace(described, tables=names)


def _outcomes(
    rows: Sequence[ExperimentRow], by: By, runner: Runner, jobs: int, progress: Progress
) -> dict[int, Outcome]:
    """The outcomes of the rows that have a plan, by number; one of them at least is no fault."""
    runnable = [row for row in rows if row.plan is not None]
    runs, names = [row.planned(by) for row in runnable], [row.name for row in runnable]
    finished = run_rows(runs, names, runner, jobs, progress)
    if all(outcome.fault is not None for outcome in finished):
        raise ReportError(f"no row finished; {names[0]}: {finished[0].fault}")
    return {row.number: outcome for row, outcome in zip(runnable, finished, strict=True)}
