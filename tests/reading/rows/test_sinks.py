"""Rows written as JSON lines, CSV and Parquet, and read again by others."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from tests.reading.rows.test_record import NUMBERS, TEXTS, VALUES
from twinset.reading.rows import tables
from twinset.reading.rows.block import FieldRows, TableRows
from twinset.reading.rows.kinds import FieldKinds
from twinset.reading.rows.lines import CsvSink
from twinset.reading.rows.record import Record, fields_of
from twinset.reading.rows.tables import ParquetSink

ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), max_size=5)


def records_of(rows: list[dict[str, Any]]) -> list[Record | None]:
    return [fields_of(json.dumps(row)) for row in rows]


def as_csv(rows: list[dict[str, Any]]) -> str:
    records = records_of(rows)
    sink = CsvSink(out := io.BytesIO(), list(kinds_of(records).kinds))
    sink.write(FieldRows(records))
    return out.getvalue().decode()


def kinds_of(records: list[Record | None]) -> FieldKinds:
    kinds = FieldKinds()
    for record in records:
        kinds.add(record or {})
    return kinds


def as_parquet(rows: list[dict[str, Any]], each: int = 100) -> bytes:
    records = records_of(rows)
    kinds = kinds_of(records)
    sink = ParquetSink(out := io.BytesIO(), list(kinds.kinds), kinds.schema())
    for begin in range(0, len(records), each):
        sink.write(FieldRows(records[begin : begin + each]))
    sink.close()
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


def test_csv_tells_an_empty_text_from_nothing() -> None:
    rows = [{"a": "", "b": None}, {"b": ""}, {"a": "=1+1", "b": "  x"}, {"a": 'q"', "b": "\r"}]
    assert as_csv(rows) == 'a,b\n"",\n,""\n=1+1,  x\n"q""","\r"\n'


def test_a_row_of_one_empty_field_is_no_blank_line() -> None:
    assert as_csv([{"a": None}, {"a": "x"}, {}]) == 'a\n""\nx\n""\n'


def test_csv_does_not_begin_with_a_byte_order_mark_of_its_own() -> None:
    assert as_csv([{"\ufeffa": "x"}]) == '"\ufeffa"\nx\n'


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, -5, None], "int64"),
        ([2**63 - 1, -(2**63)], "int64"),
        ([2**64 - 1, 0], "uint64"),
        ([1, 2.5], "double"),
        ([2**53, 0.5], "double"),
        ([True, None], "bool"),
        (["", "x", None], "string"),
        ([None, None], "string"),
        ([[1], []], "list<element: int64>"),
        ([[[]], None], "list<element: list<element: string>>"),
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
        ([[1], {"a": 1}], ["[1]", '{"a": 1}']),
        ([{}, None], ["{}", None]),
        ([10**400, "x"], ["1" + 400 * "0", "x"]),
    ],
)
def test_values_of_several_kinds_are_text(values: list[Any], texts: list[Any]) -> None:
    assert column(*values) == ("string", texts)


def test_numbers_that_no_double_holds_are_text() -> None:
    for written in ("1e400", "-1e400", "1e-400"):
        kinds = FieldKinds()
        kinds.add(fields_of(f'{{"x":{written}}}'))
        assert kinds.schema().field("x").type == pa.string()
    assert math.isnan(column(float("nan"), 1.0)[1][0])


def test_a_conflict_within_stays_within() -> None:
    kind, values = column({"a": 1, "b": [1, "x"]}, {"a": None, "b": [{"c": 1.50}]})
    assert kind == "struct<a: int64, b: list<element: string>>"
    assert values == [{"a": 1, "b": ["1", "x"]}, {"a": None, "b": ['{"c":1.5}']}]


@pytest.mark.parametrize("levels", [10, 17, 400])
def test_what_is_nested_deeply_is_text(levels: int) -> None:
    deep: Any = 1
    for _ in range(levels):
        deep = [deep]
    kind, values = column({"a": {"b": 1}}, {"a": {"b": deep}}, {"a": "x"})
    assert (kind == "string") == (levels > 10)
    inner = json.loads(values[1])["a"]["b"] if levels > 10 else json.loads(values[1]["a"])["b"]
    assert inner == deep


def test_an_object_that_is_a_table_of_its_own_is_text() -> None:
    kind, values = column({f"k{i}": i for i in range(300)})
    assert kind == "string"
    assert json.loads(values[0])["k299"] == 299


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


@examples(50)
@given(st.lists(st.tuples(TEXTS, st.none() | NUMBERS, st.lists(TEXTS, max_size=3)), max_size=30))
def test_row_groups_end_where_the_rows_say(rows: list[tuple[Any, ...]]) -> None:
    records = [dict(zip("abc", row, strict=True)) for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "GROUP_BYTES", 100)
        written = {as_parquet(records, each) for each in (1, 2, 7, 100)}
    assert len(written) == 1
    metadata = pq.ParquetFile(io.BytesIO(written.pop())).metadata
    assert metadata.num_rows == len(rows)
    assert metadata.num_row_groups >= len(rows) // 5


def test_columns_of_tables_and_rows_become_one() -> None:
    table = pa.table({"n": pa.array([1], pa.int32()), "t": pa.array([5], pa.timestamp("s"))})
    kinds = FieldKinds.of_schema(table.schema, table.schema.names, {})
    more = FieldKinds()
    more.add({"n": None, "t": "never"})
    more.add(fields_of('{"n":0.5,"z":true}'))
    kinds.merge(more)
    schema = kinds.schema()
    assert [str(kind) for kind in schema.types] == ["double", "string", "bool"]
    sink = ParquetSink(out := io.BytesIO(), list(kinds.kinds), schema)
    sink.write(TableRows(table.to_batches()[0]))
    sink.write(FieldRows([{"t": "never"}, fields_of('{"n":0.5,"z":true}')]))
    sink.close()
    assert pq.read_table(out).to_pylist() == [
        {"n": 1.0, "t": "1970-01-01T00:00:05", "z": None},
        {"n": None, "t": "never", "z": None},
        {"n": 0.5, "t": None, "z": True},
    ]


def test_fields_of_an_earlier_annotation_are_replaced() -> None:
    added = pa.RecordBatch.from_arrays([pa.array([3, None], pa.int64())], ["twinset_cluster"])
    rows = FieldRows([{"twinset_cluster": "old", "a": "x"}, {"a": "y"}])
    expected = [{"a": "x", "twinset_cluster": "3"}, {"a": "y", "twinset_cluster": None}]
    assert rows.with_fields(added).records() == expected
    assert [list(row or {}) for row in rows.with_fields(added).records()] == 2 * [
        ["a", "twinset_cluster"]
    ]
    table = pa.table({"twinset_cluster": [9, 9], "a": ["x", "y"]}).to_batches()[0]
    assert TableRows(table).with_fields(added).records() == expected


def test_threads_write_the_same_parquet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "GROUP_ROWS", 10)
    schema = pa.schema([("n", pa.int64()), ("t", pa.string())])
    rows = pa.RecordBatch.from_arrays(
        [pa.array(range(95), pa.int64()), pa.array([f"text {n % 7}" for n in range(95)])],
        schema=schema,
    )
    files = []
    for threads, size in ((1, 95), (1, 4), (4, 33), (4, 95)):
        file = tables.ParquetRows(out := io.BytesIO(), schema, "snappy", threads=threads)
        for begin in range(0, 95, size):
            file.write(rows.slice(begin, size))
        file.close()
        files.append(out.getvalue())
    assert all(data == files[0] for data in files[1:])
    whole = io.BytesIO()
    pq.write_table(pa.Table.from_batches([rows]), whole, row_group_size=10)
    assert files[0] == whole.getvalue()


def test_parquet_without_rows_has_its_columns() -> None:
    schema = pa.schema([("n", pa.int64())])
    tables.ParquetRows(out := io.BytesIO(), schema, "snappy").close()
    assert pq.read_table(io.BytesIO(out.getvalue())).schema == schema
