"""Rows as Parquet, in row groups whose ends the rows alone decide: no batch size shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.model import Ints
from twinset.reading.rows.block import RowBlock
from twinset.reading.rows.columns import batch_of

GROUP_BYTES = 64 << 20
GROUP_ROWS = 1 << 20
_VALUE = 8  # bytes that a value counts for, beside those of a text


class ParquetSink:
    """Writes rows under a schema; ``names`` are those of the fields, in its order."""

    def __init__(
        self, file: IO[bytes], names: Sequence[str], schema: pa.Schema, codec: str = "snappy"
    ) -> None:
        import pyarrow.parquet as pq

        self._names, self._schema = names, schema
        self._writer: Any = pq.ParquetWriter(file, schema, compression=codec)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, block: RowBlock) -> None:
        """Write all rows of the block, as far as they fill row groups."""
        batch = batch_of(block, self._names, self._schema)
        sizes = np.cumsum(_sizes(batch))
        begin = before = 0
        while begin < batch.num_rows:
            room = min(GROUP_ROWS - self._rows, batch.num_rows - begin)
            # the row that fills the group is its last one
            filled = int(np.searchsorted(sizes, before + GROUP_BYTES - self._bytes)) + 1 - begin
            count = min(room, filled)
            self._waiting.append(batch.slice(begin, count))
            self._rows += count
            self._bytes += int(sizes[begin + count - 1]) - before
            begin += count
            before = int(sizes[begin - 1])
            if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
                self._write_group()

    def _write_group(self) -> None:
        if not self._waiting:
            return
        # One chunk: where chunks end decides where pages end.
        table = pa.Table.from_batches(self._waiting, self._schema).combine_chunks()
        self._waiting, self._rows, self._bytes = [], 0, 0
        self._writer.write_table(table, row_group_size=GROUP_ROWS)

    def close(self) -> None:
        """Write the last rows and the end of the file, which stays open."""
        self._write_group()
        self._writer.close()


def _sizes(batch: pa.RecordBatch) -> Ints:
    """About how many bytes each row has, whatever rows are beside it."""
    sizes = np.full(batch.num_rows, _VALUE, np.int64)
    for column in batch.columns:
        sizes += _column_sizes(column)
    return sizes


def _column_sizes(column: pa.Array) -> Ints:
    kind = column.type
    if _has_bytes(kind):
        lengths = pc.fill_null(pc.binary_length(column), 0)
        return np.asarray(lengths, dtype=np.int64) + _VALUE
    sizes = np.full(len(column), _VALUE, np.int64)
    if pa.types.is_struct(kind):
        for field in column.flatten():
            sizes += _column_sizes(field)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        ends = np.append(0, np.cumsum(_column_sizes(column.values)))
        sizes += np.diff(ends[np.asarray(column.offsets)])
    return sizes


def _has_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    is_text = types.is_string(kind) or types.is_large_string(kind)
    return bool(is_text or types.is_binary(kind) or types.is_large_binary(kind))
