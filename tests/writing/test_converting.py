"""Documents written in another format: the same rows, in their order, and nothing lost."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.reading.helpers import gather
from tests.reading.samples import FORMATS, unpack, write
from twinset.model.outcomes import ADDED, Outcomes
from twinset.plan.reading import OutputForm
from twinset.reading import open_inputs
from twinset.writing import WrittenDocuments, write_documents

READERS = [*FORMATS, "files"]
KEEP = [True, False, True, True, False]


def converted(
    paths: list[Path], folder: Path, *, batch_bytes: int = 1 << 20, keep: Any = None, **form: Any
) -> WrittenDocuments:
    """The documents of the inputs, every second one removed."""
    inputs = open_inputs(paths, batch_bytes=batch_bytes)
    count = len(gather(inputs).ids)
    kept = np.resize(KEEP, count) if keep is None else np.array(keep)
    outcomes = Outcomes(
        kept,
        np.where(kept, -1, 7),
        pa.array([None if stays else "the keeper" for stays in kept], pa.string()),
        np.where(kept, np.nan, 0.87654321),
    )
    return write_documents(inputs, outcomes, folder, OutputForm(**form))


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, by readers of others."""
    name, _, packing = path.name.partition(".")[2].partition(".")
    data = unpack(path.read_bytes(), packing or None)
    if name == "parquet":
        return list(pq.read_table(io.BytesIO(data)).to_pylist())
    if name == "csv":
        return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    return [json.loads(line) for line in data.decode().split("\n") if line]


@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet", "jsonl.zst", "csv.gz"])
@pytest.mark.parametrize("reader", READERS)
def test_every_format_to_every_other(tmp_path: Path, reader: str, to: str) -> None:
    path = write(tmp_path, reader)
    written = converted([path], tmp_path / "out", to=to, annotate=True)
    assert written.routes["kept"].documents == 3
    assert written.routes["kept"].bytes == (tmp_path / "out" / f"kept.{to}").stat().st_size
    read = gather(open_inputs([path]))
    rows = {name: rows_of(tmp_path / "out" / f"{name}.{to}") for name in written.routes}
    for at, name in ((True, "kept"), (False, "removed")):
        expected = [text for text, stays in zip(read.texts, KEEP, strict=True) if stays == at]
        assert [row["text"] for row in rows[name]] == expected
        assert not any(name in row for row in rows[name] for name in ADDED)
    assert [row["text"] for row in rows["annotated"]] == read.texts
    for row, stays in zip(rows["annotated"], KEEP, strict=True):
        assert list(row)[-4:] == list(ADDED)
        assert [row[name] for name in ADDED] == _added(stays, to.startswith("csv"))


def _added(stays: bool, is_csv: bool) -> list[Any]:
    if is_csv:
        return ["", "true", "", ""] if stays else ["7", "false", "the keeper", "0.876543"]
    return [None, True, None, None] if stays else [7, False, "the keeper", 0.876543]


@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet"])
def test_shards_of_all_formats_together(tmp_path: Path, to: str) -> None:
    paths = [write(tmp_path, reader) for reader in READERS]
    written = converted(paths, tmp_path / "out", to=to, shards=4, annotate=True, batch_bytes=60)
    texts = gather(open_inputs(paths)).texts
    shards = sorted((tmp_path / "out" / "annotated").iterdir())
    assert [path.name for path in shards] == [f"{i:05d}-of-00004.{to}" for i in range(4)]
    sizes = [len(rows_of(path)) for path in shards]
    assert sum(sizes) == len(texts) == written.routes["annotated"].documents
    assert max(sizes) - min(sizes) <= 1
    assert [row["text"] for path in shards for row in rows_of(path)] == texts
    if to != "jsonl":
        assert len({tuple(rows_of(path)[0]) for path in shards}) == 1


def test_lines_stay_bytes_where_the_format_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [b'{ "text" : "a\\u00e9", "n": 1e400, "n": 2 }\r\n', b"\n", b"broken\n", b'{"text":""}']
    path.write_bytes(b"".join(lines))
    converted([path], tmp_path / "out", to="jsonl.gz", keep=[True, True, False])
    kept = unpack((tmp_path / "out" / "kept.jsonl.gz").read_bytes(), "gz")
    assert kept == b"".join(lines[:3])
    assert not (tmp_path / "out" / "unread.jsonl").exists()


@pytest.mark.parametrize("shards", [None, 2])
def test_what_cannot_be_read_is_kept_apart(tmp_path: Path, shards: int | None) -> None:
    path, other = tmp_path / "x.jsonl", tmp_path / "y.csv"
    path.write_bytes(b'{"text":"a"}\nbroken\r\n{"text":"b"}\n[1]')
    other.write_bytes(b'id,text\n1,c\n2,"open\n')
    written = converted(
        [path, other], tmp_path / "out", to="parquet", shards=shards, keep=[True] * 6
    )
    assert (tmp_path / "out" / "unread.jsonl").read_bytes() == b"broken\r\n[1]\n"
    assert (tmp_path / "out" / "unread.csv").read_bytes() == b'2,"open\n'
    assert written.routes["unread"].documents == 2
    assert written.routes["unread_2"].path == "unread.csv"
    assert written.routes["kept"].documents == 3
    texts = [
        row["text"]
        for file in sorted((tmp_path / "out" / "kept").iterdir())
        for row in rows_of(file)
    ]
    assert texts == ["a", "b", "c"]
    if shards:
        sizes = [len(rows_of(file)) for file in sorted((tmp_path / "out" / "kept").iterdir())]
        assert sizes == [1, 2]


def test_an_attachment_is_a_row_of_its_own(tmp_path: Path) -> None:
    letter = (
        b"From: a@b\nTo: c@d\nSubject: s\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\nbody\n'
        b'--x\nContent-Type: text/plain\nContent-Disposition: attachment; filename="t.txt"\n\n'
        b"more\n--x--\n"
    )
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.eml").write_bytes(letter)
    (tmp_path / "in" / "b.txt").write_text("plain")
    for size in (1, 1000):
        out = tmp_path / str(size)
        converted([tmp_path / "in"], out, to="jsonl", keep=[False, True, True], batch_bytes=size)
        assert [row["id"] for row in rows_of(out / "removed.jsonl")] == ["a.eml"]
        assert [row["id"] for row in rows_of(out / "kept.jsonl")] == ["a.eml/t.txt", "b.txt"]


def test_parquet_of_two_schemas_becomes_one(tmp_path: Path) -> None:
    for name, number in (("a", pa.array([1], pa.int64())), ("b", pa.array([0.5]))):
        table = pa.table(
            {"text": [name], "n": number, "t": pa.array([5], pa.timestamp("ns", "UTC"))}
        )
        pq.write_table(table, tmp_path / f"{name}.parquet")
    converted(
        [tmp_path / "a.parquet", tmp_path / "b.parquet"],
        tmp_path,
        to="parquet",
        shards=1,
        keep=[True] * 2,
    )
    table = pq.read_table(tmp_path / "kept" / "00000-of-00001.parquet")
    assert table["n"].to_pylist() == [1.0, 0.5]
    assert table.schema.field("t").type == pa.timestamp("ns", "UTC")
