"""The manifest of a run on Spark: the figures of a local one, out of aggregates."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as f

from twinset._version import VERSION
from twinset.errors import PlanError, some_of
from twinset.model import Fault
from twinset.model.flow import MARKUP, PASSED_OVER
from twinset.plan import Plan
from twinset.reading.compression import SUFFIXES
from twinset.reading.faults import Faults
from twinset.reading.unread import ReadTally, no_order
from twinset.run.manifest import decision, left_out, masked_in, predictions
from twinset.run.searching import begin, judge_of
from twinset.spark.reading import SparkInput
from twinset.spark.sketching import task_resources
from twinset.spark.tables import SparkTables
from twinset.text.repeated import LEAST_ARTICLES

BINS = 100
MOST_FAULTS = 100
"""Faults of each kind that are named: the first ones of so many sources."""


@dataclass(frozen=True)
class ReadFacts:
    """What was read: sums for each source, faults, and what was done to texts."""

    documents: SparkInput
    sketches: Any
    blocks: Any

    @cached_property
    def sources(self) -> dict[str, Counter[str]]:
        """Counts of documents by source: all, of each status, with ids and orders."""
        names = ["documents", "ok", "empty", "bad", "without_features", "other", "ids", "orders"]
        rows = self.blocks.groupBy("source").sum(*names).collect()
        return {row[0]: Counter(dict(zip(names, row[1:], strict=True))) for row in rows}

    @cached_property
    def sums(self) -> Counter[str]:
        """The same of all sources."""
        return sum(self.sources.values(), Counter())

    @cached_property
    def counts(self) -> dict[str, int]:
        """What was done to texts that is no fault."""
        told = f.explode(f.from_json("counts", "map<string, bigint>")).alias("name", "times")
        rows = self.sketches.where("counts is not null").select(told)
        return dict(map(tuple, rows.groupBy("name").sum("times").collect()))

    @cached_property
    def faults(self) -> list[tuple[Fault, int]]:
        """The first fault of each kind in each source, and how many there are, in reading order."""
        told = f.explode(f.from_json("faults", "array<struct<kind: string, detail: string>>"))
        rows = self.sketches.where("faults is not null").select("at", "file", "block", told)
        rows = rows.join(f.broadcast(self.blocks), ["file", "block"]).select(
            "source",
            "col.kind",
            f.struct("file", f.expr("place + at - first + 1").alias("line"), "col.detail").alias(
                "x"
            ),
        )
        found = rows.groupBy("source", "kind").agg(f.min("x").alias("x"), f.count("*").alias("n"))
        return [
            (Fault(row.source, row.x.line, row.kind, row.x.detail), row.n)
            for row in sorted(found.collect(), key=lambda row: row.x)
        ]

    def ensure(self, plan: Plan) -> None:
        """Raise where a local run would stop, and for pages that lose their repeated lines."""
        options = self.documents.options
        if self.faults and options.on_error == "stop":
            first = self.faults[0][0]
            Faults(first.source, "stop").add(first.line, first.kind, first.detail)
        if self.tally.lacks_order(options):
            raise PlanError([no_order(options, self.documents.field_names())])
        pages = self.counts.get("html_cleaned", 0)
        if options.drops_repeated and pages >= LEAST_ARTICLES:
            raise PlanError(
                [
                    f"{pages:,} of the texts are HTML pages, and lines that pages repeat are "
                    "dropped on one machine only: add --repeated keep, clean the texts first, or "
                    "run with --engine local"
                ]
            )

    @cached_property
    def tally(self) -> ReadTally:
        """Whether enough could be read."""
        sums = self.sums
        return ReadTally(
            sums["documents"],
            sums["bad"],
            sums["documents"],
            sums["bad"],
            sums["ok"] > 0,
            sums["ok"] > 0,
            has_ids=sums["ids"] > 0,
            has_order=sums["orders"] > 0,
            first_fault=self.faults[0][0] if self.faults else None,
        )

    @property
    def unread(self) -> str | None:
        """What is wrong with the input as a whole, with the remedy."""
        fault = self.tally.fault(self.documents.options, [])
        names = [] if fault is None or not self.tally.rows else self.documents.field_names()
        return f"{fault}; the fields are {some_of(names)}" if names else fault

    def in_manifest(self) -> dict[str, Any]:
        """Inputs and faults, as the manifest has them."""
        counted, first = Counter[str](), list[dict[str, Any]]()
        for fault, times in self.faults:
            counted[fault.kind] += times
            if sum(other["kind"] == fault.kind for other in first) < MOST_FAULTS:
                first.append(
                    {
                        "source": fault.source,
                        "line": fault.line,
                        "kind": fault.kind,
                        "detail": fault.detail,
                    }
                )
        return {
            "inputs": self._inputs(),
            "without_reader": {},
            "faults": dict(counted),
            "first_faults": first,
            "unread": self.unread,
            "unread_files": None,
            "first_passed_over": [],
        }

    def _inputs(self) -> list[dict[str, Any]]:
        described: dict[str, dict[str, Any]] = {}
        for file in self.documents.files:
            path = file.path.removeprefix("file:")
            packing = SUFFIXES.get(path[path.rfind(".") :])
            known = {"path": path, "reader": file.reader, "compression": packing, "digest": None}
            if self.documents.is_frame:
                known = {}
            entry = described.setdefault(file.source, {"source": file.source, "bytes": 0, **known})
            entry["bytes"] += file.size
            if count := self.sources.get(file.source, Counter())["documents"]:
                entry["documents"] = count
        return list(described.values())


def manifest(
    tables: SparkTables,
    plan: Plan,
    read: ReadFacts,
    repeated_ids: int,
    timings: Mapping[str, float],
    engine: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything a reader of the report may ask about the run."""
    resources = task_resources()
    search, judge = begin(plan, resources), judge_of(plan, resources)
    predicted = predictions(plan, search)
    figures, sums, documents = tables.figures, tables.figures.sums, read.sums
    solved: dict[str, Any] = {"candidates": search.describe()}
    if "chains" in solved["candidates"]:
        solved["candidates"]["chains"] = sums["chains"]
    if solved["candidates"].get("given"):
        solved["recall"] = predicted["recall_at_threshold"]
    listed = sums["implied"] if tables.are_listed else sums["pairs"]
    not_enumerated = None if sums["not_counted"] else sums["not_enumerated"]
    more = sums["implied"] - listed
    return {
        "twinset": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "plan": plan.as_dict() | solved,
        **({"forms": versions} if (versions := plan.forms.versions()) else {}),
        **masked_in(plan, read.counts),
        "decision": decision(search, judge),
        "counts": {
            **{name: documents[name] for name in ("documents", "ok", "empty", "bad", "bytes")},
            "repeated_ids": repeated_ids,
            **{name: read.counts.get(name, 0) for name in (*MARKUP, *PASSED_OVER)},
            "without_features": documents["without_features"],
            "classes": documents["ok"] - sums["same_as"],
            "same_as": sums["same_as"],
            "candidates": sums["compared"],
            "pairs": listed,
            "clusters": sums["clusters"],
            "clustered_documents": sums["clustered"],
            "absorbed": sums["absorbed"],
            **_decided(tables, documents["documents"]),
        },
        "pairs": "partial" if not_enumerated != 0 else "compact" if more else "all",
        "implied_pairs": more,
        "not_enumerated_pairs": not_enumerated,
        "pairs_left_out": left_out(plan, not_enumerated, more),
        "clusters_complete": not sums["incomplete"] and not_enumerated == 0,
        **read.in_manifest(),
        "predicted": predicted,
        "observed": {
            "histogram": _histogram(tables),
            "chained_clusters": sums["chained"],
            "weakest": figures.weakest,
        },
        "timings": dict(timings),
        "engine": dict(engine),
    }


def _decided(tables: SparkTables, documents: int) -> dict[str, int]:
    """How many documents stay and go, after dedup."""
    if not tables.dedup:
        return {}
    removed = tables.removed_numbers.count()
    return {"kept": documents - removed, "removed": removed}


def _histogram(tables: SparkTables) -> dict[str, list[float]]:
    """How many of the listed pairs have which score."""
    top = max(1.0, tables.figures.most)
    scores = tables.pair_numbers.select("score")
    rows = scores.mapInArrow(partial(_counted, top), "counts array<bigint>").collect()
    counts = np.array([row.counts for row in rows] or [[0] * BINS], np.int64).sum(axis=0)
    edges = np.histogram_bin_edges(np.empty(0), bins=BINS, range=(0.0, top))
    return {"edges": edges.round(6).tolist(), "counts": counts.tolist()}


def _counted(top: float, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts: NDArray[np.int64] = np.zeros(BINS, np.int64)
    for batch in batches:
        counts += np.histogram(np.asarray(batch["score"]), bins=BINS, range=(0.0, top))[0]
    yield pa.RecordBatch.from_pydict({"counts": pa.array([counts.tolist()], pa.list_(pa.int64()))})
