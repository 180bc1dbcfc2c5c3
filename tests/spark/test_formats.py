"""Parquet, CSV, plain files and mixtures by Spark: the documents of the local engine."""

from __future__ import annotations

import bz2
import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.rows import read_by_spark, read_here
from twinset.engine.spark.sources import address_of, open_sources, uri_of
from twinset.errors import PlanError, ReadError, TwinsetError
from twinset.plan import ReadOptions

KEPT = ReadOptions(repeated="keep")
ROWS = [
    {"id": "a", "text": "plain", "meta": {"text": "nested a", "when": date(2024, 5, 31)}},
    {"id": None, "text": "without id", "meta": {"text": None, "when": None}},
    {"id": "", "text": None, "meta": None},
    {
        "id": "é",
        "text": "ünïcode \U0001f600",
        "meta": {"text": "x" * 99, "when": date(1960, 1, 1)},
    },
    {"id": "h", "text": "<html><body><p>" + "A page. " * 60 + "</p></body></html>", "meta": None},
]


def test_parquet_in_many_blocks(spark: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS * 30)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=25)
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    for options in (KEPT, ReadOptions(text="meta.text", order="meta.when")):
        here = read_here(tmp_path, options)
        assert len(here.documents) == 150
        assert len(here.faults) >= 30
        assert read_by_spark(spark, tmp_path, options, block_bytes=6000) == here


def test_parquet_files_of_different_columns(spark: Any, tmp_path: Path) -> None:
    tables = {
        "numbers": pa.table({"text": ["one", "two"], "id": pa.array([1, 2**63], pa.uint64())}),
        "floats": pa.table({"text": ["one", None], "id": [0.5, 1e20]}),
        "bytes": pa.table({"text": [b"fine", b"caf\xe9 \xff"], "ID": ["x", "y"], "id": ["p", "q"]}),
        "without": pa.table({"title": ["no text"], "id": [[1]]}),
        "kinds": pa.table({"text": [7, 8], "id": [True, False]}),
    }
    for name, table in tables.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    whole = (tmp_path / "numbers.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-20])
    here = read_here(tmp_path, ReadOptions(max_document_bytes=1000))
    assert len(here.faults) == 6
    assert read_by_spark(spark, tmp_path, ReadOptions(max_document_bytes=1000)) == here


CSV = (
    b'\xef\xbb\xbfid,text,n\r\na,plain,1\r\n\r\nb,"quoted, with ""quotes""\nand\r\n\nlines",2\n'
    b'c,caf\xe9 \xff,2024-05-31\nd\n,"no id",x\ne,too,many,fields\nf,,\ng,"<p>p</p>",3\n'
    b'long,"' + b"x\n" * 700 + b'",4\nlast,"never closed\nto the end,5'
)


def test_csv_is_never_cut(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(CSV)
    (tmp_path / "rows.tsv").write_bytes(b"text\tid\nfirst\t1\nsecond, with comma\t2\n")
    (tmp_path / "semi.csv").write_bytes(b"id;text\n1;a,b\n")
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(CSV))
    (tmp_path / "packed.csv.bz2").write_bytes(bz2.compress(CSV * 3))
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "header.csv").write_bytes(b"id,title\n1,no text\n2,\n")
    for options in (KEPT, ReadOptions(order="n", max_document_bytes=1000)):
        here = read_here(tmp_path, options)
        assert len(here.documents) > 20
        assert len(here.faults) > 10
        assert read_by_spark(spark, tmp_path, options, block_bytes=300) == here


def test_plain_files_and_a_mixture(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "below").mkdir(parents=True)
    for n in range(12):
        (folder / "below" / f"{n} [é] %25#.txt").write_text(f"text {n}\n")
    (folder / "broken.txt").write_bytes(b"\xc3\xa9" * 90 + b"\xff" + b"\xc3\xa9" * 90)
    (folder / "utf16.txt").write_bytes("sixteen bits".encode("utf-16"))
    (folder / "empty.txt").write_bytes(b"")
    (folder / "binary.log").write_bytes(b"\x00\x01\x02" * 50)
    (folder / "long.txt").write_bytes(b"x" * 5001)
    (folder / "packed.txt.gz").write_bytes(gzip.compress(b"packed text")[:-3])
    (folder / "page.md").write_text("# A heading\n\nand *words*\n")
    (folder / "_SUCCESS").write_bytes(b"")
    lines = b"".join(json.dumps({"id": n, "text": f"line {n}"}).encode() + b"\n" for n in range(40))
    (tmp_path / "lines.jsonl").write_bytes(lines)
    (folder / "inside.jsonl").write_bytes(lines)
    pq.write_table(pa.table({"id": ["p"], "text": ["of Parquet"]}), tmp_path / "rows.parquet")
    (tmp_path / "one.txt").write_text("alone")
    inputs = [tmp_path / name for name in ("rows.parquet", "texts", "one.txt", "lines.jsonl")]
    options = ReadOptions(max_document_bytes=5000)
    here = read_here(inputs, options)
    assert len(here.documents) == 101
    assert len(here.faults) == 3
    assert read_by_spark(spark, inputs, options, block_bytes=1500) == here


def test_addresses_are_listed_by_spark(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here of this machine's own file system, which Hadoop knows as any other."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x y.jsonl").write_bytes(b'{"text": "one"}\n{"text": "two"}\n')
    (tmp_path / "b" / "_SUCCESS").write_bytes(b"")
    (tmp_path / "b" / "t.txt").write_text("text")
    pq.write_table(pa.table({"text": ["three"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"text": ["four"], "id": ["4"]}), tmp_path / "c.parquet")
    inputs = [f"file://{tmp_path}/b", f"file://{tmp_path}/*.parquet"]
    here = read_here([tmp_path / "b", tmp_path / "b.parquet", tmp_path / "c.parquet"])
    assert read_by_spark(spark, inputs) == here
    monkeypatch.setattr("twinset.engine.spark.elsewhere.LOCAL", "none://")
    there = read_by_spark(spark, inputs)
    assert [row[1:] for row in there.documents] == [row[1:] for row in here.documents]
    assert there.documents[1][0] == f"file:{tmp_path}/b/x y.jsonl"
    with pytest.raises(ReadError, match="there is no such file or folder"):
        open_sources(spark, f"file://{tmp_path}/missing")


def test_addresses_are_spelt_as_java_does(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a b%20é\u2003\x7f[{(!'#?`^|\\~<>\")}]&=+,;@$*.txt"
    java = spark._jvm.org.apache.hadoop.fs.Path(address_of(path))
    assert uri_of(address_of(path)) == java.toUri().toString()


def test_what_spark_does_not_read(spark: Any, tmp_path: Path) -> None:
    cases = {
        "_hidden.jsonl": (b'{"text": "x"}', "rename it"),
        "a.pdf": (b"%PDF-1.4", "plain texts and web pages alone"),
        "a.warc": (b"WARC/1.0\r\n", "one machine only"),
        "a.jsonl.zst": (b"\x28\xb5\x2f\xfd", "unpack it"),
        "a.csv.gz": (b"id,text\n", "Spark does not unpack it"),
        "a.parquet.gz": (gzip.compress(b"PAR1"), "packed as a whole"),
    }
    for name, (data, message) in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(PlanError, match=message):
            open_sources(spark, tmp_path / name)
    wide = tmp_path / "wide.jsonl"
    wide.write_bytes('{"text": "x"}\n'.encode("utf-16"))
    from twinset.engine.spark.faults import explained

    with pytest.raises(TwinsetError, match="Spark reads UTF-8"), explained():
        read_by_spark(spark, wide)
    letters = "".join(f"From a@b Mon Jan  1 00:00:0{n} 2024\nFrom: a@b\n\nx\n\n" for n in range(3))
    (tmp_path / "box.html").write_text(letters)
    with pytest.raises(TwinsetError, match="holds several documents"), explained():
        read_by_spark(spark, tmp_path / "box.html")
