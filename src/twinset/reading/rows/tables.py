"""Rows as Parquet, in row groups whose ends the rows alone decide: no batch size shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

import numpy as np
import pyarrow as pa

from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.row_groups import JoinedGroups
from twinset.reading.rows.block import RowBlock
from twinset.reading.rows.columns import batch_of
from twinset.reading.source import ReadJob
from twinset.system.pool import Crew

GROUP_BYTES = 16 << 20
GROUP_ROWS = 1 << 20
"""Where a row group ends, unless it is told otherwise."""
_MOST_AT_A_TIME = 8
_PER_GROUP = 2 << 20
"""Row groups packed at a time: one for each so many bytes of a batch, which memory decides on."""
_VALUE = 8  # bytes that a value counts for, beside those of a text


def groups_at_a_time(job: ReadJob) -> int:
    """How many row groups threads may pack at a time within the memory."""
    return max(1, min(job.threads, _MOST_AT_A_TIME, job.batch_bytes // _PER_GROUP))


class ParquetRows:
    """A Parquet file that takes batches of its columns; ``group_bytes`` end a row group.

    Row groups are packed by ``threads`` side by side; the bytes do not depend on how many.
    """

    def __init__(
        self,
        file: IO[bytes],
        schema: pa.Schema,
        codec: str,
        group_bytes: int | None = None,
        threads: int = 1,
    ) -> None:
        self._schema, self._group_bytes = schema, group_bytes or GROUP_BYTES
        self._codec, self._groups = codec, JoinedGroups(file)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = self._given = 0
        self._ahead = threads if threads > 1 else 0
        self._crew: Crew[pa.Table, pa.Buffer] = Crew(self._packed, threads, None)
        self._on_the_way: deque[Any] = deque()

    def write(self, rows: pa.RecordBatch) -> None:
        """Write rows as far as they fill row groups; what their schema says is that of the file."""
        batch = pa.RecordBatch.from_arrays(rows.columns, schema=self._schema)
        sizes = np.cumsum(_sizes(batch))
        begin = before = 0
        while begin < batch.num_rows:
            room = min(GROUP_ROWS - self._rows, batch.num_rows - begin)
            # the row that fills the group is its last one
            left = self._group_bytes - self._bytes
            filled = int(np.searchsorted(sizes, before + left)) + 1 - begin
            count = min(room, filled)
            self._waiting.append(batch.slice(begin, count))
            self._rows += count
            self._bytes += int(sizes[begin + count - 1]) - before
            begin += count
            before = int(sizes[begin - 1])
            if self._rows >= GROUP_ROWS or self._bytes >= self._group_bytes:
                self._write_group()

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._waiting, self._schema)
        with suppress(pa.ArrowNotImplementedError):  # a few types cannot be put together
            table = table.combine_chunks()  # where chunks end decides where pages end
        self._waiting, self._rows, self._bytes = [], 0, 0
        self._given += 1
        if self._ahead:
            self._on_the_way.append(self._crew.give(table))
            self._settle(self._ahead)
        else:
            self._groups.add(self._packed(table))

    def _packed(self, table: pa.Table) -> pa.Buffer:
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(sink, self._schema, compression=self._codec) as writer:
            if table.num_rows:
                writer.write_table(table, row_group_size=GROUP_ROWS)
        return sink.getvalue()

    def _settle(self, most: int) -> None:
        while len(self._on_the_way) > most:
            self._groups.add(self._on_the_way.popleft().result())

    def close(self) -> None:
        """Write the last rows and the end of the file, which stays open."""
        try:
            if self._waiting or not self._given:
                self._write_group()
            self._settle(0)
            self._groups.close()
        finally:
            self._crew.close()


class ParquetSink:
    """Writes rows of any source under a schema; ``names`` are those of the fields, in its order."""

    def __init__(
        self, file: IO[bytes], names: Sequence[str], schema: pa.Schema, threads: int = 1
    ) -> None:
        self._names, self._schema = names, schema
        self._file = ParquetRows(file, schema, "snappy", threads=threads)

    def write(self, block: RowBlock) -> None:
        """Write all rows of the block."""
        self._file.write(batch_of(block, self._names, self._schema))

    def close(self) -> None:
        """End the file, which stays open."""
        self._file.close()


def _sizes(batch: pa.RecordBatch) -> Ints:
    """About how many bytes each row has, whatever rows are beside it."""
    sizes = np.full(batch.num_rows, _VALUE, np.int64)
    for column in batch.columns:
        sizes += _column_sizes(column)
    return sizes


def _column_sizes(column: pa.Array) -> Ints:
    if isinstance(column, pa.ExtensionArray):
        return _column_sizes(column.storage)
    kind = column.type
    if _has_views(kind):
        column, kind = column.cast(pa.large_binary()), pa.large_binary()
    if _has_bytes(kind):
        lengths = pc.fill_null(pc.binary_length(column), 0)
        return np.asarray(lengths, dtype=np.int64) + _VALUE
    sizes = np.full(len(column), _VALUE, np.int64)
    if pa.types.is_struct(kind):
        for field in column.flatten():
            sizes += _column_sizes(field)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        values = (column.keys, column.items) if pa.types.is_map(kind) else (column.values,)
        for items in values:
            ends = np.append(0, np.cumsum(_column_sizes(items)))
            sizes += np.diff(ends[np.asarray(column.offsets)])
    return sizes


def _has_bytes(kind: pa.DataType) -> bool:
    types = pa.types
    is_text = types.is_string(kind) or types.is_large_string(kind)
    return bool(is_text or types.is_binary(kind) or types.is_large_binary(kind))


def _has_views(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))
