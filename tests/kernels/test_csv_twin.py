"""The CSV kernel against Python's csv module."""

from __future__ import annotations

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.examples import examples
from twinset import _kernels

FIELD = st.text('ab,"\n\t; ё', max_size=12)
ROW = st.lists(FIELD, min_size=1, max_size=4)


def rows_of(data: bytes, columns: int, threads: int = 1) -> list[list[str | None]]:
    wanted = np.arange(columns)
    records, found = _kernels.csv_rows(
        np.frombuffer(data, dtype=np.uint8), ord(","), wanted, threads
    )
    rows: list[list[str | None]] = []
    for i, fields in enumerate(records["fields"].tolist()):
        if fields:
            rows.append([_value(column, i) for column in found][:fields])
    return rows


def _value(column: dict[str, np.ndarray], row: int) -> str | None:  # type: ignore[type-arg]
    begin, end = column["offsets"][row : row + 2]
    return column["bytes"][begin:end].tobytes().decode() if column["state"][row] else None


@examples(300)
@given(st.lists(ROW, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_csv_writes_is_read_back(rows: list[list[str]], end: str, quote_all: bool) -> None:
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(out, lineterminator=end, quoting=quoting).writerows(rows)
    data = out.getvalue().encode()
    assert rows_of(data, 4) == rows_of(data, 4, 2) == rows
    assert rows_of(data.removesuffix(end.encode()), 4) == rows


@examples(400)
@given(st.text('a,"\n ё', max_size=40))
def test_any_text_is_read_as_csv_reads_it(text: str) -> None:
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    wanted = [row for row in csv.reader(ended) if row]
    found = rows_of(text.encode(), 40)
    if text.encode().count(b'"') and _open_at_end(text.encode()):
        # csv strips nothing from a field that is never closed; neither do we, but it is a fault
        assert len(found) == len(wanted)
    else:
        assert found == wanted


def _open_at_end(data: bytes) -> bool:
    records, _ = _kernels.csv_rows(np.frombuffer(data, np.uint8), ord(","), np.arange(0), 1)
    return not records["closed"].all()


@examples(200)
@given(st.text('a,"\n\r', max_size=60))
def test_records_tile_the_block_and_lines_count(text: str) -> None:
    data = text.encode()
    records, _ = _kernels.csv_rows(np.frombuffer(data, np.uint8), ord(","), np.arange(0), 1)
    begins, ends = records["begin"].tolist(), records["end"].tolist()
    assert begins == [0, *ends][: len(begins)]
    assert (ends or [0])[-1] == len(data)
    for begin, line in zip(begins, records["line"].tolist(), strict=False):
        assert line == data.count(b"\n", 0, begin) + 1
    last = _kernels.csv_last_end(np.frombuffer(data, np.uint8), ord(","))
    assert last in {0, *ends}
    if last:
        assert data[last - 1 : last] == b"\n"
