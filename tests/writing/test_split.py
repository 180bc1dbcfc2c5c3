"""Splitting: kept and removed together are the input, byte for byte, in the original order."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.helpers import gather, outcomes, split
from tests.reading.samples import write
from twinset.errors import ReadError, ReportError
from twinset.plan import OutputForm, ReadOptions
from twinset.reading import open_inputs
from twinset.reading.formats import detect
from twinset.writing import write_documents

LINES = st.lists(
    st.sampled_from(
        [b"", b"  ", b'{"id": 1, "text": "a"}', b'{"text": "b"}\r', b"broken", b"\xff\xfe!"]
    )
    # a full stop first: no line may look like the magic bytes of another format
    | st.binary(max_size=20).map(lambda raw: b"." + raw.replace(b"\n", b" ")),
    max_size=12,
)
DECISIONS = st.integers(0, 2**32)


def halves(
    path: Path, seed: int, batch_bytes: int, limit: int = 1 << 20
) -> tuple[bytes, bytes, Any]:
    options = ReadOptions(max_document_bytes=limit)
    inputs = open_inputs([path], options, batch_bytes=batch_bytes)
    found = gather(inputs)
    keep = np.random.default_rng(seed).random(len(found.texts)) < 0.5
    made = split(inputs, keep, path.parent)
    return made.kept.read_bytes(), made.removed.read_bytes(), (keep, found)


@examples(150)
@given(LINES, st.booleans(), DECISIONS, st.integers(1, 200), st.sampled_from([15, 1 << 20]))
def test_json_lines(lines: list[bytes], ended: bool, seed: int, size: int, limit: int) -> None:
    data = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(data)
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return  # UTF-16 is written anew; tested below
        if detect(path, data)[0] != "jsonl":
            return  # drawn with the mark of a database or the like: no lines of JSON
        kept, removed, (keep, found) = halves(path, seed, size, limit)
    pieces = _lines(data)
    rows = [i for i, piece in enumerate(pieces) if piece.strip(b" \t\r\n")]
    if data.startswith(b"\xef\xbb\xbf"):
        return
    gone = {row for row, stays in zip(rows, keep, strict=True) if not stays}
    assert kept == b"".join(piece for i, piece in enumerate(pieces) if i not in gone)
    assert removed == b"".join(piece for i, piece in enumerate(pieces) if i in gone)
    assert found.places == [row + 1 for row in rows]


def _lines(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


FIELDS = st.lists(st.text('ab,"\n ё', max_size=8), min_size=1, max_size=3)


@examples(100)
@given(st.lists(FIELDS, max_size=8), DECISIONS, st.integers(1, 100))
def test_csv_rows(rows: list[list[str]], seed: int, size: int) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    records = []
    for row in [["id", "text"], *rows]:
        at = out.tell()
        writer.writerow(row)
        records.append(out.getvalue()[at:].encode())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(b"".join(records))
        kept, removed, (keep, _) = halves(path, seed, size)
    assert kept == records[0] + b"".join(r for r, k in zip(records[1:], keep, strict=True) if k)
    assert removed == records[0] + b"".join(
        r for r, k in zip(records[1:], keep, strict=True) if not k
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_stays_and_utf8_is_written(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        json.dumps({"id": i, "text": f"текст {i}"}, ensure_ascii=False) + "\n" for i in range(4)
    ]
    path.write_bytes("".join(lines).encode(encoding))
    keep = np.array([True, False, False, True])
    made = split(open_inputs([path]), keep, tmp_path)
    assert made.kept.read_bytes() == (lines[0] + lines[3]).encode("utf-8-sig")
    assert made.removed.read_bytes() == (lines[1] + lines[2]).encode("utf-8-sig")


def test_parquet_keeps_schema_and_metadata(tmp_path: Path) -> None:
    table = pa.table(
        {"id": pa.array([1, 2, 3], pa.uint8()), "text": ["a", None, "c"], "tags": [["x"], [], None]}
    ).replace_schema_metadata({"who": "me"})
    pq.write_table(table, tmp_path / "x.parquet", compression="zstd")
    table = pq.read_table(tmp_path / "x.parquet")
    keep = np.array([True, True, False])
    made = split(open_inputs([tmp_path / "x.parquet"]), keep, tmp_path)
    assert pq.read_table(made.kept).equals(table.slice(0, 2), check_metadata=True)
    assert pq.read_table(made.removed).equals(table.slice(2), check_metadata=True)
    assert pq.ParquetFile(made.kept).metadata.row_group(0).column(0).compression == "ZSTD"


def test_input_that_changed_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path, "jsonl")
    inputs = open_inputs([path])
    for count in (4, 6):
        with pytest.raises(ReadError, match="changed"):
            split(inputs, np.ones(count, bool), tmp_path)


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    inputs = open_inputs([write(tmp_path, "jsonl")])
    with pytest.raises(ReportError, match="cannot be written"):
        split(inputs, np.ones(5, bool), tmp_path / "out")


def test_a_file_that_changed_in_place_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path, "jsonl")
    inputs = open_inputs([path])
    gather(inputs)
    path.write_bytes(path.read_bytes().replace(b"fox", b"cat"))
    with pytest.raises(ReadError, match="changed since it was read"):
        split(inputs, np.ones(5, bool), tmp_path)


def test_row_groups_of_parquet_do_not_show_the_size_of_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 400
    numbers = list(range(count))
    columns = {
        "text": pa.array([f"words of number {n} " * (n % 7) for n in numbers]),
        "kind": pa.array([f"k{n % 5}" for n in numbers]).dictionary_encode(),
        "tags": pa.array([None if n % 9 == 0 else ["x" * n] * (n % 3) for n in numbers]),
        "more": pa.array([{"a": n, "b": "y" * (n % 11)} for n in numbers]),
        "pairs": pa.array([[("k", n)] * (n % 4) for n in numbers], pa.map_("string", "int64")),
        "view": pa.array([f"v{n}" for n in numbers], pa.string_view()),
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    monkeypatch.setattr("twinset.writing.rows.GROUP_BYTES", 5_000)
    written = set()
    for batch_bytes in (1_000, 30_000, 1 << 20):
        inputs = open_inputs([tmp_path / "in.parquet"], batch_bytes=batch_bytes)
        folder = tmp_path / str(batch_bytes)
        form = OutputForm(annotate=True)
        write_documents(inputs, outcomes(np.arange(count) % 3 != 1), folder, form)
        written.add(tuple(path.read_bytes() for path in sorted(folder.iterdir())))
    assert len(written) == 1
    assert pq.ParquetFile(tmp_path / "1000" / "kept.parquet").metadata.num_row_groups > 3
