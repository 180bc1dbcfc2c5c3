"""Arrow: tables, batches, readers, arrays, datasets of files, and whatever offers a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.arrays import filtered
from twinset.reading.batches import columns_batch, flat, holds_text, kind_of_column
from twinset.reading.memory.kind import (
    ROWS,
    Mask,
    MemoryKind,
    MemoryTable,
    changed,
    is_of,
    no_fields,
    no_texts,
)
from twinset.reading.source import ReadJob


class ArrowTable(MemoryTable):
    """A table or a batch; ``table`` has the rows, which others have to fetch first."""

    def __init__(self, data: Any, table: Any = None) -> None:
        super().__init__(data)
        self.table = data if table is None else table

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pyarrow.Table` and `pyarrow.RecordBatch`."""
        return isinstance(data, pa.Table | pa.RecordBatch)

    def columns(self) -> list[str]:
        """Those of the schema; one that is there twice cannot be read by its name."""
        names: list[str] = self.table.schema.names
        return names

    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Slices, which copy nothing."""
        if repeated := [name for name in names if self.columns().count(name) > 1]:
            raise TwinsetError(
                f"the table has several columns '{repeated[0]}'; rename all but one of them"
            )
        table = self.table.select(names)
        if isinstance(table, pa.Table):
            yield from table.to_batches(max_chunksize=rows)
            return
        for first in range(0, table.num_rows, rows):
            yield table.slice(first, rows)

    def select(self, mask: Mask) -> Any:
        """The same, with the schema and its metadata."""
        if self.table.num_rows != len(mask):
            raise changed(self.table.num_rows, mask)
        return filtered(self.table, mask)


class ArrowReader(ArrowTable):
    """A reader, which runs only once: its rows are kept, and what is selected is a reader again."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, data.read_all())

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pyarrow.RecordBatchReader`."""
        return isinstance(data, pa.RecordBatchReader)

    def select(self, mask: Mask) -> Any:
        """A new reader."""
        return super().select(mask).to_reader()


class ArrowStream(ArrowTable):
    """Any other object that offers Arrow data; what is selected is a `pyarrow.Table`."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, pa.RecordBatchReader.from_stream(data).read_all())

    @classmethod
    def takes(cls, data: Any) -> bool:
        """What has the method of Arrow's stream interface."""
        return hasattr(data, "__arrow_c_stream__")


class ArrowDataset(MemoryTable):
    """Files that Arrow scans, with the columns that are needed.

    What is selected is a dataset in memory.
    """

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pyarrow.dataset.Dataset`."""
        return is_of(data, "pyarrow", "Dataset")

    def columns(self) -> list[str]:
        """Those of the schema of the dataset."""
        names: list[str] = self.data.schema.names
        return names

    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """A scan, which yields rows in the order of the files."""
        yield from self.data.to_batches(columns=names, batch_size=rows)

    def select(self, mask: Mask) -> Any:
        """A second scan, of which only the selected rows are held."""
        from pyarrow.dataset import dataset

        selected, first = [], 0
        for batch in self.data.to_batches(batch_size=ROWS):
            selected.append(filtered(batch, mask[first : first + batch.num_rows]))
            first += batch.num_rows
            if first > len(mask):
                break
        if first != len(mask):
            raise changed(first, mask)
        return dataset(pa.Table.from_batches(selected, self.data.schema))


class TextArray(MemoryKind):
    """An array of texts without ids; the base of other libraries' series."""

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pyarrow.Array` and `pyarrow.ChunkedArray`."""
        return isinstance(data, pa.Array | pa.ChunkedArray)

    def slices(self, rows: int = ROWS) -> Iterator[pa.Array]:
        """The texts, so many at a time."""
        chunks = self.data.chunks if isinstance(self.data, pa.ChunkedArray) else [self.data]
        for chunk in chunks:
            for first in range(0, len(chunk), rows):
                yield chunk.slice(first, rows)

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where the array does not hold texts."""
        for piece in self.slices(1):
            kind = flat(piece).type
            if not holds_text(kind) and not pa.types.is_null(kind):
                no_texts(kind_of_column(kind), "")
            break
        if strict:
            no_fields(options, "an array of texts")

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for each slice."""
        first = 1
        for piece in self.slices():
            places = np.arange(first, first + len(piece), dtype=np.int64)
            yield columns_batch(job, flat(piece), None, None, places)
            first += len(piece)

    def select(self, mask: Mask) -> Any:
        """An array of the same kind."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        return filtered(self.data, mask)
