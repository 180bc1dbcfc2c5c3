"""All inputs as one stream: kept documents, or all of them annotated, in one format."""

from __future__ import annotations

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
from twinset.errors import PlanError
from twinset.model.outcomes import Outcomes
from twinset.plan.reading import OutputForm
from twinset.reading import open_inputs
from twinset.writing import WrittenRoute, stream_documents


def streamed(paths: list[Path], *, keep: Any = None, **form: Any) -> bytes:
    """What is written to the stream; every document stays unless ``keep`` says otherwise."""
    return stream(paths, keep=keep, **form)[0]


def stream(
    paths: list[Path], *, keep: Any = None, **form: Any
) -> tuple[bytes, dict[str, WrittenRoute]]:
    inputs = open_inputs(paths, batch_bytes=100)
    count = len(gather(inputs).ids)
    kept = np.ones(count, bool) if keep is None else np.array(keep)
    nothing = pa.nulls(count, pa.string())
    outcomes = Outcomes(kept, np.full(count, -1), nothing, np.full(count, np.nan))
    written = stream_documents(inputs, outcomes, out := io.BytesIO(), OutputForm(**form))
    assert written["annotated" if form.get("annotate") else "kept"].bytes == len(out.getvalue())
    return out.getvalue(), written


@pytest.mark.parametrize("packing", [None, "gz", "zst"])
@pytest.mark.parametrize("reader", sorted(FORMATS.keys() - {"parquet"}))
def test_where_all_stays_the_stream_is_the_input(
    tmp_path: Path, reader: str, packing: str | None
) -> None:
    path = write(tmp_path, reader, packing=packing)
    data, expected = streamed([path]), unpack(path.read_bytes(), packing)
    if reader == "romip":  # where the frame ends there may be one more line end
        data, expected = b" ".join(data.split()), b" ".join(expected.split())
    assert data == expected


def _copied(path: Path) -> Path:
    other = path.with_name(f"other{path.suffix}")
    other.write_bytes(path.read_bytes())
    return other


def test_several_files_are_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text":"1"}\n\n{"text":"2"}')
    lines = streamed([path, _copied(path)], keep=[True, True, False, True])
    assert lines == b'{"text":"1"}\n\n{"text":"2"}\n\n{"text":"2"}'
    path = write(tmp_path, "csv")
    data = path.read_bytes()
    assert streamed([path, _copied(path)]) == data + data.partition(b"\n")[2]


@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet"])
def test_all_formats_together_as_rows(tmp_path: Path, to: str) -> None:
    paths = [write(tmp_path, reader) for reader in (*FORMATS, "files")]
    data = streamed(paths, to=to, annotate=True)
    if to == "jsonl":
        texts = [json.loads(line)["text"] for line in data.decode().split("\n")[:-1]]
        assert texts == gather(open_inputs(paths)).texts
    elif to == "parquet":
        rows = pq.read_table(io.BytesIO(data))
        assert rows["text"].to_pylist() == gather(open_inputs(paths)).texts
        assert rows["twinset_keep"].to_pylist() == [True] * len(rows)


def test_what_cannot_be_one_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    csv, jsonl = write(tmp_path, "csv"), write(tmp_path, "jsonl")
    other = tmp_path / "other.csv"
    other.write_text("id,body,text\n1,x,y\n")
    tables = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    pq.write_table(pa.table({"text": ["a"]}), tables[0])
    pq.write_table(pa.table({"text": ["a"], "n": [1]}), tables[1])
    for paths, fault in (
        ([csv, jsonl], "csv and jsonl"),
        ([csv, other], "different columns"),
        (tables, "different columns"),
        ([write(tmp_path, "files")], "plain files"),
    ):
        with pytest.raises(PlanError, match=f"{fault}.*--to jsonl"):
            streamed(paths)
        assert streamed(paths, to="jsonl")


def test_records_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text":"1"}\nbroken\n')
    assert streamed([path]) == path.read_bytes()
    data, written = stream([path], to="csv")
    assert data == b"text\n1\n"
    assert written["unread"].documents == 1
