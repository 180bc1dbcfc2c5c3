"""Records as they are in their files, each with the number that its document has in its block.

What is no document, as a blank line, has no number and stays with what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.engine.spark.lines import LineSource
from twinset.engine.spark.parsing import tables_of
from twinset.lazy_dataclass import dataclass
from twinset.model import Ints
from twinset.plan import ReadOptions
from twinset.reading.delimited import CsvTable
from twinset.reading.output.decisions import FRAME, ROW
from twinset.reading.source import Source

RAW = "file int, block bigint, row bigint, value binary"
_ARROW = pa.schema(
    {"file": pa.int32(), "block": pa.int64(), "row": pa.int64(), "value": pa.large_binary()}
)
HEADER = -1
"""The row of what every output needs before its documents."""
_NEWLINE = 10
_UNLIMITED = 1 << 62


@dataclass(frozen=True)
class RawLines:
    """A task: JSON lines, however long, with their numbers."""

    lines: LineSource

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The lines of a partition as rows of `RAW`."""
        place, documents = None, 0
        for file, block, data in self.lines(batches, _UNLIMITED):
            if (file, block) != place:
                place, documents = (file, block), 0
            ends = _kernels.line_ends(data, 1)
            blank = _kernels.blank_lines(data, ends).view(bool)
            yield _rows(file, block, documents, ~blank, without_line_ends(data, ends))
            documents += int(np.count_nonzero(~blank))


@dataclass(frozen=True)
class RawRecords:
    """A task: the records of whole CSV and TSV files, with their numbers; the header has -1."""

    numbers: Mapping[str, int]
    sources: Sequence[Source]
    options: ReadOptions

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The records of a partition as rows of `RAW`."""
        for file, table in tables_of(batches, self.numbers, self.sources, self.options):
            yield from _of_table(table, file)


def _of_table(table: CsvTable, file: int) -> Iterator[pa.RecordBatch]:
    documents, long, is_row = 0, b"", False
    for block in table.blocks():
        if block.part != "whole":
            if block.part == "first":
                long, is_row, table.begun = b"", table.begun, True
            long += block.data.tobytes()
            if block.part == "last":
                value = pa.array([long.removesuffix(b"\n")], pa.large_binary())
                yield _rows(file, 0, documents, np.array([is_row]), value)
                documents += is_row
            continue
        records, _ = table.records(block, [])
        kinds = table.kinds(records)
        values = without_line_ends(block.data, records["end"])
        if not records["closed"][-1]:
            # or the quote would go on in whatever follows it where it is written
            values = pa.concat_arrays(
                [values[:-1], pa.array([values[-1].as_py() + b'"'], values.type)]
            )
        rows = _rows(file, 0, documents, kinds == ROW, values)
        if (kinds == FRAME).any():
            numbers = rows["row"].to_numpy(zero_copy_only=False)
            header = np.where(kinds == FRAME, HEADER, numbers)
            rows = rows.set_column(2, "row", pa.array(header, pa.int64(), from_pandas=True))
        yield rows
        documents += int(np.count_nonzero(kinds == ROW))


def without_line_ends(data: Any, ends: Ints) -> pa.Array:
    """The pieces of the bytes that end there, without the line ends that they end with."""
    lasts = ends[ends > 0] - 1
    cut = lasts[data[lasts] == _NEWLINE]
    stays = np.ones(len(data), bool)
    stays[cut] = False
    offsets = np.concatenate(([0], ends - np.searchsorted(cut, ends)))
    buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(data[stays])]
    return pa.Array.from_buffers(pa.large_binary(), len(ends), buffers)


def _rows(file: int, block: int, first: int, is_row: Any, values: pa.Array) -> pa.RecordBatch:
    count = len(values)
    numbers = first + np.cumsum(is_row) - 1
    return pa.RecordBatch.from_arrays(
        [
            pa.array(np.full(count, file, np.int32)),
            pa.array(np.full(count, block, np.int64)),
            pa.array(numbers, pa.int64(), mask=~is_row),
            values,
        ],
        schema=_ARROW,
    )
