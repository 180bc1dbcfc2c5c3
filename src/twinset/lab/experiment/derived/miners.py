"""The race of the miners on the images of each row: Table 4 of Ignatov et al. (2009)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from twinset.clusters.closed import Closed, ClosedClusters
from twinset.clusters.context import Context
from twinset.clusters.mine.compare import compare
from twinset.errors import PlanError
from twinset.lab.experiment.result import ExperimentResult
from twinset.plan import Plan

SECONDS = 20.0
"""Wall time that a miner has for one threshold."""
SCHEMA = pa.schema(
    [
        ("row", pa.string()),
        ("algorithm", pa.string()),
        ("k", pa.int64()),
        ("outcome", pa.string()),
        ("sets", pa.int64()),
        ("seconds", pa.float64()),
        ("megabytes", pa.float64()),
        ("fault", pa.string()),
    ]
)


def miners(experiment: ExperimentResult, seconds: float = SECONDS) -> pa.Table:
    """One row per row and miner: CPU seconds and memory, or that it did not finish."""
    contexts: dict[str, Context] = {}
    rows: list[dict[str, Any]] = []
    for row in experiment.finished:
        plan = row.plan
        if plan is None or not isinstance(plan.clusters, Closed) or plan.clusters.k is None:
            raise PlanError(
                [f"the table miners needs closed sets of k features, but {row.name} has none"]
            )
        key = dataclasses.replace(plan, clusters=dataclasses.replace(plan.clusters, k=1)).as_toml()
        if key not in contexts:
            contexts[key] = _context(experiment, plan)
        for run in compare(contexts[key], plan.clusters.k, seconds=seconds):
            figures = dataclasses.asdict(run)
            rows.append(figures | {"row": row.name, "k": plan.clusters.k})
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _context(experiment: ExperimentResult, plan: Plan) -> Context:
    """The images of a row, made again: rows keep their pairs alone."""
    from twinset.engine import run

    findings = run(experiment.collection.texts, plan)
    assert isinstance(findings.image_clusters, ClosedClusters), "closed sets are searched in images"
    return findings.image_clusters.context
