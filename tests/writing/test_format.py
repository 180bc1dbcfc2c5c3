"""A format with one method: its documents are read, and written as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tests.reading.helpers import gather, outcomes
from twinset.model import Batch
from twinset.plan import OutputForm, table
from twinset.reading import open_inputs
from twinset.reading.base import FileFormat
from twinset.reading.batches import BatchBuilder
from twinset.reading.source import ReadJob
from twinset.reading.stream import chunks, open_text_stream
from twinset.writing import write_documents


@dataclass(frozen=True)
class Paragraphs(FileFormat):
    """Documents between blank lines."""

    suffixes: ClassVar[tuple[str, ...]] = (".paras",)

    def read(self, job: ReadJob) -> Iterator[Batch]:
        stream, _, _ = open_text_stream(job)
        rows = BatchBuilder()
        for place, text in enumerate(b"".join(chunks(stream)).decode().split("\n\n"), 1):
            rows.add(f"p{place}", text, place)
        yield rows.batch(job)


def test_documents_of_one_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{__name__}:Paragraphs"
    monkeypatch.setitem(table.TABLE["reader"], "paras", name)
    table.names.cache_clear()
    path = tmp_path / "x.paras"
    path.write_text("one\n\ntwo\n\nthree")
    inputs = open_inputs([path])
    assert inputs.sources[0].reader == "paras"
    assert gather(inputs).texts == ["one", "two", "three"]
    decided = outcomes(np.array([True, False, True]))
    write_documents(inputs, decided, tmp_path / "out", OutputForm(annotate=True))
    rows = {
        path.name: [json.loads(line) for line in path.read_text().splitlines()]
        for path in (tmp_path / "out").iterdir()
    }
    assert rows["kept.jsonl"] == [{"id": "p1", "text": "one"}, {"id": "p3", "text": "three"}]
    assert rows["removed.jsonl"] == [{"id": "p2", "text": "two"}]
    assert [row["twinset_keep"] for row in rows["annotated.jsonl"]] == [True, False, True]
    table.names.cache_clear()
