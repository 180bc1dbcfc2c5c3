"""JSON lines by Spark: the documents of the local engine, whatever the files and blocks."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.spark.rows import read_by_spark, read_here
from twinset.engine.spark.lines import LinesOfTasks, tasks_of
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading.inputs import open_inputs
from twinset.reading.source import Source

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
    b'{"id": "u", "text": "broken \xff\xfe bytes \xc3"}',
    b'{"id": "s", "text": "half \\ud800 of a pair"}',
    '{"id": "é", "text": "ünïcode \U0001f600"}'.encode(),
    b'{"id": "n", "meta": {"text": "nested", "date": "2024-05-31"}}',
    b'{"meta.text": "dotted", "meta": {"text": "other", "date": "never"}}',
    json.dumps({"id": "h", "text": PAGE}).encode(),
    b'{"id": "long", "text": "' + b"x" * 5000 + b'"}',
    b"[" * 5000,
    b'\xef\xbb\xbf{"id": "mark", "text": "a mark inside"}',
    b'{"id": "last", "text": "without an end"}',
]


def write_lines(path: Path, lines: list[bytes], mark: bytes = b"") -> Path:
    path.write_bytes(mark + b"\n".join(lines))
    return path


@pytest.mark.parametrize("block_bytes", [1000, 32 << 20])
@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(repeated="keep"),
        ReadOptions(text="meta.text", order="meta.date", html="no"),
        ReadOptions(max_document_bytes=5023, repeated="keep"),
    ],
    ids=["plain", "nested", "limit"],
)
def test_damaged_lines(spark: Any, tmp_path: Path, options: ReadOptions, block_bytes: int) -> None:
    path = write_lines(tmp_path / "damaged.jsonl", DAMAGED, b"\xef\xbb\xbf")
    here = read_here(path, options)
    there = read_by_spark(spark, path, options, block_bytes=block_bytes)
    assert there == here
    assert len(here.faults) > 5


def test_files_and_blocks_do_not_matter(spark: Any, tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": f"d{n}", "text": f"text {n} " * (n % 40)}).encode() for n in range(300)
    ]
    one = write_lines(tmp_path / "one.jsonl", lines)
    parts = tmp_path / "parts"
    parts.mkdir()
    for n in range(7):
        write_lines(parts / f"part [{n}] é%20.jsonl", [*lines[n * 43 : (n + 1) * 43], b""])
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(
        gzip.compress(b"\n".join(lines[:100])) + gzip.compress(b"\n" + b"\n".join(lines[100:]))
    )
    twice = tmp_path / "packed.jsonl.bz2"
    twice.write_bytes(bz2.compress(b"\n".join(lines)))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    inputs = [one, parts, packed, twice, tmp_path / "empty.jsonl"]
    here = read_here(inputs)
    for block_bytes in (5000, 1 << 20):
        assert read_by_spark(spark, inputs, block_bytes=block_bytes) == here


def sources_of(*paths: Path) -> list[Source]:
    return open_inputs(list(paths)).sources


def test_large_files_are_cut_and_small_ones_share_a_task(tmp_path: Path) -> None:
    sizes = {"a": 2_500_000, "b": 300_000, "c": 300_000, "d": 1_000_000}
    for name, size in sizes.items():
        (tmp_path / f"{name}.jsonl").write_bytes(b"{}\n" * (size // 3))
    files = sources_of(*(tmp_path / f"{name}.jsonl" for name in sizes))
    tasks = tasks_of(files, range(4), 1_000_000)
    blocks = [(block.file, block.begin) for task in tasks for block in task]
    assert blocks == [(0, 0), (0, 1_000_000), (0, 2_000_000), (1, 0), (2, 0), (3, 0)]
    assert [len(task) for task in tasks] == [1, 1, 2, 1, 1]


def test_a_file_that_grows_between_two_passes_is_an_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lines.jsonl", DAMAGED)
    files = sources_of(path)
    lines = LinesOfTasks(tasks_of(files, [0], 1000), files, ReadOptions())
    first = pa.RecordBatch.from_pydict({"id": pa.array([0])})
    assert list(lines(iter([first]), 1 << 20))
    with path.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(ReadError, match=r"lines.jsonl.* has changed"):
        list(lines(iter([first]), 1 << 20))
