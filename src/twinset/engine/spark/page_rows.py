"""What the page of a report shows, by queries over the tables, which stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from twinset.engine.spark.bucket import MEMBER, TEXT
from twinset.engine.spark.schemas import arrow_schema
from twinset.lazy_dataclass import dataclass
from twinset.report.page import CALLS, CLUSTERS, MEMBERS
from twinset.report.select import ClosestCall, Cluster, one_cluster

PLACED = pa.schema(
    {
        "number": pa.int64(),
        "id": pa.string(),
        "source": pa.string(),
        "place": pa.int64(),
        "file": pa.int32(),
        "block": pa.int64(),
        "row": pa.int64(),
    }
)
"""What is known of a document that is shown."""


@dataclass(frozen=True)
class PageRows:
    """The largest clusters, the pairs nearest to the threshold, and the documents of both.

    ``texts`` has the beginning of a document and its text by its number, as far as tasks have left
    them. ``members`` are the rows of the table of clusters.
    """

    clusters: list[Cluster]
    calls: list[ClosestCall]
    documents: list[dict[str, Any]]
    texts: dict[int, tuple[str | None, str | None]]
    members: pa.Table


def shown_ids(clusters: list[Cluster], calls: list[ClosestCall]) -> list[str]:
    """The ids of the documents of these clusters and pairs."""
    ids = {member.id for cluster in clusters for member in cluster.members}
    return sorted(ids | {id for call in calls for id in (call.left, call.right)})


def asked_rows(numbered: Any, found: Any, written: Mapping[str, Any]) -> PageRows:
    """The rows of tables of any size: documents, what was found, what is ``written`` already."""
    from pyspark.sql import functions as f

    clusters, members = _clusters(written["clusters"])
    closest = written["pairs"].orderBy("score", "left", "right").limit(CALLS)
    calls = [ClosestCall(*row) for row in closest.select(*ClosestCall._fields).collect()]
    chosen = numbered.where(f.col("id").isin(shown_ids(clusters, calls)))
    documents = [row.asDict() for row in chosen.select(*PLACED.names).collect()]
    numbers = [row["number"] for row in documents]
    rows = found.where(f"sort = {MEMBER} or sort = {TEXT}")
    rows = rows.where(f.col("left").isin(numbers)).select("sort", "left", "head").distinct()
    return PageRows(clusters, calls, documents, texts_of(rows.collect()), members)


def texts_of(rows: Any) -> dict[int, tuple[str | None, str | None]]:
    """Beginnings and texts by number, of rows (sort, number, text) that tasks have left."""
    texts: dict[int, tuple[str | None, str | None]] = {}
    for sort, number, text in rows:
        head, whole = texts.get(number, (None, None))
        texts[number] = (text, whole) if sort == MEMBER else (head, text)
    return texts


def _clusters(written: Any) -> tuple[list[Cluster], pa.Table]:
    """The largest clusters, and the rows of their first members."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    lowest = f.coalesce(f.min("score"), f.min("weakest")).alias("lowest")
    sizes = written.groupBy("cluster").agg(f.count("*").alias("size"), lowest)
    largest = sizes.orderBy(f.desc("size"), "cluster").limit(CLUSTERS).collect()
    rows = written.where(f.col("cluster").isin([row.cluster for row in largest]))
    stays = f.coalesce(f.expr("role = 'kept' or id = anchor"), f.lit(False))
    place = f.row_number().over(Window.partitionBy("cluster").orderBy(~stays, "id"))
    first = rows.withColumn("_place", place).where(f"_place <= {MEMBERS}").drop("_place")
    members = pa.Table.from_pylist(
        [row.asDict() for row in first.collect()], schema=arrow_schema(first)
    )
    clusters = []
    for row in largest:
        some = one_cluster(members, row.cluster, MEMBERS)
        clusters.append(
            Cluster(row.cluster, row.size, row.lowest, some.members, some.quality, some.kind)
        )
    return clusters, members
