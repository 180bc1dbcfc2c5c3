"""What the manifest says of the input: as after a local run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.test_lines import DAMAGED
from twinset import api
from twinset.engine.spark.facts import read_facts
from twinset.engine.spark.frame import open_frame, open_records
from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sketching import sketched
from twinset.engine.spark.sources import open_sources
from twinset.errors import PlanError, ReadError
from twinset.plan import Plan, ReadOptions


def facts_of(spark: Any, inputs: Any, **options: Any) -> dict[str, Any]:
    read = ReadOptions(**options)
    records = SparkRecords(open_sources(spark, inputs, read, block_bytes=4000))
    return facts_in(records)


def facts_in(records: SparkRecords) -> dict[str, Any]:
    rows = sketched(records, Plan.make()).cache()
    return read_facts(records, rows, Blocks.of(rows, records.sources.session))


def test_facts_of_a_local_run(spark: Any, tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.txt").write_text(f"some words of text {n}")
    (tmp_path / "binary.log").write_bytes(b"\x00\x01" * 99)
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "d.jsonl").write_bytes(b"\n".join(DAMAGED + [b"no JSON"] * 120))
    pq.write_table(pa.table({"text": ["one", None]}), tmp_path / "p.parquet")
    (tmp_path / "q.parquet").write_bytes((tmp_path / "p.parquet").read_bytes()[:-9])
    there = facts_of(spark, tmp_path, repeated="keep")
    local = api.find(tmp_path, repeated="keep", kinds="no").manifest
    for row in local["inputs"]:
        row["digest"] = None
    assert there["inputs"] == local["inputs"]
    assert there["faults"] == local["faults"]
    assert sorted(map(str, there["first_faults"])) == sorted(map(str, local["first_faults"]))
    syntax = [f["line"] for f in there["first_faults"] if f["kind"] == "syntax" and f["line"]]
    assert len(syntax) == 100
    assert syntax == sorted(syntax)
    for name in ("unread", "first_passed_over", "without_reader"):
        assert there[name] == local[name]
    assert there["unread"]
    assert there["unread_files"] is None
    for name, count in there["counts"].items():
        assert local["counts"].get(name, local["without_reader"].get(name)) == count


def test_what_ends_a_run(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"id": 1, "body": "one"}\n\n{"id": 2, "body": "two"}\nno JSON\n')
    assert "did you mean --text body" in facts_of(spark, path)["unread"]
    with pytest.raises(ReadError, match=r"lines\.jsonl:4: the line is not JSON"):
        facts_of(spark, path, text="body", on_error="stop")
    with pytest.raises(PlanError, match="no row holds a number or a date in the field 'when'"):
        facts_of(spark, path, text="body", order="when")


def test_files_without_the_text_field(spark: Any, tmp_path: Path) -> None:
    good = "".join(json.dumps({"text": f"the words of {n}"}) + "\n" for n in range(40))
    (tmp_path / "a.jsonl").write_text(good + "{broken\n" * 3)
    (tmp_path / "c.jsonl").write_text('{"body": "a text"}\n' * 5)
    pq.write_table(pa.table({"text": ["one text", "another"]}), tmp_path / "d.parquet")
    pq.write_table(pa.table({"content": ["one text", "another"]}), tmp_path / "e.parquet")
    there = facts_of(spark, tmp_path)
    local = api.find(tmp_path, kinds="no").manifest
    assert there["unread_files"] == local["unread_files"]
    assert there["unread_files"]["files"] == 2


def test_a_missing_column_is_reported_before_anything_is_read(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a"], "body": ["one"]}), tmp_path / "p.parquet")
    with pytest.raises(PlanError, match=r"no file has the column 'text'.*the fields are id, body"):
        open_records(spark, tmp_path, ReadOptions(), "")
    assert open_records(spark, tmp_path, ReadOptions(text="body"), "")
    # other files may have it
    (tmp_path / "l.jsonl").write_text('{"text": "two"}')
    assert open_records(spark, tmp_path, ReadOptions(), "")


def test_pages_lose_repeated_lines_on_one_machine(spark: Any, tmp_path: Path) -> None:
    page = "<html><body><p>" + "A page about rivers and lakes. " * 20 + "</p></body></html>"
    lines = [json.dumps({"id": n, "text": f"{page} {n}"}) for n in range(20)]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    with pytest.raises(PlanError, match=r"20 of the texts are HTML pages.*--repeated keep"):
        facts_of(spark, tmp_path)
    assert facts_of(spark, tmp_path, repeated="keep")["counts"]["html_cleaned"] == 20


def test_facts_of_a_frame(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame([("a", "x"), ("b", None)], "id string, text string")
    records = open_frame(frame, ReadOptions(), f"file:{tmp_path}/copy")
    facts = facts_in(records)
    assert facts["inputs"] == [{"source": "memory", "documents": 2}]
    assert facts["faults"] == {"missing": 1}
    assert facts["first_faults"][0]["line"] == 2
    assert facts["unread"] is None
