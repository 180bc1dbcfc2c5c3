"""Kept and removed documents by Spark: together the input, record by record."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.rows import read_here
from tests.spark.test_formats import CSV
from tests.spark.test_lines import DAMAGED
from twinset.engine.spark.frame import open_frame
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.sources import open_sources
from twinset.engine.spark.writing import write
from twinset.errors import PlanError
from twinset.plan import ReadOptions
from twinset.plan.output import OutputForm

KEPT = ReadOptions(repeated="keep")


def decided(records: SparkRecords) -> Any:
    """Every third document goes."""
    rows = records.frame.where("row is not null")
    return rows.selectExpr("file", "block", "row", "line % 3 != 0 as keep").cache()


def written(spark: Any, inputs: Any, out: Path, **form: Any) -> tuple[SparkRecords, Any]:
    records = SparkRecords(open_sources(spark, inputs, KEPT, block_bytes=4000))
    return records, write(records, decided(records), f"file:{out}", OutputForm(**form))


def parts(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.name[0] not in "._"]


def lines_of(folder: Path) -> Counter[bytes]:
    opened = {".gz": gzip.decompress}
    data = [opened.get(path.suffix, bytes)(path.read_bytes()) for path in parts(folder)]
    return Counter(line for part in data for line in part.split(b"\n")[:-1])


def texts_of(path: Path) -> Counter[Any]:
    return Counter((row[2], row[3]) for row in read_here(path, KEPT).documents)


def test_lines_as_they_are(spark: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "damaged.jsonl", tmp_path / "out"
    path.write_bytes(b"\n".join(DAMAGED))
    records, facts = written(spark, path, out)
    assert lines_of(out / "kept.jsonl") + lines_of(out / "removed.jsonl") == Counter(DAMAGED)
    gone = decided(records).where("not keep").collect()
    assert len(gone) == 5
    assert len(read_here(out / "removed.jsonl", KEPT).documents) == len(gone)
    assert facts["removed"]["documents"] == len(gone)
    assert facts["kept"]["files"] == len(parts(out / "kept.jsonl")) > 1
    size = sum(part.stat().st_size for part in parts(out / "kept.jsonl"))
    assert facts["kept"] == facts["kept"] | {"path": "kept.jsonl", "bytes": size}


def test_each_format_has_its_folder(spark: Any, tmp_path: Path) -> None:
    given, out = tmp_path / "in", tmp_path / "out"
    given.mkdir()
    lines = [json.dumps({"id": f"j{n}", "text": f"line {n}"}).encode() for n in range(30)]
    (given / "a.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    (given / "b.csv").write_bytes(CSV)
    (given / "c.csv").write_bytes(b"id,text,n\r\nx,one,1\r\ny,two,2\r\nz,three,3\r\n")
    (given / "d.tsv").write_bytes(b"text\tid\nfirst\t1\nsecond\t2\nthird\t3\n")
    table = pa.table(
        {
            "id": [f"p{n}" for n in range(40)],
            "text": ["t"] * 40,
            "more": [[{"a": n}, None] for n in range(40)],
        }
    )
    pq.write_table(table, given / "e.parquet", row_group_size=7)
    for n in range(4):
        (given / f"{n}.txt").write_text(f"text {n}")
    _, facts = written(spark, given, out)
    assert sorted(path.name for path in (out / "kept").iterdir()) == [
        "1.jsonl.gz",
        "2.csv",
        "3.tsv",
        "4.parquet",
    ]
    ends = {"1.jsonl.gz": ".jsonl.gz", "2.csv": ".csv", "3.tsv": ".tsv", "4.parquet": ".parquet"}
    for name, end in ends.items():
        assert all(part.name.endswith(end) for part in parts(out / "kept" / name))
    whole = Counter(
        {key: count for key, count in texts_of(given).items() if not str(key[0]).endswith(".txt")}
    )
    # a quote that is left open is closed, or it would take in what follows it in the part
    whole["last", "never closed\nto the end,5"] = whole.pop(("last", None))
    assert texts_of(out / "kept") + texts_of(out / "removed") == whole
    both = [pq.read_table(out / side / "4.parquet") for side in ("kept", "removed")]
    assert pa.concat_tables(both).sort_by("id").equals(table.sort_by("id"))
    assert both[1].num_rows == 13
    names = b"".join(part.read_bytes() for part in parts(out / "removed-files.jsonl"))
    assert json.loads(names) == {"id": "2.txt", "path": str(given / "2.txt")}
    assert facts["removed_files"]["documents"] == 1
    documents = sum(facts[side]["documents"] for side in facts)
    assert documents == len(read_here(given, KEPT).documents)


def test_shards_and_forms(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"id,text\n" + b"".join(b"%d,t\n" % n for n in range(30)))
    _, facts = written(spark, path, tmp_path / "out", shards=4)
    assert [len(parts(tmp_path / "out" / f"{side}.csv")) for side in ("kept", "removed")] == [4, 4]
    assert facts["kept"]["files"] == 4
    assert all(
        part.read_bytes().startswith(b"id,text\n") for part in parts(tmp_path / "out" / "kept.csv")
    )
    assert written(spark, path, tmp_path / "none", no_split=True)[1] == {}
    assert not (tmp_path / "none").exists()
    for form in ({"annotate": True}, {"to": "jsonl"}):
        with pytest.raises(PlanError, match="--engine local"):
            written(spark, path, tmp_path / "none", **form)


def test_rows_of_a_frame(spark: Any, tmp_path: Path) -> None:
    frame = spark.range(9).selectExpr("id", "'t' as text", "map(id, id) as more")
    records = open_frame(frame, KEPT, f"file:{tmp_path}/copy")
    facts = write(records, decided(records), f"file:{tmp_path}/out")
    assert facts["removed"]["documents"] == 3
    kept = pq.read_table(tmp_path / "out" / "kept.parquet")
    assert sorted(kept["id"].to_pylist()) == [0, 1, 3, 4, 6, 7]
    assert kept.schema.names == ["id", "text", "more"]
