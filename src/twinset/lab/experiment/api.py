"""`experiment`: read the documents once, run every row, measure all by one reference."""

from __future__ import annotations

import dataclasses
import datetime
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from twinset.engine.manifest import version
from twinset.engine.opening import open_documents
from twinset.engine.progress import Progress, Silent
from twinset.errors import PlanError, ReportError
from twinset.lab.comparison.judge import PoolJudge
from twinset.lab.comparison.options import JUDGE, MOST_JUDGED, Yardstick
from twinset.lab.evaluation.findings import By
from twinset.lab.evaluation.list_columns import column_names
from twinset.lab.evaluation.list_files import ensure_list
from twinset.lab.evaluation.truth import Truth, TruthOptions
from twinset.lab.experiment.derived import DERIVED
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.figures import MEASURED, best_row, figures_of, table_of
from twinset.lab.experiment.reference import Reference, judged_pool
from twinset.lab.experiment.result import ExperimentResult
from twinset.lab.experiment.rows import MOST_ROWS, ExperimentRow, rows_of
from twinset.lab.experiment.shipped import open_description
from twinset.lab.experiment.sweep import run_rows, share_of
from twinset.lab.runs.documents import Collection, store_documents
from twinset.lab.runs.folder import results_folder
from twinset.lab.runs.runner import Outcome, Runner
from twinset.pages.language import ensure_known
from twinset.plan import Html, OnError, Plan, ReadOptions, Resources, reading_arguments
from twinset.spec import options_of, suggestion
from twinset.system.temporary import temporary_folder

FilePath = str | os.PathLike[str]
ROWS = "rows"
BY = ("auto", "pairs", "clusters")


def experiment(
    documents: Any,
    description: FilePath | Description | Mapping[str, Any],
    *,
    truth: Any = None,
    by: By | None = None,
    id: str | None = None,
    text: str | None = None,
    html: Html | None = None,
    on_error: OnError | None = None,
    max_document_bytes: int | str | None = None,
    within: Sequence[str] = (),
    max_unread: float | None = None,
    ignore: Any = None,
    only_judged: bool | None = None,
    grade: float | None = None,
    truth_columns: str | Sequence[str] = (),
    judge: float | None = None,
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
    reading = reading_arguments(locals())
    described = _described(description)
    asked = {
        "by": by,
        "ignore": ignore,
        "only_judged": only_judged,
        "grade": grade,
        "judge": judge,
        "most_judged": most_judged,
        "best": best,
    }
    compared = _compared(described, asked)
    labels = TruthOptions(
        truth,
        compared["ignore"],
        compared["only_judged"],
        compared["grade"],
        "auto",
        column_names(truth_columns),
    )
    yardstick = Yardstick(labels, None, compared["judge"], compared["most_judged"])
    described = dataclasses.replace(
        described, tables=tuple(dict.fromkeys([*described.tables, *tables]))
    )
    faults = [*yardstick.faults(), *_faults(described, compared, jobs)]
    if faults:
        raise PlanError(faults)
    rows = rows_of(described, reading, most_rows)
    ensure_list(truth)
    ensure_list(compared["ignore"])
    ensure_known(language)
    resources = Resources.make(threads=threads, memory=memory)
    progress = progress or Silent()
    with temporary_folder(resources.folder) as temporary:
        kind = "experiment"
        store = temporary if folder is None else results_folder(Path(folder), ROWS, kind, fresh)
        read = {n: v for n, v in described.plan.items() if n in options_of(ReadOptions)}
        read |= {name: value for name, value in reading.items() if value not in (None, (), [])}
        opened, _ = open_documents(documents, Plan.make(**read), resources, read)
        begun = time.perf_counter()
        collection = store_documents(opened, temporary / "texts.arrow", resources.threads, progress)
        seconds = time.perf_counter() - begun
        # Before the rows run, which may take hours: a faulty truth would make it all in vain.
        true = Truth.read(labels, collection.ids) if yardstick.has_truth else None
        runner = Runner(collection, temporary, store, share_of(resources, jobs))
        runnable = [row for row in rows if row.plan is not None]
        runs = [row.planned(compared["by"]) for row in runnable]
        names = [row.name for row in runnable]
        outcomes = {
            row.number: outcome
            for row, outcome in zip(
                runnable, run_rows(runs, names, runner, jobs, progress), strict=True
            )
        }
        finished = {n: outcome for n, outcome in outcomes.items() if outcome.fault is None}
        if not finished:
            first = next(iter(outcomes.values()))
            raise ReportError(f"no row finished; {runnable[0].name}: {first.fault}")
        if true is None:
            judging = PoolJudge(collection, store, yardstick.judge, resources)
            pairs = [outcome.pairs for outcome in finished.values()]
            reference = judged_pool(pairs, collection, yardstick, judging, progress)
        else:
            reference = Reference(true)
        rows = [_with_fault(row, outcomes.get(row.number)) for row in rows]
        result = _result(described, rows, finished, reference, collection, compared["best"])
        facts = {
            "seconds_reading": round(seconds, 3),
            "threads": resources.threads,
            "jobs": jobs,
            "by": compared["by"],
            "judge": None if true is not None else yardstick.judge,
        }
        result = dataclasses.replace(result, manifest={**result.manifest, **facts})
        progress.stage("tables", None)
        for name in described.tables:
            table = DERIVED[name](result)
            result = dataclasses.replace(result, derived={**result.derived, name: table})
        if folder is not None:
            result.save(Path(folder), language)
    return result


def _described(description: FilePath | Description | Mapping[str, Any]) -> Description:
    if isinstance(description, Mapping):
        return Description.from_values(description)
    return open_description(description)


def _compared(described: Description, asked: Mapping[str, Any]) -> dict[str, Any]:
    """How rows are measured: as asked, else as the description says."""
    usual = {"by": "auto", "only_judged": False, "judge": JUDGE, "most_judged": MOST_JUDGED}
    usual |= {"best": "f1", "ignore": None, "grade": None}
    given = {name: value for name, value in asked.items() if value is not None}
    return usual | dict(described.compare) | given


def _faults(described: Description, compared: Mapping[str, Any], jobs: int) -> list[str]:
    faults = []
    by, best = compared["by"], compared["best"]
    if best not in MEASURED and not str(best).startswith("seconds_"):
        faults.append(f"best: there is no column '{best}'; {suggestion(str(best), MEASURED)}")
    if by not in BY:
        faults.append(f"by must be {', '.join(BY[:-1])} or {BY[-1]}, not '{by}'")
    if jobs < 1:
        faults.append(f"jobs must be at least 1, not {jobs}")
    faults += [
        f"there is no derived table '{name}'; {suggestion(name, DERIVED)}"
        for name in described.tables
        if name not in DERIVED
    ]
    return faults


def _with_fault(row: ExperimentRow, outcome: Outcome | None) -> ExperimentRow:
    if outcome is None or outcome.fault is None:
        return row
    return dataclasses.replace(row, fault=outcome.fault)


def _result(
    described: Description,
    rows: Sequence[ExperimentRow],
    finished: Mapping[int, Outcome],
    reference: Reference,
    collection: Collection,
    best: str,
) -> ExperimentResult:
    truth = reference.truth
    more = len(truth.ids) - len(collection)  # ids that only it names
    figures = [
        None
        if row.number not in finished
        else figures_of(finished[row.number], finished[row.number].pairs.extended(more), truth)
        for row in rows
    ]
    table = table_of(rows, figures)
    manifest = {
        "twinset": version(),
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kind": "experiment",
        "name": described.name,
        "title": described.title,
        "documents": len(collection),
        "digest": collection.digest,
        "inputs": collection.inputs,
        "faults": collection.faults,
        "yardstick": "truth" if reference.judged is None else "pool",
        "judged": reference.judged,
        "true_pairs": truth.side.pairs.count(),
        "best_by": best,
        "failed": {row.name: row.fault for row in rows if row.fault is not None},
        "reused": [n for n, outcome in finished.items() if outcome.reused],
        "notes": list(truth.notes),
    }
    number = best_row(table, best)
    return ExperimentResult(
        described, rows, table, number, manifest, truth, collection, dict(finished)
    )
