"""The raw bytes of documents: before any cleaning, and none where there is no text."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.reading.helpers import read

PAGE = "<html><body><p id=1>Zürich</p></body></html>"
BROKEN = PAGE.encode().replace("ü".encode(), b"\xfc")


def test_lines_of_json_that_python_parses_keep_their_texts_as_well(tmp_path: Path) -> None:
    escaped = json.dumps({"text": PAGE})  # in ASCII: the value of the field is the same
    plain = json.dumps({"text": PAGE}, ensure_ascii=False)
    half = '{"text": "half a \\ud800 pair"}'
    lines = [escaped, plain, plain.replace('"text":', '"text" :  '), half, "{", '{"text": 1}']
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    page = PAGE.encode()
    assert read(path, raw=True).raw == [page, page, page, None, None, None]


def test_rows_of_a_table_keep_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    rows = [b"id,text", b'1,"' + PAGE.encode() + b'"', b'2,"' + BROKEN + b'"', b"3", b'4,""']
    path = tmp_path / "a.csv"
    path.write_bytes(b"\r\n".join(rows) + b"\r\n")
    found = read(path, raw=True)
    assert found.raw == [PAGE.encode(), BROKEN, None, b""]
    assert found.texts[:2] == ["Zürich", "Zürich"]

    table = pa.table({"text": pa.array([PAGE.encode(), BROKEN, None, b"x" * 99], pa.binary())})
    pq.write_table(table, tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet", raw=True, max_document_bytes=98)
    assert found.raw[:3] == [PAGE.encode(), BROKEN, None]
    assert found.texts[0] == found.texts[1] == "Zürich"


def test_a_document_without_a_text_has_no_bytes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["x" * 99, "y"]}), tmp_path / "a.parquet")
    (tmp_path / "b.txt").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "c.txt").write_bytes(b"x" * 99)
    found = read(tmp_path / "a.parquet", tmp_path, raw=True, max_document_bytes=98)
    assert [raw is None for raw in found.raw] == [text is None for text in found.texts]
    assert b"y" in found.raw
    assert found.raw.count(None) >= 2
