"""The tables that kinds of clusters out of images add, out of the rows that tasks have found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.spark.bucket import SET_ROW, found_nowhere
from twinset.engine.spark.schemas import spelt
from twinset.engine.spark.work import WorkFolder
from twinset.model.columns import column
from twinset.plan import Plan


def set_schemas(plan: Plan) -> dict[str, pa.Schema]:
    """The tables by name; where a column holds ids, its type is that of unsigned numbers."""
    sets = found_nowhere(plan).sets
    if sets is None:
        return {}
    tables = sets.tables(column(np.empty(0, np.uint64)))
    return {name: table.schema for name, table in tables.items()}


def set_columns(plan: Plan) -> list[str]:
    """The columns that clusters out of images have beside the others."""
    clusters = found_nowhere(plan).clustered.clusters
    return [name for name in ("shared", "quality") if getattr(clusters, name) is not None]


def set_table(
    found: Any, name: str, schema: pa.Schema, ids: Any, work: WorkFolder, partitions: int
) -> Any:
    """One of these tables; ``ids`` are rows (number, id)."""
    from pyspark.sql import functions as f

    rows = found.where(f"sort = {SET_ROW} and head = '{name}'").select("first", "index", "detail")
    ranked = work.numbered(name, rows, "first", "index", partitions=partitions)
    parsed = ranked.select("rank", f.from_json("detail", spelt(_numbered(schema))).alias("row"))
    first, *others = schema.names
    table = parsed.select(f.col("rank").alias(first), *(f"row.{other}" for other in others))
    for field in schema:
        if pa.types.is_uint64(field.type):
            table = _named(table, field.name, ids)
        elif pa.types.is_large_list(field.type):
            table = _all_named(table, first, field.name, ids)
    return table.select(*schema.names)


def _numbered(schema: pa.Schema) -> pa.Schema:
    """With numbers for ids, as Spark has them."""
    wide = {pa.uint64(): pa.int64(), pa.large_list(pa.uint64()): pa.list_(pa.int64())}
    return pa.schema([(field.name, wide.get(field.type, field.type)) for field in schema])


def _named(table: Any, name: str, ids: Any) -> Any:
    """The table with ids for the numbers in a column."""
    known = ids.withColumnRenamed("number", name).withColumnRenamed("id", "_id")
    return table.join(known, name).drop(name).withColumnRenamed("_id", name)


def _all_named(table: Any, key: str, name: str, ids: Any) -> Any:
    """The table with ids for the numbers in a column of lists."""
    from pyspark.sql import functions as f

    each = table.select(key, f.posexplode(name).alias("_place", "number")).join(ids, "number")
    in_order = f.sort_array(f.collect_list(f.struct("_place", "id")))
    listed = each.groupBy(key).agg(in_order.alias("_"))
    with_lists = table.drop(name).join(listed.select(key, f.col("_.id").alias(name)), key, "left")
    return with_lists.withColumn(name, f.coalesce(name, f.expr("array()")))
