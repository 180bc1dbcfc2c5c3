"""Documents with their numbers, ids and places in the order of preference, and equal ones.

How many rows and documents each block of the input has is all that is needed to number them.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as f

from twinset.errors import PlanError
from twinset.finding.clusters.keep import ByField, First, Longest, Shortest
from twinset.plan import Plan
from twinset.spark.reading import SparkInput
from twinset.spark.work import WorkFolder

KNOWN = (
    *("number", "at", "file", "block", "id", "source", "place", "position", "stays"),
    *("status", "units", "features", "same_a", "same_b", "copy_score"),
)
"""What is known of each document once all are numbered."""


def blocks_of(sketches: Any, documents: SparkInput, work: WorkFolder) -> Any:
    """The blocks of the input: which documents and rows come before, and what is counted in each.

    ``number`` is that of the first document, ``place`` that of the row before the first one.
    """

    def times(condition: str) -> Any:
        return f.count_if(f.expr(condition))

    counted = sketches.groupBy("file", "block").agg(
        f.min("at").alias("first"),
        f.count("*").alias("rows"),
        f.count("row").alias("documents"),
        times("status = 0").alias("ok"),
        times("status = 1").alias("empty"),
        times("status = 2").alias("bad"),
        times("status = 0 and features = 0").alias("without_features"),
        times("status = 0 and copy_score not in (0, 1)").alias("other"),
        f.count("id").alias("ids"),
        f.count("order").alias("orders"),
    )
    counted = counted.join(f.broadcast(documents.table.select("file", "source")), "file")
    before = Window.orderBy("file", "block").rowsBetween(Window.unboundedPreceding, -1)
    in_source = Window.partitionBy("source").orderBy("file", "block")
    in_source = in_source.rowsBetween(Window.unboundedPreceding, -1)
    nothing = f.lit(0)
    placed = counted.select(
        "*",
        f.coalesce(f.sum("documents").over(before), nothing).alias("number"),
        f.coalesce(f.sum("rows").over(in_source), nothing).alias("place"),
    )
    return work.kept("blocks", placed)


def numbered(rows: Any, blocks: Any) -> Any:
    """The rows of documents with their ``number``, ``source`` and ``place``."""
    known = blocks.select("file", "block", "first", "source", "number", "place")
    rows = rows.where("row is not null").join(f.broadcast(known), ["file", "block"])
    rows = rows.withColumn("number", f.expr("number + row"))
    return rows.withColumn("place", f.expr("place + at - first + 1")).drop("first", "row")


def all_documents(
    sketches: Any, blocks: Any, plan: Plan, work: WorkFolder, partitions: int
) -> tuple[Any, int]:
    """Numbered documents with distinct ids, and how many ids had to be changed."""
    rows = numbered(sketches.drop("links", "counted", "print"), blocks)
    rows = rows.withColumn("id", f.coalesce("id", f.concat_ws(":", "source", "place")))
    other, repeated = _distinct_ids(rows, work)
    if repeated:
        rows = rows.join(other.withColumnRenamed("id", "other_id"), "number", "left")
        rows = rows.withColumn("id", f.coalesce("other_id", "id")).drop("other_id")
    rows = _with_positions(rows, plan, work, partitions)
    return work.kept("documents", rows.select(*KNOWN)), repeated


def _distinct_ids(documents: Any, work: WorkFolder) -> tuple[Any, int]:
    """Rows (number, id) of the documents that need another id, and how many these are.

    The second document ``x`` becomes ``x#2``.
    """
    named = documents.select("number", "id")
    several = named.groupBy("id").count().where("count > 1").select("id")
    if several.isEmpty():
        return None, 0
    nth = f.row_number().over(Window.partitionBy("id").orderBy("number"))
    again = named.join(several, "id").withColumn("nth", nth).where("nth > 1")
    again = work.kept("repeated-ids", again)
    count = again.count()
    new = again.select("number", f.concat_ws("#", "id", "nth").alias("id"))
    if taken := new.join(named.select("id"), "id", "left_semi").head(1):
        raise PlanError(
            [
                f"ids are there more than once, and the one to be given to another, {taken[0].id}, "
                "is there as well: give each document an id of its own, or run with --engine local"
            ]
        )
    return new, count


def _with_positions(documents: Any, plan: Plan, work: WorkFolder, partitions: int) -> Any:
    """The documents with ``stays``, whether one is never removed, and their ``position``.

    That is their place in the order of preference, the number of the document as long as nothing is
    preferred but the first.
    """
    documents = _with_stays(documents, plan.never_remove)
    if plan.never_remove is None and isinstance(plan.keep[0], First):
        return documents.withColumn("position", f.col("number"))
    ranked = work.numbered(
        "preferred", documents, f.expr("not stays"), *_preferences(plan), partitions=partitions
    )
    return ranked.withColumnRenamed("rank", "position")


def _preferences(plan: Plan) -> list[Any]:
    """What documents are sorted by, one policy after the other, then by their ids."""
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


def _with_stays(documents: Any, pattern: str | None) -> Any:
    """Whether the id or the source of a document matches a pattern."""
    if pattern is None:
        return documents.withColumn("stays", f.lit(False))
    regex = f"\\A{fnmatch.translate(pattern)}"
    return documents.withColumn("stays", f.col("id").rlike(regex) | f.col("source").rlike(regex))


@dataclass(frozen=True)
class EqualDocuments:
    """``members`` are the documents that have an equal one: rows (number, leader, times).

    The leader is the preferred one of them, ``times`` how many they are. A million copies are a
    million short rows.
    """

    members: Any

    @classmethod
    def of(cls, documents: Any, work: WorkFolder) -> EqualDocuments:
        """By the digests of the first pass."""
        known = documents.where("same_a is not null")
        known = known.select("number", "position", "same_a", "same_b")
        first = f.min(f.struct("position", "number")).alias("first")
        classes = known.groupBy("same_a", "same_b").agg(first, f.count("*").alias("times"))
        several = classes.where("times > 1").select(
            "same_a", "same_b", f.col("first.number").alias("leader"), "times"
        )
        members = known.join(several, ["same_a", "same_b"]).select("number", "leader", "times")
        return cls(work.kept("equal", members))

    @property
    def leaders(self) -> Any:
        """Rows (number, times) of those that stand for others."""
        return self.members.where("number = leader").select("number", "times")

    @property
    def followers(self) -> Any:
        """Rows (number, leader) of those that another one stands for."""
        return self.members.where("number <> leader").select("number", "leader")
