"""What Spark reads and writes: the documents of the local engine, whatever the files and blocks."""

from __future__ import annotations

import bz2
import gzip
import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from tests.spark.equality import assert_same, rows
from twinset.errors import PlanError, ReadError, TwinsetError
from twinset.plan import ReadOptions
from twinset.spark import session as sessions
from twinset.spark.engine import OpenedSpark
from twinset.spark.reading import SparkInput, open_input

PAGE = "<html><body><p>" + "A page about rivers and lakes. " * 20 + "</p></body></html>"
DAMAGED = [
    b'{"id": "a", "text": "plain"}',
    b'{"id": "b", "text": "ends with a return"}\r',
    b"",
    b"  \t\r",
    b'{"id": "cut", "text": "no end',
    b'["a", "list"]',
    b"17",
    b'{"id": "", "text": "no id"}',
    b'{"id": 7, "text": "a number"}',
    b'{"id": ["x"], "text": "a list as id"}',
    b'{"id": "m"}',
    b'{"id": "t", "text": 5}',
    b'{"id": ["x"], "text": 5}',
    b'{"id": "u", "text": "broken \xff\xfe bytes \xc3"}',
    b'{"id": "s", "text": "half \\ud800 of a pair"}',
    '{"id": "é", "text": "ünïcode \U0001f600"}'.encode(),
    b'{"id": "n", "meta": {"text": "nested", "date": "2024-05-31"}}',
    json.dumps({"id": "h", "text": PAGE}).encode(),
    b'{"id": "long", "text": "' + b"x" * 5000 + b'"}',
    b"[" * 5000,
    b'{"id": "last", "text": "without an end"}',
]
RECORDS = [
    {"id": "a", "text": "plain", "meta": {"text": "nested a", "when": date(2024, 5, 31)}},
    {"id": None, "text": "without id", "meta": {"text": None, "when": None}},
    {"id": "", "text": None, "meta": None},
    {"id": "é", "text": "ünïcode", "meta": {"text": "x" * 99, "when": date(1960, 1, 1)}},
    {"id": "h", "text": PAGE, "meta": None},
]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are cut into pieces of a few lines."""
    monkeypatch.setitem(sessions.SETTINGS, "spark.sql.files.maxPartitionBytes", "1500")
    monkeypatch.setitem(sessions.SETTINGS, "spark.sql.execution.arrow.maxRecordsPerBatch", "7")


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    """A folder of all lines that Spark reads, much of it damaged."""
    folder = tmp_path / "in"
    folder.mkdir(parents=True)
    lines = [
        json.dumps({"id": f"d{n}", "text": f"text {n % 70} " * (n % 40)}).encode()
        for n in range(150)
    ]
    (folder / "damaged.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(DAMAGED * 3))
    (folder / "part [1] %20.jsonl").write_bytes(b"\n\n".join(lines))
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines[:99])))
    (folder / "twice.jsonl.bz2").write_bytes(bz2.compress(b"\n".join(lines[:50])))
    (folder / "none.jsonl").write_bytes(b"")
    return folder


@pytest.mark.usefixtures("small_blocks")
def test_a_mixture_in_many_blocks(spark: Any, mixture: Path, tmp_path: Path) -> None:
    known = assert_same(
        spark, [mixture], tmp_path, keep="first", repeated="keep", kinds="no", only=ANSWER
    )
    assert min(known["counts"][name] for name in ("bad", "empty", "removed", "html_cleaned")) > 0
    assert set(known["faults"]) == {"syntax", "missing", "type", "encoding"}
    written = tmp_path / "there"
    kept = lines_of(written / "kept.jsonl") + lines_of(written / "removed.jsonl")
    before = lines_of(mixture)
    assert +kept == +before


@pytest.mark.usefixtures("small_blocks")
def test_parquet_in_many_blocks(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(RECORDS * 20), file, row_group_size=25)
    assert_same(spark, [file], tmp_path, keep="first", repeated="keep", only=ANSWER)
    both = [pq.read_table(tmp_path / f"there/{side}.parquet") for side in ("kept", "removed")]
    assert sum(each.num_rows for each in both) == 100
    assert both[0].schema.names == ["id", "text", "meta"]


ANSWER = {"counts", "faults", "pairs", "clusters_complete"}
"""What of the manifest is compared."""


def lines_of(folder: Path) -> Counter[bytes]:
    """The lines below a folder, which may be packed."""
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}
    found: Counter[bytes] = Counter()
    for path in folder.rglob("*.jsonl*"):
        if path.is_file() and path.name[0] not in "._":
            data = unpack.get(path.suffix, bytes)(path.read_bytes())
            lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
            found.update(line.rstrip(b"\r") for line in lines if line.strip())
    return found


@pytest.mark.usefixtures("small_blocks")
def test_nested_fields_and_an_order(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(RECORDS * 9), folder / "a.parquet", row_group_size=10)
    pq.write_table(pa.table({"id": ["x"], "more": [1]}), folder / "b.parquet")
    assert_same(spark, [folder], tmp_path, text="meta.text", keep="meta.when:max", only=ANSWER)


def test_a_frame_is_read_in_the_order_of_its_ids(spark: Any, tmp_path: Path) -> None:
    keys = ["b", "a", "é", "\U0001f600", "\uff5e", "B", "10", "9", "9"]
    records = [
        {"doc": {"key": key, "text": None if key == "10" else f"text of {at // 2}"}, "file": at}
        for at, key in enumerate(keys)
    ]
    order = sorted(records, key=lambda row: (row["doc"]["key"].encode(), row["doc"]["text"]))  # type: ignore[index]
    schema = "doc struct<key: string, text: string>, file bigint"
    frame = spark.createDataFrame([(r["doc"], r["file"]) for r in records], schema)
    fields = {"id": "doc.key", "text": "doc.text"}
    here = twinset.dedup(pa.Table.from_pylist(order), **fields)
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    there = twinset.dedup(frame.repartition(5), engine=engine, **fields)
    here.save(tmp_path / "here")
    there.save(str(tmp_path / "there"))
    for name, by in (("documents", ["number"]), ("pairs", ["left"]), ("clusters", ["id"])):
        files = (tmp_path / side / f"{name}.parquet" for side in ("here", "there"))
        one, other = (rows(file, by) for file in files)
        assert one == other
    kept = pq.read_table(tmp_path / "there" / "kept.parquet")
    assert kept.schema.names == ["doc", "file"]
    assert len(kept) == there.manifest["counts"]["kept"] < len(keys)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("select 'a' as id, 'x' as text", {"id": "key"}, "no column 'key' .it has id, text.; "),
        ("select 'a' as id, 'x' as text", {"text": "id.text"}, "no column 'id.text'"),
        ("select current_date() as id, 'x' as text", {}, "'id' holds values of the type date"),
        (
            "select 'a' as id, struct('x' as text, 'en' as lang) as doc",
            {},
            r"did you mean text='doc\.text'",
        ),
        ("select 'a' as id, 7 as text", {}, "'text' holds values of the type integer, not text"),
    ],
)
def test_columns_that_will_not_do(
    spark: Any, tmp_path: Path, rows: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(TwinsetError, match=message):
        open_input(spark, spark.sql(rows), ReadOptions(**options), f"file:{tmp_path}/copy")


def test_names_that_are_no_input_of_spark(spark: Any, tmp_path: Path) -> None:
    cases = {
        "a.csv": "turn it into Parquet first, by 'twinset find IN -o OUT --method md5 --annotate",
        "b.txt": "Spark reads JSON lines and Parquet",
        "c.jsonl.zst": "Spark unpacks gzip and bzip2",
        "_d.jsonl": "Spark passes over files of this name; rename it",
    }
    for name, message in cases.items():
        (tmp_path / name).write_bytes(b"text")
        with pytest.raises(PlanError, match=message):
            opened(spark, tmp_path / name)
    both = tmp_path / "both"
    both.mkdir()
    for name in ("a.jsonl", "b.parquet"):
        (both / name).write_bytes(b"text")
    with pytest.raises(PlanError, match="Spark reads files of one format"):
        opened(spark, both)
    (tmp_path / "none").mkdir()
    with pytest.raises(PlanError, match="the input holds no files"):
        opened(spark, tmp_path / "none")


def opened(spark: Any, path: Path) -> SparkInput:
    return open_input(spark, [str(path)], ReadOptions(), "")


def test_what_ends_a_run(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines = ['{"id": 1, "body": "one"}', "", '{"id": 2, "body": "two"}', "no JSON"]
    path.write_text("\n".join(lines))
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    unread = twinset.find(path, engine=engine).manifest["unread"]
    assert "none of the 3 rows holds text in the field 'text'" in unread
    assert unread.endswith("; the fields are body, id")
    with pytest.raises(ReadError, match=r"lines\.jsonl:4: the line is not JSON"):
        twinset.find(path, engine=engine, text="body", on_error="stop")
    with pytest.raises(PlanError, match="no row holds a number or a date in the field 'when'"):
        twinset.dedup(path, engine=engine, text="body", keep="when:max")
    pages = [json.dumps({"id": n, "text": f"{PAGE} {n}"}) for n in range(20)]
    path.write_text("\n".join(pages))
    with pytest.raises(PlanError, match=r"20 of the texts are HTML pages.*--repeated keep"):
        twinset.find(path, engine=engine)


def test_no_documents_at_all(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(b"\n")
    engine = OpenedSpark(work=str(tmp_path / "work"), session=spark)
    findings = twinset.find([file], engine=engine)
    assert findings.documents.count() == findings.pairs.count() == findings.clusters.count() == 0
    assert findings.manifest["counts"]["documents"] == 0
