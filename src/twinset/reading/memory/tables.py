"""Data with named columns, and columns of texts alone: by Arrow's stream, or as a library scans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.arrays import filtered
from twinset.reading.batches import (
    check_schema,
    column_batch,
    columns_batch,
    flat,
    holds_text,
    kind_of_column,
    pick,
)
from twinset.reading.memory.kind import (
    ROWS,
    SAMPLE,
    Mask,
    MemoryKind,
    check_names,
    ensure_unchanged,
    is_of,
    needed,
    no_column,
    no_fields,
    no_texts,
)
from twinset.reading.source import ReadJob


class MemoryTable(MemoryKind):
    """Data with named columns, of which only those that are needed are converted."""

    def __init__(self, data: Any) -> None:
        self.data = data

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of all columns."""

    @abstractmethod
    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        """These columns from the beginning."""

    def check(self, options: ReadOptions, strict: bool) -> None:
        names = self.columns()
        if not names:
            return
        check_names(names, options, strict)
        first = next(iter(self.arrow(needed(names, options))), None)
        if first is None or not first.num_rows:
            return
        column = pick(first, options.text)
        if column is None:
            top = options.text.partition(".")[0]
            kind = first.schema.field(top).type
            inside = [f"{top}.{field.name}" for field in kind] if pa.types.is_struct(kind) else []
            no_column(options.text, inside or [top], "text", options.text)
        if not _is_text(column):
            others = [name for name in names if name not in (options.text, options.id)]
            meant = [name for name in others if self._holds_text(name)]
            no_texts(kind_of_column(column.type), options.text, meant)

    def _holds_text(self, name: str) -> bool:
        try:
            first = next(iter(self.arrow([name])))
        except (pa.ArrowException, TypeError, ValueError, StopIteration):
            return False  # what does not convert is passed over
        return holds_text(flat(first.column(0)).type)

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many rows."""
        row, schema = 1, None
        for whole in self.arrow(needed(self.columns(), job.options)):
            if whole.num_rows and whole.schema != schema:
                schema = whole.schema
                check_schema(job, schema)
            for first in range(0, whole.num_rows, ROWS):
                yield column_batch(job, whole.slice(first, ROWS), row + first)
            row += whole.num_rows


def _is_text(column: pa.Array) -> bool:
    return holds_text(column.type) or pa.types.is_null(column.type)


class StreamTable(MemoryTable):
    """Rows that can be chosen and filtered by their library, and offer Arrow's stream.

    ``rows`` are fetched once where the data is a question; ``again`` makes of selected rows what
    was handed over.
    """

    def __init__(self, data: Any, rows: Any, again: Callable[[Any], Any] | None = None) -> None:
        super().__init__(data)
        self.rows, self._again = rows, again

    def columns(self) -> list[str]:
        return list(pa.RecordBatchReader.from_stream(self.rows).schema.names)

    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        yield from pa.RecordBatchReader.from_stream(self.rows.select(names))

    def select(self, mask: Mask) -> Any:
        ensure_unchanged(len(self.rows), mask)
        selected = _filtered(self.rows, mask)
        return selected if self._again is None else self._again(selected)


def _filtered(rows: Any, mask: Mask) -> Any:
    is_polars = is_of(rows, "polars", "DataFrame", "Series")
    return rows.filter(mask) if is_polars else filtered(rows, mask)


def frame_of(data: Any) -> StreamTable | None:
    """The rows of what offers Arrow's stream, or can be asked for them."""
    if isinstance(data, pa.Table | pa.RecordBatch) or is_of(data, "polars", "DataFrame"):
        return StreamTable(data, data)
    if isinstance(data, pa.RecordBatchReader):  # runs only once: a new one is made
        return StreamTable(data, data.read_all(), lambda rows: rows.to_reader())
    if is_of(data, "polars", "LazyFrame"):
        return StreamTable(data, data.collect(), lambda rows: rows.lazy())
    if is_of(data, "duckdb", "DuckDBPyRelation"):
        return StreamTable(data, data.to_arrow_table(), lambda rows: _relation(data, rows))
    if hasattr(data, "__arrow_c_stream__"):
        return StreamTable(data, pa.RecordBatchReader.from_stream(data).read_all())
    return None


def _relation(data: Any, twinset_rows: pa.Table) -> Any:
    """A relation over fetched rows, of the same types: a second query might order them otherwise.

    DuckDB finds the rows by their name here, and holds them.
    """
    relation = data.query("twinset_read_rows", "SELECT * FROM twinset_rows")
    quoted = ['"' + name.replace('"', '""') + '"' for name in data.columns]
    casts = [f"CAST({n} AS {kind}) AS {n}" for n, kind in zip(quoted, data.types, strict=True)]
    return relation.project(", ".join(casts))


class ArrowDataset(MemoryTable):
    """Files that Arrow scans; what is selected is a dataset in memory."""

    def columns(self) -> list[str]:
        return list(self.data.schema.names)

    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        yield from self.data.to_batches(columns=names, batch_size=ROWS)

    def select(self, mask: Mask) -> Any:
        from pyarrow.dataset import dataset

        selected, first = [], 0
        for batch in self.data.to_batches(batch_size=ROWS):
            ensure_unchanged(max(first + batch.num_rows, len(mask)), mask)
            selected.append(filtered(batch, mask[first : first + batch.num_rows]))
            first += batch.num_rows
        ensure_unchanged(first, mask)
        return dataset(pa.Table.from_batches(selected, self.data.schema))


class TextArray(MemoryKind):
    """A column of texts without ids: of Arrow, or a series of Polars."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._chunks = pa.chunked_array([data] if isinstance(data, pa.Array) else data)

    def check(self, options: ReadOptions, strict: bool) -> None:
        first = flat(self._chunks.slice(0, SAMPLE).combine_chunks())
        if not _is_text(first):
            no_texts(kind_of_column(first.type), "")
        if strict:
            no_fields(options, "an array of texts")

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        first = 1
        for chunk in self._chunks.chunks:
            for begin in range(0, len(chunk), ROWS):
                piece = flat(chunk.slice(begin, ROWS))
                places = np.arange(first, first + len(piece), dtype=np.int64)
                yield columns_batch(job, piece, None, None, places)
                first += len(piece)

    def select(self, mask: Mask) -> Any:
        ensure_unchanged(len(self.data), mask)
        return _filtered(self.data, mask)


class HuggingFaceDataset(MemoryTable):
    """A set of Hugging Face, whatever format it has; features, format and split are kept."""

    def columns(self) -> list[str]:
        return list(self.data.column_names)

    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        chosen = self.data.select_columns(names).with_format("arrow")
        for table in chosen.iter(batch_size=ROWS):
            yield from table.combine_chunks().to_batches()

    def select(self, mask: Mask) -> Any:
        ensure_unchanged(len(self.data), mask)
        return self.data.select(np.flatnonzero(mask))


class HuggingFaceStream(HuggingFaceDataset):
    """A streamed set, which is read anew in every pass; what is selected is a stream again."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._columns: list[str] | None = None
        self._first: dict[tuple[str, ...], str] = {}

    def columns(self) -> list[str]:
        """Those of its features or, where they are not known, of its first row."""
        if self._columns is None:
            names = self.data.column_names
            self._columns = list(next(iter(self.data.take(1)), {}) if names is None else names)
        return self._columns

    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow; they must begin as they did when they were looked at first."""
        begin = ""
        for table in super().arrow(names):
            begin = begin or self._begun(names, repr(table.slice(0, 1).to_pylist()))
            yield table
        if not begin:
            self._begun(names, "")

    def _begun(self, names: list[str], first: str) -> str:
        if self._first.setdefault(tuple(names), first) != first:
            raise TwinsetError(
                "this IterableDataset gives other rows when it is read again; collect it first, as "
                "a Dataset or a list"
            )
        return first

    def select(self, mask: Mask) -> Any:
        from datasets import IterableDataset

        data, format = self.data, getattr(self.data, "_formatting", None)
        stream = IterableDataset.from_generator(
            selected_rows,
            features=data.features,
            gen_kwargs={"data": data.with_format(None), "mask": mask},
            **({} if data.split is None else {"split": data.split}),
        )
        return stream.with_format(format.format_type) if format is not None else stream


def selected_rows(data: Any, mask: Mask) -> Iterator[Any]:
    """The rows of the mask; the data must still have as many as when they were read."""
    count = 0
    for row in data:
        if count < len(mask) and mask[count]:
            yield row
        count += 1
    ensure_unchanged(count, mask)
