"""Every format gives the same documents, faults and digests for any threads, memory, processes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.reading.samples import DOCS, FORMATS, PACKERS, write
from tests.system import workers as functions
from twinset.errors import ReadError
from twinset.plan import ReadOptions
from twinset.reading import Inputs, open_inputs
from twinset.system import processes

SHARDS = 7
MACHINES = [(2, 2, 64, 0), (3, 1, 1 << 20, 1), (16, 3, 300, 1 << 20), (16, 16, 1 << 20, 1 << 20)]
"""Threads, processes, bytes of a batch, bytes read ahead."""


def folder_of(tmp_path: Path, reader: str) -> Path:
    """Shards of different length: some packed, one of them cut off, one with strange bytes."""
    folder = tmp_path / "input"
    for shard in range(SHARDS):
        texts = "a page of scripts <script>" if shard == 2 else "words"
        docs = [(f"{shard}-{id}", f"{text} {texts}") for id, text in DOCS * (1 + shard % 3)]
        docs = [(f"{n}{id}", text) for n, (id, text) in enumerate(docs)]
        (folder / f"{shard}").mkdir(parents=True)
        packing = None if reader == "files" else [None, "gz", "zst", *PACKERS][shard % 5]
        path = write(folder / f"{shard}", reader, docs, packing)
        if path.is_file() and shard in (1, 5):
            data = path.read_bytes()
            path.write_bytes(data[: len(data) * 2 // 3] if shard == 1 else data + b"\xff\n{]")
    return folder


def contents(inputs: Inputs) -> dict[str, Any]:
    rows, facts, faults, counts = [], [], [], Counter[str]()
    for batch in inputs.batches():
        columns = (batch.ids.to_pylist(), batch.texts.to_pylist(), batch.places.tolist())
        rows += [(batch.source, *row) for row in zip(*columns, strict=True)]
        if batch.files is not None:
            files = batch.files
            facts += zip(files.path.to_pylist(), files.digest.to_pylist(), strict=True)
        faults += batch.faults
        counts.update(batch.counts)
    return {
        "rows": rows,
        "facts": facts,
        "faults": faults,
        "counts": {name: count for name, count in counts.items() if count},
        "digests": inputs.digests(),
        "bytes": inputs.bytes_read,
    }


@pytest.mark.parametrize("reader", [*FORMATS, "files"])
@pytest.mark.parametrize(
    "options", [{}, {"html": "yes", "repeated": "keep"}], ids=["usual", "html"]
)
def test_no_machine_changes_what_is_read(
    tmp_path: Path, reader: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "PAYS", 1)
    folder, read = folder_of(tmp_path, reader), ReadOptions(**options)
    alone = contents(open_inputs([folder], read, threads=1))
    assert len(alone["rows"]) > 5 * SHARDS
    for threads, others, batch_bytes, ahead in MACHINES:
        inputs = open_inputs(
            [folder],
            read,
            batch_bytes=batch_bytes,
            threads=threads,
            processes=others,
            ahead_bytes=ahead,
        )
        assert contents(inputs) == alone, (threads, others, batch_bytes, ahead)


def test_a_file_that_ends_its_reader_is_a_fault_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path, "files")
    deadly = folder / "3" / "docs" / "deadly.md"
    deadly.write_bytes(b"words before: " + functions.DEADLY)
    alone = contents(open_inputs([folder], threads=1))
    monkeypatch.setattr(processes, "PAYS", 1)
    monkeypatch.setattr("twinset.reading.files.read_group", functions.mortal_read_files)
    apart = contents(open_inputs([folder], threads=2, processes=2))
    assert [(f.source, f.kind) for f in apart["faults"]] == [(str(deadly), "failed")]
    assert [row[1] for row in apart["rows"] if row[2] is None] == ["3/docs/deadly.md"]
    assert [row for row in apart["rows"] if row[2]] == [
        row for row in alone["rows"] if row[1] != "3/docs/deadly.md"
    ]


@pytest.mark.parametrize("reader", FORMATS)
def test_the_first_fault_stops_all_the_same(tmp_path: Path, reader: str) -> None:
    folder = folder_of(tmp_path, reader)
    messages = []
    for threads in (1, 2, 16):
        inputs = open_inputs([folder], ReadOptions(on_error="stop"), threads=threads)
        with pytest.raises(ReadError) as fault:
            contents(inputs)
        messages.append(str(fault.value))
    assert messages == messages[:1] * 3


def test_a_pass_can_be_left_and_begun_again(tmp_path: Path) -> None:
    inputs = open_inputs([folder_of(tmp_path, "jsonl")], threads=4, batch_bytes=64)
    for stop in (1, 5):
        batches = inputs.batches()
        for _ in range(stop):
            next(batches)
        batches.close()  # type: ignore[attr-defined]
    whole = contents(inputs)
    assert whole == contents(open_inputs([tmp_path / "input"], threads=1))
    assert inputs.bytes_read == inputs.total_bytes
