"""A DataFrame as documents: in the order of its ids, whatever its partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.spark.rows import Read, in_order, read_here
from twinset.engine.spark.frame import FrameRecords, open_frame
from twinset.errors import PlanError, TwinsetError
from twinset.plan import ReadOptions

SCHEMA = "doc struct<key: string, text: string>, n bigint, day date"


def opened(rows: Any, tmp_path: Path, **options: Any) -> FrameRecords:
    return open_frame(rows, ReadOptions(**options), f"file:{tmp_path}/copy")


def read(records: FrameRecords) -> Read:
    return in_order(records.frame.collect(), records.sources.names)


def test_ids_give_the_order(spark: Any, tmp_path: Path) -> None:
    from datetime import date

    keys = ["b", "a", "é", "\U0001f600", "\uff5e", "B", "10", "9"]
    rows = [
        ({"key": key, "text": None if key == "9" else f"text {key}"}, 10**at, date(2020, 1, 1 + at))
        for at, key in enumerate(keys)
    ]
    frame = spark.createDataFrame(rows, SCHEMA).repartition(5)
    columns = [name.partition(" ")[0] for name in ("doc", "n", "day")]
    table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows])
    by_key = {"id": "doc.key", "text": "doc.text", "order": "day"}
    order = sorted(range(len(rows)), key=lambda at: keys[at].encode())
    records = opened(frame, tmp_path, **by_key)
    here = read_here(table.take(order), ReadOptions(**by_key))
    assert read(records) == here
    assert len(here.faults) == 1
    by_number = {"id": "n", "text": "doc.text"}
    assert read(opened(frame, tmp_path, **by_number)) == read_here(table, ReadOptions(**by_number))


def test_rows_stay_or_go(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as f

    frame = spark.range(20).select((19 - f.col("id")).alias("id"), f.lit("t").alias("text"), "id")
    frame = frame.toDF("id", "text", "more").repartition(4)
    records = opened(frame, tmp_path)
    rows = records.frame.where("row is not null")
    removed = rows.where("id in ('3', '11')").select("file", "block", "row")
    kept, gone = records.split(removed)
    assert kept.columns == gone.columns == ["id", "text", "more"]
    assert sorted(row.id for row in gone.collect()) == [3, 11]
    assert kept.count() == 18


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([("a", "x"), ("b", "y"), ("a", "z")], {}, "the id 'a' in 'id' is there more than once"),
        ([("a", "x"), (None, "y")], {}, "'id' is null in 1 rows"),
        ([("a", "x")], {"id": "key"}, "no column 'key' .it has id, text.; "),
        ([("a", "x")], {"text": "id.text"}, "no column 'id.text'"),
    ],
)
def test_ids_must_tell_rows_apart(
    spark: Any, tmp_path: Path, rows: Any, options: dict[str, str], message: str
) -> None:
    frame = spark.createDataFrame(rows, "id string, text string")
    with pytest.raises(TwinsetError, match=message):
        opened(frame, tmp_path, **options)


def test_kinds_of_columns(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("select current_date() as id, 7 as number, 'x' as text")
    with pytest.raises(PlanError, match="'id' holds dates or times, not ids"):
        opened(frame, tmp_path)
    with pytest.raises(TwinsetError, match="'number' holds numbers, not text"):
        opened(frame, tmp_path, text="number")
