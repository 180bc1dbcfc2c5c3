"""Puts the result of an experiment together: figures of all rows, the best one, the manifest."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from twinset._version import VERSION
from twinset.lab.experiment.description import Description
from twinset.lab.experiment.figures import best_row, figures_of, table_of
from twinset.lab.experiment.reference import Reference
from twinset.lab.experiment.result import ExperimentResult
from twinset.lab.experiment.rows import ExperimentRow
from twinset.lab.experiment.settings import MeasureSettings
from twinset.lab.runs.documents import Collection
from twinset.lab.runs.runner import Outcome


def measured(
    described: Description,
    rows: Sequence[ExperimentRow],
    outcomes: Mapping[int, Outcome],
    reference: Reference,
    collection: Collection,
    settings: MeasureSettings,
    facts: Mapping[str, Any],
) -> ExperimentResult:
    """The result, without derived tables; ``facts`` go to the manifest."""
    finished = {n: outcome for n, outcome in outcomes.items() if outcome.fault is None}
    rows = [_with_fault(row, outcomes.get(row.number)) for row in rows]
    truth = reference.truth
    more = len(truth.ids) - len(collection)  # ids that only it names
    figures = [
        figures_of(finished[row.number], finished[row.number].pairs.extended(more), truth)
        if row.number in finished
        else None
        for row in rows
    ]
    table = table_of(rows, figures)
    best = best_row(table, settings.best)
    manifest = {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kind": "experiment",
        **{name: getattr(described, name) for name in ("name", "title", "about", "source")},
        "documents": len(collection),
        "digest": collection.digest,
        "inputs": collection.inputs,
        "faults": collection.faults,
        "yardstick": "truth" if reference.judged is None else "pool",
        "judge": None if reference.judged is None else settings.yardstick.least,
        "judged": reference.judged,
        "true_pairs": truth.side.pairs.count(),
        "by": settings.by,
        "best_by": settings.best,
        "best": best,
        "failed": {row.name: row.fault for row in rows if row.fault is not None},
        "reused": [n for n, outcome in finished.items() if outcome.reused],
        "notes": list(truth.notes),
        **facts,
    }
    return ExperimentResult(described, rows, table, best, manifest, truth, collection, finished)


def _with_fault(row: ExperimentRow, outcome: Outcome | None) -> ExperimentRow:
    if outcome is None or outcome.fault is None:
        return row
    return dataclasses.replace(row, fault=outcome.fault)
