"""Lines read by ranges of a file are those of the file read in order."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import open_inputs

record = st.builds(
    lambda id, text: json.dumps({"id": id, "text": text}, ensure_ascii=False),
    st.none() | st.sampled_from(["a", "b", "ж"]),
    st.text(alphabet="ab \n\u00e9\U0001f600", max_size=40) | st.integers(0, 400).map("x".__mul__),
)
line = record | st.sampled_from(["", " ", "{broken", "[1]", '{"id": 3}', "\ufeff", "é" * 90])
content = st.builds(
    lambda lines, end, mark, last: (
        (b"\xef\xbb\xbf" if mark else b"")
        + end.join(text.encode() for text in lines)
        + (end if last else b"")
    ),
    st.lists(line, max_size=25),
    st.sampled_from([b"\n", b"\r\n", b"\n\n"]),
    st.booleans(),
    st.booleans(),
)


def rows(path: Path, batch_bytes: int, threads: int, limit: int, on_error: str) -> Any:
    """All that is read, or the fault that it stops at."""
    options = ReadOptions(max_document_bytes=limit, on_error=on_error)
    inputs = open_inputs(path, options, batch_bytes=batch_bytes, threads=threads)
    read: list[Any] = []
    faults: list[Any] = []
    try:
        for batch in inputs.batches():
            places = batch.places.tolist()
            read += zip(batch.ids.to_pylist(), batch.texts.to_pylist(), places, strict=True)
            faults += [(fault.line, fault.kind, fault.detail) for fault in batch.faults]
    except ReadError as fault:
        return fault.line, fault.fault
    return read, faults


@examples(60)
@given(
    data=content,
    batch_bytes=st.integers(64, 400),
    threads=st.sampled_from([1, 2, 9]),
    limit=st.sampled_from([64, 150, 100_000]),
    on_error=st.sampled_from(["skip", "skip", "stop"]),
)
def test_ranges_give_what_the_whole_gives(
    tmp_path_factory: pytest.TempPathFactory,
    data: bytes,
    batch_bytes: int,
    threads: int,
    limit: int,
    on_error: str,
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    plain, packed = folder / "x.jsonl", folder / "y.jsonl.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    expected = rows(packed, 1 << 20, 1, limit, on_error)
    assert rows(plain, batch_bytes, threads, limit, on_error) == expected
    assert rows(packed, batch_bytes, threads, limit, on_error) == expected


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"text": "one two"}\n' * 999)
    digests = set()
    for batch_bytes, threads in ((1 << 20, 1), (64, 1), (777, 9)):
        inputs = open_inputs(path, batch_bytes=batch_bytes, threads=threads)
        assert sum(map(len, inputs.batches())) == 999
        assert inputs.bytes_read == path.stat().st_size
        digests |= set(inputs.digests().values())
    unread = open_inputs(path)
    assert len(digests) == 1
    assert digests == set(unread.digests().values())


@pytest.mark.parametrize("threads", [1, 9])
def test_a_file_that_becomes_shorter_is_a_fault(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"text": "one two"}\n' * 1000)
    inputs = open_inputs(path, batch_bytes=200, threads=threads)
    faults: list[Any] = []
    for batch in inputs.batches():
        os.truncate(path, 10_000)
        faults += batch.faults
    assert [(fault.line, fault.kind) for fault in faults] == [(None, "truncated")]
    assert set(inputs.digests().values()) == set(open_inputs(path).digests().values())
