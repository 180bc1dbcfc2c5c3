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
from tests.reading.samples import FORMATS, write
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
