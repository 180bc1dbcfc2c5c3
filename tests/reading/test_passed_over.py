"""What is not read for reasons that are no faults is counted, and one bad file ends no run."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from tests.reading.helpers import read, split
from tests.reading.samples import DOCS, warc
from twinset.errors import ReadError
from twinset.reading import open_inputs
from twinset.result.words import summary

TEXT = "a text of a few words that is in the folder under several names"


def counts(*paths: Path) -> dict[str, int]:
    found = twinset.find([*paths]).manifest["counts"]
    return {name: count for name, count in found.items() if count}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "in"
    (place / "real").mkdir(parents=True)
    (place / "real" / "one.txt").write_text(TEXT)
    (place / "two.txt").write_text("another text")
    return place


def test_links_hard_links_and_special_files_are_counted_by_reason(folder: Path) -> None:
    (folder / "a-link.txt").symlink_to(folder / "real" / "one.txt")
    (folder / "a-folder").symlink_to(folder / "real")
    os.link(folder / "two.txt", folder / "zwei.txt")
    os.mkfifo(folder / "pipe")
    (folder / ".hidden").write_text("x")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(folder / "door"))
        manifest = twinset.find([folder]).manifest
        assert read(folder).ids == ["real/one.txt", "two.txt"]
    found = manifest["counts"]
    assert found["documents"] == 2
    assert found["links_not_followed"] == 2
    assert found["hard_links"] == 1
    assert found["special_files"] == 2
    assert found["hidden_files"] == 1
    assert {"path": str(folder / "zwei.txt"), "reason": "hard_links"} in manifest[
        "first_passed_over"
    ]
    told = " ".join(summary(manifest))
    assert "2 links to files read under another name" in told
    assert "1 further name of files that are read (hard links)" in told
    assert "2 sockets, pipes or devices" in told


def test_a_link_to_itself_ends_no_run(folder: Path) -> None:
    (folder / "self.txt").symlink_to(folder / "self.txt")
    found = read(folder)
    assert found.ids == ["real/one.txt", "two.txt"]
    assert [(fault.kind, fault.source) for fault in found.faults] == [
        ("unreadable", str(folder / "self.txt"))
    ]
    within = read(folder, within=(str(folder),))
    assert (within.ids, [fault.kind for fault in within.faults]) == (found.ids, ["unreadable"])
    with pytest.raises(ReadError, match=r"self\.txt"):
        read(folder, on_error="stop")


def test_a_device_is_refused_and_not_read_without_end() -> None:
    assert [fault.detail for fault in read("/dev/zero").faults] == [
        "is a device or a socket; name a file, a folder or a pipe"
    ]


def damaged(path: Path, rows: int = 4000) -> None:
    """A Parquet file with good metadata and bad bytes in the column of the text, halfway."""
    texts = [f"{number} {number * 7919 % 1009} words of row {number}" for number in range(rows)]
    table = pa.table({"id": [str(number) for number in range(rows)], "text": texts})
    pq.write_table(table, path, row_group_size=500, compression="zstd")
    group = pq.ParquetFile(path).metadata.row_group(4).column(1)
    data = bytearray(path.read_bytes())
    begin = group.data_page_offset
    data[begin : begin + 400] = b"\xff" * 400
    path.write_bytes(bytes(data))


def test_a_damaged_parquet_file_costs_its_rows_only(folder: Path) -> None:
    damaged(folder / "rows.parquet")
    (folder / "sane.jsonl").write_text('{"id": "last", "text": "read all the same"}\n')
    results = [read(folder, batch_bytes=size) for size in (1000, 30_000, 1 << 24)]
    assert results[0] == results[1] == results[2]
    found = results[0]
    assert len(found.ids) == 2 + 2000 + 1
    assert found.ids[-1] == "last"
    assert [fault.kind for fault in found.faults] == ["truncated"]
    assert "rows after 2,000 are not read" in found.faults[0].detail
    with pytest.raises(ReadError, match="damaged"):
        read(folder, on_error="stop")


@pytest.mark.parametrize("text", ["text", "id"])
def test_a_damaged_parquet_file_is_split_as_far_as_it_goes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.parquet"
    damaged(path)
    inputs = open_inputs([path], twinset.plan.ReadOptions(text=text))  # type: ignore[attr-defined]
    count = sum(len(batch) for batch in inputs.batches())
    assert count == (2000 if text == "text" else 4000)
    keep = np.arange(count) % 2 == 0
    made = split(inputs, keep, tmp_path)
    assert pq.read_table(made.kept).num_rows == pq.read_table(made.removed).num_rows == 1000
    assert made.kept.with_name("kept.parquet.damaged").read_bytes() == path.read_bytes()


def test_broken_utf8_in_ascii_lines_is_replaced_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"text": "plain words \xc3 and more"}\n{"text": "caf\xe9"}\n{"text": "a"}\n')
    found = read(path)
    assert found.texts == ["plain words \ufffd and more", "caf\ufffd", "a"]
    assert found.kinds == [(1, "encoding"), (2, "encoding")]


def test_lines_in_another_encoding_are_read_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    text = "Это страница в старой кодировке, и она должна читаться верно."
    path.write_bytes(json.dumps({"text": text}, ensure_ascii=False).encode("cp1251"))
    found = read(path)
    assert found.texts == [text]
    assert found.kinds == [(1, "encoding")]
    assert "cp1251" in found.faults[0].detail


def test_rows_with_too_many_columns_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,text\n1,one, two\n2,three\n3,four,\n4,five,,\n\n5,six,seven,eight\n")
    found = read(path)
    assert found.kinds == [(2, "columns"), (7, "columns")]
    assert found.faults[0].detail == "the row has 3 fields, the header 2"
    assert found.texts == ["one", "three", "four", "five", "six"]
    for batch_bytes in (1, 30):
        assert read(path, batch_bytes=batch_bytes) == found


def test_records_of_other_types_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.warc"
    path.write_bytes(warc(DOCS))
    manifest = twinset.find(path).manifest
    assert manifest["counts"]["documents"] == len(DOCS)
    # a warcinfo record, and a request and an image for each of three pages
    assert manifest["counts"]["other_records"] == 7
    assert "7 archive records without a document" in " ".join(summary(manifest))
