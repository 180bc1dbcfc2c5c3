"""Numbers of documents in reading order, distinct ids, and the order of preference.

A document is known by its file, its block and its row there. The blocks are few: how many documents
and lines each has goes through the driver, and numbers follow by addition.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.clusters.keep import ByField, First, Longest, Shortest
from twinset.engine.spark.work import WorkFolder
from twinset.lazy_dataclass import dataclass
from twinset.plan import Plan

DOCUMENT = ("file", "block", "row")
"""The columns by which a document of the input is known."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of the input, in reading order.

    ``table`` has for each the number of its first document, and the lines of the file before it.
    """

    table: Any
    documents: int

    @classmethod
    def of(cls, sketches: Any, session: Any) -> Blocks:
        """The blocks whose ends are among these rows."""
        ends = sketches.where("block_documents is not null")
        rows = ends.select("file", "block", "block_lines", "block_documents").collect()
        table, number, lines, file = [], 0, 0, None
        for row in sorted(rows):
            if row.file != file:
                file, lines = row.file, 0
            table.append((row.file, row.block, number, lines))
            number, lines = number + row.block_documents, lines + row.block_lines
        schema = "file int, block bigint, first_number bigint, lines_before bigint"
        return cls(session.createDataFrame(table, schema), number)

    def numbered(self, rows: Any) -> Any:
        """The rows of documents with their ``number``."""
        from pyspark.sql import functions as f

        known = rows.where("row is not null").join(f.broadcast(self.table), ["file", "block"])
        known = known.withColumn("number", f.expr("first_number + row"))
        if "line" in rows.columns:  # places are lines of the file, from 1
            known = known.withColumn("place", f.expr("lines_before + line"))
        return known.drop("first_number", "lines_before")


def distinct_ids(documents: Any, work: WorkFolder) -> tuple[Any, int]:
    """Rows (number, id) of the documents that need another id, and how many these are.

    The second document ``x`` becomes ``x#2``, or ``x#2'`` where that is an id of another one.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    named = documents.select("number", "id")
    several = named.groupBy("id").count().where("count > 1").select("id")
    if several.isEmpty():
        return None, 0
    nth = f.row_number().over(Window.partitionBy("id").orderBy("number"))
    again = named.join(several, "id").withColumn("nth", nth).where("nth > 1")
    again = work.kept("repeated-ids", again)
    count = again.count()
    new = again.select("number", f.concat_ws("#", "id", "nth").alias("id"))
    turn = 0
    while True:
        taken = new.join(named.select("id").distinct(), "id", "left_semi")
        taken = work.kept(f"taken-ids-{turn}", taken)
        if taken.isEmpty():
            break
        longer = taken.select("number", f.concat(f.col("id"), f.lit("'")).alias("id"))
        free = new.join(taken.select("number"), "number", "left_anti")
        new = work.kept(f"new-ids-{turn}", free.select("number", "id").union(longer))
        turn += 1
    return new, count


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
