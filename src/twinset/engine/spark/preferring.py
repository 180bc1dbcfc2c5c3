"""The order of preference: which copy of a document stays before which other."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.clusters.keep import ByField, First, Longest, Shortest
from twinset.engine.spark.sources import SparkSources
from twinset.engine.spark.work import WorkFolder
from twinset.errors import PlanError
from twinset.plan import Plan
from twinset.spec import make, name_of

OF_RECORDS = (First, Longest, Shortest, ByField)
"""Policies that look at nothing but records; names and times of files are known on one machine."""


def with_policies(plan: Plan, sources: SparkSources, dedup: bool) -> Plan:
    """The plan with the policies that a run goes by, where it names none.

    Among files a local run prefers by their names and times, which Spark does not look at.
    """
    has_files = bool(sources.of("files"))
    others = [policy for policy in plan.keep if not isinstance(policy, OF_RECORDS)]
    if has_files and others:
        raise PlanError(
            [
                f"keep {name_of('keep', others[0])} looks at names and times of files, which Spark "
                "does not: take --keep first, longest or shortest, or run with --engine local"
            ]
        )
    if has_files and dedup and not plan.keep:
        raise PlanError(
            [
                "which copy of a file stays goes by names and times of files, which Spark does not "
                "look at: add --keep first, longest or shortest, or run with --engine local"
            ]
        )
    return plan if plan.keep else dataclasses.replace(plan, keep=(make("keep", "first"),))


def with_positions(
    documents: Any, plan: Plan, sources: Sequence[str], work: WorkFolder, partitions: int
) -> Any:
    """The documents with ``stays``, whether one is never removed, and their ``position``.

    That is their place in the order of preference, the number of the document as long as nothing is
    preferred but the first.
    """
    from pyspark.sql import functions as f

    documents = _with_stays(documents, plan, sources)
    if plan.never_remove is None and isinstance(plan.keep[0], First):
        return documents.withColumn("position", f.col("number"))
    ranked = work.numbered(
        "preferred", documents, f.expr("not stays"), *_preferences(plan), partitions=partitions
    )
    return ranked.withColumnRenamed("rank", "position")


def _preferences(plan: Plan) -> list[Any]:
    """What documents are sorted by, one policy after the other, then by their ids."""
    from pyspark.sql import functions as f

    columns: list[Any] = []
    for policy in plan.keep:
        if isinstance(policy, First):
            return [*columns, f.col("number")]
        if isinstance(policy, Longest):
            columns.append(-f.col("units"))
        elif isinstance(policy, Shortest):
            columns.append(f.col("units"))
        elif isinstance(policy, ByField):
            value = f.col("order") if policy.way == "min" else -f.col("order")
            columns.append(f.coalesce(value, f.lit(float("inf"))))
        # all others look at files, and tell no two records apart
    return [*columns, f.col("id")]


def _with_stays(documents: Any, plan: Plan, sources: Sequence[str]) -> Any:
    from pyspark.sql import functions as f

    pattern = plan.never_remove
    if pattern is None:
        return documents.withColumn("stays", f.lit(False))
    files = [number for number, name in enumerate(sources) if fnmatch.fnmatch(name, pattern)]
    by_source = f.col("file").isin(files) if files else f.lit(False)
    schema = ", ".join(f"`{c.name}` {c.dataType.simpleString()}" for c in documents.schema)
    matched = documents.mapInArrow(partial(_matched, pattern), f"{schema}, matches boolean")
    return matched.withColumn("stays", f.col("matches") | by_source).drop("matches")


def _matched(pattern: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        matches = [fnmatch.fnmatch(id, pattern) for id in batch["id"].to_pylist()]
        yield batch.append_column("matches", pa.array(np.array(matches, bool)))
