"""Every reader offers its documents as rows, aligned with what it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.reading.helpers import gather
from tests.reading.samples import DOCS, FORMATS, write
from twinset.plan import ReadOptions, spec
from twinset.reading import open_inputs
from twinset.writing.rows import dicts

READERS = [*FORMATS, "files"]


class Rows:
    """All rows of the inputs, and the bytes of those that could not be read."""

    def __init__(self, *paths: Path, batch_bytes: int = 1 << 20, limit: int = 1 << 20) -> None:
        options = ReadOptions(max_document_bytes=limit)
        inputs = open_inputs(list(paths), options, batch_bytes=batch_bytes)
        self.read = gather(inputs)
        self.records: list[Any] = []
        self.unread = b""
        for source in inputs.sources:
            for block in spec.make("reader", source.reader).rows(inputs.job(source)):
                self.unread += block.unread
                self.records.extend(dicts(block.rows))


@pytest.mark.parametrize("batch_bytes", [1, 70, 1 << 20])
@pytest.mark.parametrize("reader", READERS)
def test_there_is_a_row_for_every_document(tmp_path: Path, reader: str, batch_bytes: int) -> None:
    rows = Rows(write(tmp_path, reader), batch_bytes=batch_bytes)
    assert [row["id"] for row in rows.records] == rows.read.ids
    assert [row["text"] for row in rows.records] == rows.read.texts
    assert rows.unread == b""
    assert len(rows.records) == len(DOCS)


def test_all_fields_are_there(tmp_path: Path) -> None:
    assert Rows(write(tmp_path, "romip")).records[0]["url"] == "http://example.org/a1"
    warc = Rows(write(tmp_path, "warc")).records[0]
    assert (warc["date"], warc["content_type"]) == ("2020-01-01T00:00:00Z", "text/html")
    assert warc["http_status"] == 200
    assert json.loads(warc["warc_headers"])["WARC-Record-ID"] == "<urn:uuid:0-156>"
    assert json.loads(warc["http_headers"])["Content-Type"] == "text/html; charset=utf-8"
    files = Rows(write(tmp_path, "files")).records[0]
    assert files["path"] == str(tmp_path / "docs" / "a1.txt")


@pytest.mark.parametrize("batch_bytes", [1, 20, 1 << 20])
def test_lines_that_are_no_objects_are_unread(tmp_path: Path, batch_bytes: int) -> None:
    path = tmp_path / "x.jsonl"
    long = b'{"text":"' + 300 * b"x" + b'"}\n'
    bad = [b"broken\r\n", b"[1]\n", b'{"text": "a}\n', long, b"{"]
    path.write_bytes(b'\n{"id":1}\n' + b'{"id":2}\n'.join(bad))
    rows = Rows(path, batch_bytes=batch_bytes, limit=250)
    assert rows.unread == b"".join(bad)
    assert rows.records == [{"id": 1}, None, *4 * [{"id": 2}, None]]
    assert len(rows.records) == len(rows.read.texts)


@pytest.mark.parametrize("batch_bytes", [1, 30, 1 << 20])
def test_rows_of_other_lengths(tmp_path: Path, batch_bytes: int) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(
        b'id,text,text,\n1,a\n2,b,c,d,e\n\n3,f,g,,,\n4,"",,\n5,\xe9t\xe9 \xe9t\xe9\n6,"open\n'
    )
    rows = Rows(path, batch_bytes=batch_bytes)
    assert rows.records == [
        {"id": "1", "text": "a"},
        {"id": "2", "text": "b", "text_2": "c", "": "d", "column_5": "e"},
        {"id": "3", "text": "f", "text_2": "g", "": ""},
        {"id": "4", "text": "", "text_2": "", "": ""},
        {"id": "5", "text": "été été"},
        None,
    ]
    assert rows.unread == b'6,"open\n'
    assert len(rows.records) == len(rows.read.texts)


def test_a_header_of_very_many_columns_widens_no_row(tmp_path: Path) -> None:
    path, count = tmp_path / "wide.csv", 20_000
    names = ["id", "text", *(f"name{number}" for number in range(2, count))]
    path.write_text(",".join(names) + "\n" + "a,b\n" * count)
    assert Rows(path, batch_bytes=4 << 20).records[-1] == {"id": "a", "text": "b"}
    inputs = open_inputs(path, batch_bytes=4 << 20)
    assert {field.name for field in inputs.fields()} == {"id", "text"}


def test_a_damaged_table_is_unread_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and nothing behind")
    rows = Rows(path)
    assert rows.records == []
    texts = [f"text {i}" * 50 for i in range(3000)]
    pq.write_table(
        pa.table({"text": texts, "more": texts[::-1]}), path, row_group_size=100, compression="none"
    )
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 40_000] = bytes(40_000)
    path.write_bytes(damaged)
    rows = Rows(path, batch_bytes=10_000)
    assert 500 < sum(record is not None for record in rows.records) < 2500
