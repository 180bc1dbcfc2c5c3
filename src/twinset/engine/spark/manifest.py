"""The manifest of a run on Spark: the figures of a local one, out of aggregates."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset._version import VERSION
from twinset.engine.images import image_keeper
from twinset.engine.manifest import decision, left_out, predictions
from twinset.engine.searching import begin, judge_of
from twinset.engine.spark.figures import BINS
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.tables import SparkTables
from twinset.methods.base import Search
from twinset.plan import Plan
from twinset.report.manifest import MARKUP, PASSED_OVER
from twinset.spec import name_of


def manifest(
    tables: SparkTables,
    plan: Plan,
    repeated_ids: int,
    read: Mapping[str, Any],
    timings: Mapping[str, float],
    engine: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything a reader of the report may ask about the run; ``read`` tells of the input."""
    resources = task_resources()
    search, judge = begin(plan, resources), judge_of(plan, resources)
    predicted = predictions(plan, search)
    figures, sums = tables.figures, tables.figures.sums
    solved: dict[str, Any] = {"candidates": search.describe()}
    if "chains" in solved["candidates"]:
        solved["candidates"]["chains"] = sums["chains"]
    if solved["candidates"].get("given"):
        solved["recall"] = predicted["recall_at_threshold"]
    listed = sums["implied"] if tables.are_listed else sums["pairs"]
    not_enumerated = None if sums["not_counted"] else sums["not_enumerated"]
    more = sums["implied"] - listed
    documents = read["statuses"]
    return {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "plan": plan.as_dict() | solved,
        **({"forms": versions} if (versions := plan.forms.versions()) else {}),
        "decision": decision(search, judge),
        "inputs": read["inputs"],
        "counts": {
            **{name: documents[name] for name in ("documents", "ok", "empty", "bad", "bytes")},
            "repeated_ids": repeated_ids,
            **{name: read["counts"].get(name, 0) for name in (*MARKUP, *PASSED_OVER)},
            "without_features": documents["without_features"],
            "classes": documents["ok"] - sums["same_as"],
            "same_as": sums["same_as"],
            "candidates": sums["compared"],
            "pairs": listed,
            "clusters": sums["clusters"],
            "clustered_documents": sums["clustered"],
            "absorbed": sums["absorbed"],
            **tables.decided,
        },
        "pairs": "partial" if not_enumerated != 0 else "compact" if more else "all",
        "implied_pairs": more,
        "not_enumerated_pairs": not_enumerated,
        "pairs_left_out": left_out(plan, not_enumerated, more),
        "clusters_complete": not sums["incomplete"]
        and (not_enumerated == 0 or tables.all_are_there),
        **_facts_of_sets(tables, plan, search),
        **{
            name: read[name]
            for name in (
                *("without_reader", "faults", "first_faults"),
                *("unread", "unread_files", "first_passed_over"),
            )
        },
        "predicted": predicted,
        "observed": {
            "histogram": histogram(tables),
            "chained_clusters": sums["chained"],
            "weakest": figures.weakest,
        },
        "timings": dict(timings),
        "engine": dict(engine),
    }


def _facts_of_sets(tables: SparkTables, plan: Plan, search: Search) -> dict[str, Any]:
    """What clusters out of images say of themselves."""
    images = image_keeper(plan, search)
    if images is None:
        return {}
    facts = plan.clusters.facts(tables.figures.sets, images.name)
    return {name_of("clusters", plan.clusters): facts}


def histogram(tables: SparkTables) -> dict[str, list[float]]:
    """How many of the listed pairs have which score; where it goes beyond 1, they are asked."""
    figures = tables.figures
    top, counts = max(1.0, figures.most), figures.histogram
    if top > 1:
        counts = _counts(tables.pair_numbers.select("score"), top)
    elif tables.are_listed:
        counts = figures.implied_histogram
    edges = np.histogram_bin_edges(np.empty(0), bins=BINS, range=(0.0, top))
    return {"edges": edges.round(6).tolist(), "counts": counts.tolist()}


def _counts(scores: Any, top: float) -> NDArray[np.int64]:
    """How many scores lie in each of the bins up to ``top``; every task counts its own."""
    rows = scores.mapInArrow(partial(_counted, top), "counts array<bigint>").collect()
    counts: NDArray[np.int64] = np.array([row.counts for row in rows], np.int64).sum(axis=0)
    return counts


def _counted(top: float, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts = np.zeros(BINS, np.int64)
    for batch in batches:
        counts += np.histogram(np.asarray(batch["score"]), bins=BINS, range=(0.0, top))[0]
    yield pa.RecordBatch.from_pydict({"counts": pa.array([counts.tolist()], pa.list_(pa.int64()))})
