"""Parquet files put together out of row groups: the bytes that Arrow writes by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset.model import row_groups
from twinset.model.compact import read_structure, written_structure
from twinset.model.row_groups import write_table

ROWS = 7
OPTIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "reports": {
        "compression": "zstd",
        "use_dictionary": ["text"],
        "column_encoding": {"number": "DELTA_BINARY_PACKED"},
    },
    "indexed": {"write_page_index": True, "compression": "none"},
    "plain": {"write_statistics": False, "use_dictionary": False},
}


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "GROUP_ROWS", ROWS)


def table(rows: int) -> pa.Table:
    numbers = list(range(rows))
    return pa.table(
        {
            "number": pa.array(numbers, pa.int64()),
            "text": pa.array([f"text {n % 5}" for n in numbers], pa.large_string()),
            "odd": pa.array([n / 3 if n % 2 else None for n in numbers], pa.float64()),
            "flag": pa.array([n % 3 == 0 for n in numbers], pa.bool_()),
            "ids": pa.array([["a", "b"][: n % 3] for n in numbers], pa.list_(pa.string())),
            **{f"more{n}": pa.array(numbers, pa.int32()) for n in range(20)},
        }
    ).replace_schema_metadata({"made": "here"})


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("rows", [0, 1, ROWS, ROWS + 1, 5 * ROWS, 16 * ROWS + 3])
@pytest.mark.parametrize("threads", [3, 50])
def test_the_bytes_are_those_of_arrow(
    tmp_path: Path, rows: int, threads: int, options: dict[str, Any]
) -> None:
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    pq.write_table(table(rows), whole, row_group_size=ROWS, **options)
    write_table(table(rows), pieces, threads, **options)
    assert pq.read_table(pieces).equals(table(rows))
    if "write_page_index" not in options:
        assert pieces.read_bytes() == whole.read_bytes()


def test_groups_are_read_one_by_one_by_others(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    write_table(table(40), tmp_path / "a.parquet", 4)
    rows = duckdb.sql(f"select number, text from '{tmp_path}/a.parquet' where number % 9 = 4")
    assert sorted(rows.fetchall()) == [(n, f"text {n % 5}") for n in range(4, 40, 9)]
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.read_row_group(3)["number"].to_pylist() == list(range(21, 28))


def test_a_slice_of_a_table_is_written_alone(tmp_path: Path) -> None:
    part = table(60).slice(11, 30)
    write_table(part, tmp_path / "a.parquet", 2)
    assert pq.read_table(tmp_path / "a.parquet").equals(part)


NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(st.tuples(st.text(max_size=20), NUMBERS), max_size=40))
@examples(50)
def test_a_footer_read_and_written_is_itself(pairs: list[tuple[str, int]]) -> None:
    fields = [
        pa.field(f"{number}", pa.int64(), metadata={name: "x"})
        for number, (name, _) in enumerate(pairs)
    ]
    values = [pa.array([value], pa.int64()) for _, value in pairs]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(values, schema=pa.schema(fields)), sink)
    data = sink.getvalue().to_pybytes()
    size = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - size : -8]
    assert written_structure(read_structure(footer)) == footer


@pytest.mark.parametrize("data", [b"", b"\x18\x05ab", b"\x1b\x01", b"\x16"])
def test_what_is_no_structure_is_refused(data: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        read_structure(data)
