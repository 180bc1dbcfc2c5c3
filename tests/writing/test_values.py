"""Columns of every type of Parquet as values, by the rules that the manual states."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

import pyarrow as pa
import pytest

from twinset.writing.notes import json_bytes
from twinset.writing.rows import dicts, values_of

NOON = datetime.datetime(2024, 5, 31, 12, 0, 0, 250_000)
CASES: list[tuple[Any, pa.DataType, Any]] = [
    ("ё", pa.string(), "ё"),
    ("ё", pa.large_string(), "ё"),
    ("ё", pa.dictionary(pa.int32(), pa.string()), "ё"),
    (True, pa.bool_(), True),
    (2**63 - 1, pa.int64(), 2**63 - 1),
    (2**64 - 1, pa.uint64(), 2**64 - 1),
    (0.1, pa.float64(), 0.1),
    (1.0, pa.float64(), 1.0),
    (float("nan"), pa.float64(), None),
    (float("inf"), pa.float32(), None),
    (decimal.Decimal("1.50"), pa.decimal128(20, 2), "1.50"),
    (b"\x00\xff", pa.binary(), "AP8="),
    (b"\x00\xff", pa.binary(2), "AP8="),
    (NOON, pa.timestamp("us"), "2024-05-31T12:00:00.25"),
    (NOON.replace(microsecond=0), pa.timestamp("ms"), "2024-05-31T12:00:00"),
    (
        NOON.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        pa.timestamp("ns", "Europe/Berlin"),
        "2024-05-31T10:00:00.25Z",
    ),
    (NOON.date(), pa.date32(), "2024-05-31"),
    (NOON.time(), pa.time64("us"), "12:00:00.25"),
    (
        datetime.timedelta(seconds=-90, milliseconds=500),
        pa.duration("ms"),
        "-1 day, 23:58:30.500000",
    ),
    (datetime.timedelta(seconds=3), pa.duration("s"), "0:00:03"),
    ([1, None, 3], pa.list_(pa.int32()), [1, None, 3]),
    ([], pa.large_list(pa.string()), []),
    ([0.5, 2.0], pa.list_(pa.float32(), 2), [0.5, 2.0]),
    ({"a": "x", "b": None}, pa.struct({"a": pa.string(), "b": pa.int8()}), {"a": "x", "b": None}),
    ({"t": NOON}, pa.struct({"t": pa.timestamp("us")}), {"t": "2024-05-31T12:00:00.250000"}),
    ([("k", 1), ("l", None)], pa.map_(pa.string(), pa.int32()), {"k": 1, "l": None}),
    ([[{"a": float("nan")}]], pa.list_(pa.list_(pa.struct({"a": pa.float64()}))), [[{"a": None}]]),
    (None, pa.null(), None),
]


@pytest.mark.parametrize(("value", "kind", "expected"), CASES, ids=[str(c[1]) for c in CASES])
def test_a_value_of_every_type(value: Any, kind: pa.DataType, expected: Any) -> None:
    column = pa.array([None, value, None, value], kind)
    for part, at in ((column, 1), (column.slice(1), 0), (column.slice(2, 2), 1)):
        line = json.loads(_line(part, at))
        assert line == {"x": expected}
        assert type(line["x"]) is type(expected)
        assert json.loads(_line(part, 1 - at)) == {"x": None}


def _line(column: pa.Array, row: int) -> bytes:
    return json_bytes(dicts(pa.RecordBatch.from_arrays([column], ["x"]))[row])


def test_a_decimal_has_all_its_digits_and_a_float_no_more_than_it_needs() -> None:
    digits = "12345678901234567890.10"
    assert values_of(pa.array([decimal.Decimal(digits)], pa.decimal128(30, 2))) == [digits]
    assert values_of(pa.array([1e-7, 1e300], pa.float64())) == [1e-07, 1e300]


def test_binary_data_of_the_text_column_is_text() -> None:
    column = pa.array(["ё".encode(), "кот".encode("cp1251") * 9], pa.binary())
    assert values_of(column, is_text=True) == ["ё", "кот" * 9]
