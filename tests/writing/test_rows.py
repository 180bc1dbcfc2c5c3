"""Rows written as JSON lines, CSV and Parquet, and read again by others."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.writing.rows import Columns, CsvFile, TableFile

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), max_size=5)


def columns_of(rows: list[dict[str, Any]], each: int = 100) -> pa.Schema:
    columns = Columns()
    for begin in range(0, len(rows), each):
        columns.add(rows[begin : begin + each])
    return columns.schema(is_annotated=False)


def as_csv(rows: list[dict[str, Any]]) -> str:
    file = CsvFile(out := io.BytesIO(), columns_of(rows).names, ())
    file.write(rows)
    return out.getvalue().decode()


def as_parquet(rows: list[dict[str, Any]], each: int = 100) -> bytes:
    file = TableFile(out := io.BytesIO(), columns_of(rows, each))
    for begin in range(0, len(rows), each):
        file.write(rows[begin : begin + each])
    file.close()
    return out.getvalue()


def column(*values: Any) -> tuple[str, list[Any]]:
    """The type and the values of a Parquet column of these values."""
    table = pq.read_table(io.BytesIO(as_parquet([{"x": value} for value in values])))
    return str(table.schema.field("x").type), table["x"].to_pylist()


@examples(150)
@given(ROWS)
def test_csv_holds_texts_as_they_are_and_the_rest_as_json(rows: list[dict[str, Any]]) -> None:
    written = as_csv(rows)
    if not any(rows):
        assert written == ""
        return
    header, *lines = csv.reader(io.StringIO(written, newline=""))
    assert sorted(header) == sorted({name for row in rows for name in row})
    assert len(lines) == len(rows)
    for row, cells in zip(rows, lines, strict=True):
        for name, cell in zip(header, cells, strict=True):
            value = row.get(name)
            assert (
                cell == ("" if value is None else value)
                if _is_text(value)
                else (json.loads(cell) == value)
            )


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, -5, None], "int64"),
        ([2**63 - 1, -(2**63)], "int64"),
        ([1, 2.5], "double"),
        ([2**53, 0.5], "double"),
        ([True, None], "bool"),
        (["", "x", None], "string"),
        ([None, None], "string"),
        ([[1], []], "list<element: int64>"),
        ([[[]], None], "list<element: list<element: null>>"),
        ([{"a": 1}, {"a": 2}], "struct<a: int64>"),
    ],
)
def test_values_of_one_kind_keep_it(values: list[Any], kind: str) -> None:
    assert column(*values) == (kind, values)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, "x"], ["1", "x"]),
        ([True, 1], ["true", "1"]),
        ([2**64, 1], [str(2**64), "1"]),
        ([-1, 2**63], ["-1", str(2**63)]),
        ([2**53 + 1, 0.5], [str(2**53 + 1), "0.5"]),
        ([[1], {"a": 1}], ["[1]", '{"a":1}']),
        ([{}, None], ["{}", None]),
        ([10**400, "x"], ["1" + 400 * "0", "x"]),
    ],
)
def test_values_of_several_kinds_are_text(values: list[Any], texts: list[Any]) -> None:
    assert column(*values) == ("string", texts)


@examples(150)
@given(ROWS, st.integers(1, 3))
def test_parquet_has_every_value(rows: list[dict[str, Any]], each: int) -> None:
    written = as_parquet(rows, each)
    assert written == as_parquet(rows)
    table = pq.read_table(io.BytesIO(written))
    assert table.num_rows == (len(rows) if any(rows) else 0)  # no columns hold no rows
    for row, read in zip(rows, table.to_pylist(), strict=any(rows)):
        for name in {*row, *read}:
            assert _holds(read[name], row.get(name))


def _holds(read: Any, value: Any) -> bool:
    """Whether a value of Parquet is that of JSON, or its text; absent keys are null."""
    if isinstance(read, str) and not isinstance(value, str):
        return bool(json.loads(read) == value)
    if isinstance(value, dict):
        return all(_holds(item, value.get(key)) for key, item in read.items())
    if isinstance(value, list):
        return all(map(_holds, read, value)) and len(read) == len(value)
    return bool(read == value)


def test_columns_of_tables_and_rows_become_one() -> None:
    table = pa.table({"n": pa.array([1], pa.int32()), "t": pa.array([5], pa.timestamp("s"))})
    more = [{"n": None, "t": "never"}, {"n": 0.5, "z": True}]
    columns = Columns()
    columns.add(table.to_batches()[0])
    columns.add(more)
    schema = columns.schema(is_annotated=False)
    assert [str(kind) for kind in schema.types] == ["double", "string", "bool"]
    file = TableFile(out := io.BytesIO(), schema)
    file.write(table.to_batches()[0])
    file.write(more)
    file.close()
    assert pq.read_table(out).to_pylist() == [
        {"n": 1.0, "t": "1970-01-01T00:00:05", "z": None},
        {"n": None, "t": "never", "z": None},
        {"n": 0.5, "t": None, "z": True},
    ]


def test_large_numbers_do_not_become_fractions_whatever_stands_between_them() -> None:
    rows = [{"x": 2**53 + 1}, {"x": 0.5}]
    assert [columns_of(rows, each).field("x").type for each in (1, 2)] == 2 * [pa.string()]
