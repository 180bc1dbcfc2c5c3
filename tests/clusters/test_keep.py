"""Which copy stays, by a field that holds numbers or dates."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import twinset
from twinset.errors import ReadError

TEXT = "one two three four five six seven eight nine ten"
DATES = {
    "a": "2024-05-31",
    "b": "2024-05-31T23:00:00-05:00",  # the next day in UTC
    "c": "2024-06-01T03:59:59.5Z",
    "d": "2024-06-01 03:00",
    "e": "31 May 2024 22:59:59 -0500",
}


def kept(documents: Path, policy: str) -> list[str]:
    rows = twinset.dedup(documents, keep=policy).documents.to_pylist()
    return [row["id"] for row in rows if row["kept_as"] is None]


@pytest.fixture(params=["jsonl", "csv", "parquet"])
def documents(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    rows = [{"id": id, "text": TEXT, "date": date} for id, date in DATES.items()]
    file = tmp_path / f"corpus.{request.param}"
    if request.param == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    elif request.param == "csv":
        lines = ["id,text,date", *(",".join(row.values()) for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return file


def test_dates_are_compared_as_instants(documents: Path) -> None:
    assert kept(documents, "date:max") == ["b"]
    assert kept(documents, "date:min") == ["a"]


def test_a_text_that_is_neither_number_nor_date_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    rows = [{"id": "a", "text": TEXT, "date": "May"}, {"id": "b", "text": TEXT, "date": "12.5"}]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    found = twinset.dedup(file, keep="date:max")
    (fault,) = found.manifest["first_faults"]
    assert (fault["line"], fault["kind"]) == (1, "order")
    assert "the field 'date' holds 'May', which is neither a number nor a date" in fault["detail"]
    assert found.documents["kept_as"].to_pylist() == ["b", None]
    with pytest.raises(ReadError, match="correct the value, or name another field with --keep"):
        twinset.dedup(file, keep="date:max", on_error="stop")
