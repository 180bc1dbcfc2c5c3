"""The texts of linked documents, whether all tasks know these or Spark joins them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sketching import sketched
from twinset.engine.spark.sources import open_sources
from twinset.engine.spark.texts import KNOWN, linked_texts
from twinset.plan import Plan


def test_few_and_many_linked_documents_get_the_same_texts(spark: Any, tmp_path: Path) -> None:
    for file in range(2):
        lines = [json.dumps({"id": f"{file}-{n}", "text": f"text {file} {n}"}) for n in range(60)]
        lines[5] = "broken"
        (tmp_path / f"{file}.jsonl").write_text("\n".join(lines) + "\n")
    records = SparkRecords(open_sources(spark, [tmp_path], block_bytes=500))
    blocks = Blocks.of(sketched(records, Plan.make()), spark)
    chosen = [(number, number // 7, number, 1, number % 2 == 0) for number in range(0, 118, 3)]
    schema = "number bigint, root bigint, position bigint, times bigint, stays boolean"
    linked = spark.createDataFrame(chosen, schema)
    few = linked_texts(records, blocks, linked, len(chosen))
    many = linked_texts(records, blocks, linked, len(chosen), few=0)
    rows, joined = (sorted(frame.select(*KNOWN, "text").collect()) for frame in (few, many))
    assert [row[:5] for row in rows] == chosen
    assert rows == joined
