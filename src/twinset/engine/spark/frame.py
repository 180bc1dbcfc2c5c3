"""A DataFrame of Spark as documents, in the order of its ids.

Rows of a DataFrame have no order and may come otherwise when they are computed again. So the
columns that documents are made of are written once, sorted by the id; from then on a document is
known by its place there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from twinset.engine.spark.choosing import is_spark_frame
from twinset.engine.spark.parsing import ColumnParser
from twinset.engine.spark.parts import InputPart, column_of, with_places
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.sources import (
    SparkSources,
    ensure_texts,
    open_sources,
    reading_session,
)
from twinset.engine.spark.work import rows_before
from twinset.errors import PlanError
from twinset.plan import ReadOptions
from twinset.reading.batches import holds_id, holds_text, kind_of_column, pick
from twinset.reading.memory.kind import NAME, needed, no_column, no_texts
from twinset.reading.source import Source


@dataclass(frozen=True)
class FrameRecords(SparkRecords):
    """The documents of a DataFrame, of which a sorted copy lies in a folder.

    ``before`` says how many rows come before those of each file of the copy, ``schema`` which
    columns the copy has: those of the documents, under their names.
    """

    rows: Any = field(default=None)
    place: str = ""
    before: Mapping[str, int] = field(default_factory=dict)
    schema: pa.Schema = field(default_factory=lambda: pa.schema([]))

    def parts(self) -> Iterable[InputPart]:
        """The sorted copy."""
        frame = with_places(self._copy, [f"value{at}" for at in range(len(self.schema))])
        parse = ColumnParser(
            dict.fromkeys(self.before, 0),
            self.sources.sources,
            self.sources.options,
            self.schema.names,
            self.schema,
            self.before,
        )
        return [InputPart("frame", (0,), frame, parse, self.schema)]

    def split(self, removed: Any) -> tuple[Any, Any]:
        """The rows of the DataFrame that stay and those that go: rows (block, row) are removed."""
        from pyspark.sql import functions as f

        starts = few_rows(self.sources.session, self.before.items(), "path string, before bigint")
        ids = self._copy.select(
            f.col("_metadata.file_path").alias("path"),
            f.col("_metadata.row_index").alias("index"),
            f.col("value0").alias("twinset_id"),
        ).join(f.broadcast(starts), "path")
        places = removed.select((f.col("block") + f.col("row")).alias("rank"))
        gone = ids.withColumn("rank", f.expr("before + index")).join(places, "rank")
        gone = gone.select("twinset_id")
        is_gone = column_of(self.rows, self.sources.options.id) == gone["twinset_id"]
        return self.rows.join(gone, is_gone, "left_anti"), self.rows.join(
            gone, is_gone, "left_semi"
        )

    @property
    def _copy(self) -> Any:
        return self.sources.reader.parquet(self.place)


def open_records(spark: Any, documents: Any, options: ReadOptions, place: str) -> SparkRecords:
    """The documents of files, folders and addresses, or of a DataFrame, which is copied first."""
    if is_spark_frame(documents):
        return open_frame(documents, options, place)
    sources = open_sources(spark, documents, options)
    ensure_texts(sources)
    return SparkRecords(sources)


def open_frame(rows: Any, options: ReadOptions, place: str) -> FrameRecords:
    """The documents of a DataFrame; the sorted copy of their columns is written to a folder."""
    from pyspark.sql import functions as f

    schema = _checked(rows, options)
    columns = [column_of(rows, name).alias(f"value{at}") for at, name in enumerate(schema.names)]
    # Texts are compared byte by byte, which is the order of code points.
    ordered = rows.select(*columns).repartitionByRange("value0").sortWithinPartitions("value0")
    ordered.write.mode("overwrite").parquet(place)
    session = reading_session(rows.sparkSession)
    source = Source(Path(NAME), NAME, "memory", None, None)
    sources = SparkSources(session, [source], options)
    copy = sources.reader.parquet(place)
    _ensure_unique(copy.select(f.col("value0").alias("id")), options.id)
    before = rows_before(copy, f.col("_metadata.file_path"))
    return FrameRecords(sources, rows, place, before, schema)


def _checked(rows: Any, options: ReadOptions) -> pa.Schema:
    """The columns that documents are made of, the id first; raises where one will not do."""
    from pyspark.sql.pandas.types import to_arrow_schema

    whole = to_arrow_schema(rows.select(*(f"`{n}`" for n in needed(rows.columns, options))).schema)
    empty = pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in whole.types], schema=whole)
    columns = {}
    for option, name in (("id", options.id), ("text", options.text), ("keep", options.order)):
        if name is None:
            continue
        column = pick(empty, name)
        if column is None:
            no_column(name, rows.columns, option, f"{name}:max" if option == "keep" else name)
        columns[name] = column.type
    if not holds_text(columns[options.text]):
        no_texts(kind_of_column(columns[options.text]), options.text)
    if not holds_id(columns[options.id]):
        raise PlanError(
            [
                f"the column '{options.id}' holds {kind_of_column(columns[options.id])}, not ids; "
                "name one of numbers or strings with id=..."
            ]
        )
    return pa.schema(columns)


def _ensure_unique(ids: Any, name: str) -> None:
    """Raise for an id that is missing or there twice: rows could not be told apart."""
    from pyspark.sql import functions as f

    several = ids.groupBy("id").count().where("count > 1 or id is null")
    facts = several.agg(
        f.max(f.when(f.col("id").isNull(), f.col("count"))).alias("without"),
        f.min("id").alias("id"),
        f.count("id").alias("ids"),
    ).collect()[0]
    remedy = "give every row an id of its own"
    if facts["without"]:
        raise PlanError([f"the column '{name}' is null in {facts['without']:,} rows; {remedy}"])
    if facts["ids"]:
        value = facts["id"] if not isinstance(facts["id"], bytearray) else bytes(facts["id"])
        raise PlanError([f"the id {value!r} in '{name}' is there more than once; {remedy}"])
