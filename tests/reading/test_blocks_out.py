"""Blocks of records that threads make ready: the same files as one thread writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from twinset import _kernels
from twinset.errors import ReadError
from twinset.model.outcomes import Outcomes
from twinset.plan.output import OutputForm
from twinset.reading import open_inputs
from twinset.reading.output import blocks

DOCUMENTS = 500
RNG = np.random.default_rng(5)


def lines() -> list[bytes]:
    """Documents of various lengths with blank lines between some of them."""
    rows = [
        json.dumps({"id": f"d{i}", "text": "word " * int(RNG.integers(1, 60))}).encode() + b"\n"
        for i in range(DOCUMENTS)
    ]
    return [row + (b" \n" if number % 50 == 7 else b"") for number, row in enumerate(rows)]


def outcomes(keep: Any) -> Outcomes:
    nothing = pa.nulls(len(keep), pa.large_string())
    cluster = np.full(len(keep), -1, np.int64)
    return Outcomes(keep, cluster, nothing, np.full(len(keep), np.nan), nothing)


def written(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("form", [{}, {"annotate": True}, {"shards": 3}])
@pytest.mark.parametrize("ends", [b"\n", b""])
def test_threads_write_the_same_files(tmp_path: Path, form: dict[str, Any], ends: bytes) -> None:
    data = b"".join(lines()).removesuffix(b"\n") + ends
    (tmp_path / "a.jsonl").write_bytes(data)
    keep = RNG.random(DOCUMENTS) > 0.2
    runs = []
    for threads, size in ((1, 1 << 20), (1, 2000), (2, 2000), (5, 999)):
        inputs = open_inputs(tmp_path / "a.jsonl", batch_bytes=size, threads=threads)
        folder = tmp_path / f"{threads}-{size}"
        inputs.write(outcomes(keep), folder, OutputForm.make(**form))
        runs.append(written(folder))
    assert all(run == runs[0] for run in runs[1:])
    if not form:
        assert runs[0] == line_by_line(data, keep.tolist())


def line_by_line(data: bytes, keep: list[bool]) -> dict[str, bytes]:
    """What is kept and removed; blank lines are no documents and stay."""
    decided = iter(keep)
    files = {"kept.jsonl": b"", "removed.jsonl": b""}
    for line in data.splitlines(keepends=True):
        stays = not line.strip() or next(decided)
        files["kept.jsonl" if stays else "removed.jsonl"] += line
    return files


def test_a_fault_in_a_thread_ends_the_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines()))
    calls = iter(range(1000))

    def failing(*arguments: Any) -> int:
        if next(calls) == 7:
            raise MemoryError
        return _kernels.spliced(*arguments)

    inputs = open_inputs(tmp_path / "a.jsonl", batch_bytes=2000, threads=4)
    monkeypatch.setattr(blocks._kernels, "spliced", failing)
    with pytest.raises(MemoryError):
        inputs.write(outcomes(RNG.random(DOCUMENTS) > 0.5), tmp_path / "out", OutputForm())


def test_a_file_that_grew_is_reported_by_threads(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines()))
    inputs = open_inputs(tmp_path / "a.jsonl", batch_bytes=2000, threads=4)
    with pytest.raises(ReadError, match="changed"):
        inputs.write(outcomes(np.ones(DOCUMENTS - 1, bool)), tmp_path / "out", OutputForm())
