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
from twinset.engine.spark.set_tables import set_figures
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.tables import SparkTables
from twinset.methods.base import Search
from twinset.plan import Plan
from twinset.report.manifest import MARKUP, PASSED_OVER
from twinset.spec import name_of

BINS = 100


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
    figures, clusters = tables.figures, tables.cluster_figures
    solved: dict[str, Any] = {"candidates": search.describe()}
    if "chains" in solved["candidates"]:
        solved["candidates"]["chains"] = figures["chains"]
    if solved["candidates"].get("given"):
        solved["recall"] = predicted["recall_at_threshold"]
    leaders, implied = tables.implied
    listed = implied if tables.are_listed else leaders
    not_enumerated = None if figures["least"] < 0 else figures["not_enumerated"]
    more = 0 if tables.are_listed else implied - leaders
    documents = tables.document_figures
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
            "classes": documents["ok"] - documents["same_as"],
            "same_as": documents["same_as"],
            "candidates": figures["compared"],
            "pairs": listed,
            "clusters": clusters["clusters"],
            "clustered_documents": clusters["documents"],
            "absorbed": figures["absorbed"],
            **tables.decided,
        },
        "pairs": "partial" if not_enumerated != 0 else "compact" if more else "all",
        "implied_pairs": more,
        "not_enumerated_pairs": not_enumerated,
        "pairs_left_out": left_out(plan, not_enumerated, more),
        "clusters_complete": figures["complete"] and (not_enumerated == 0 or tables.all_are_there),
        **_facts_of_sets(tables, plan, search),
        **{
            name: read[name]
            for name in ("without_reader", "faults", "first_faults", "unread", "first_passed_over")
        },
        "predicted": predicted,
        "observed": {
            "histogram": histogram(tables.pair_numbers),
            "chained_clusters": clusters["chained"],
            "weakest": clusters["weakest"],
        },
        "timings": dict(timings),
        "engine": dict(engine),
    }


def _facts_of_sets(tables: SparkTables, plan: Plan, search: Search) -> dict[str, Any]:
    """What clusters out of images say of themselves."""
    images = image_keeper(plan, search)
    if images is None:
        return {}
    facts = plan.clusters.facts(set_figures(tables.found), images.name)
    return {name_of("clusters", plan.clusters): facts}


def histogram(pairs: Any) -> dict[str, list[float]]:
    """How many pairs have which score; every task counts its own."""

    scores = pairs.select("score")
    top, counts = _counts(scores, 1.0)
    if top > 1:
        _, counts = _counts(scores, top)
    edges = np.histogram_bin_edges(np.empty(0), bins=BINS, range=(0.0, top))
    return {"edges": edges.round(6).tolist(), "counts": counts.tolist()}


def _counts(scores: Any, top: float) -> tuple[float, NDArray[np.int64]]:
    """The highest score, at least ``top``, and how many lie in each of the bins up to ``top``."""
    counts, most = np.zeros(BINS, np.int64), top
    schema = "most double, counts array<bigint>"
    for row in scores.mapInArrow(partial(_counted, top), schema).collect():
        counts += np.array(row.counts)
        most = max(most, row.most)
    return most, counts


def _counted(top: float, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts, most = np.zeros(BINS, np.int64), 0.0
    for batch in batches:
        scores = np.asarray(batch["score"])
        counts += np.histogram(scores, bins=BINS, range=(0.0, top))[0]
        most = max(most, float(scores.max(initial=0.0)))
    yield pa.RecordBatch.from_pydict(
        {"most": pa.array([most]), "counts": pa.array([counts.tolist()], pa.list_(pa.int64()))}
    )
