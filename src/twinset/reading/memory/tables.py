"""Data with named columns, and columns of texts alone, as Arrow has them or is given them."""

from __future__ import annotations

import uuid
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
    needed,
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
    no_column,
    no_fields,
    no_texts,
)
from twinset.reading.source import ReadJob
from twinset.text.encoding import HALF


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
    if is_of(rows, "polars", "DataFrame", "Series"):
        return rows.filter(mask)
    is_indexed = is_of(rows, "pandas", "Series") or is_of(rows, "numpy", "ndarray")
    return rows[mask] if is_indexed else filtered(rows, mask)


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


class PandasFrame(MemoryTable):
    """A frame. Without a column of ids the labels of its index are the ids, where they can be."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._names = [str(name) for name in data.columns]

    def columns(self) -> list[str]:
        labels = [] if self.data.index.name is None else [str(self.data.index.name)]
        labels += [ReadOptions().id] if can_be_ids(self.data.index) else []
        return [
            *self._names,
            *(label for label in dict.fromkeys(labels) if label not in self._names),
        ]

    def arrow(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        for first in range(0, len(self.data), ROWS):
            part = self.data.iloc[first : first + ROWS]
            columns = [
                part.iloc[:, self._names.index(name)] if name in self._names else part.index
                for name in names
            ]
            yield pa.RecordBatch.from_arrays([_arrow_of(column) for column in columns], names)

    def select(self, mask: Mask) -> Any:
        ensure_unchanged(len(self.data), mask)
        return self.data.loc[mask]


def can_be_ids(index: Any) -> bool:
    """Whether labels of pandas are texts, whole numbers or UUIDs that are all different."""
    if is_of(index, "pandas", "MultiIndex") or not index.is_unique:
        return False
    if is_of(index, "pandas", "RangeIndex") and (index.start, index.step) == (0, 1):
        return False  # as documents without an id are called
    is_mixed = index.inferred_type == "mixed"
    return index.inferred_type in ("string", "integer") or (
        is_mixed and all(isinstance(label, uuid.UUID) for label in index)
    )


def _arrow_of(values: Any) -> pa.Array:
    """A column of pandas, or a list of what NumPy holds; raises where Arrow has no type for it."""
    try:
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        raise TwinsetError(f"a text holds {HALF}") from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


class TextArray(MemoryKind):
    """A column of texts: of Arrow, a series of Polars or pandas, an array of NumPy.

    The ids of a series of pandas are the labels of its index, where they can be; others have none.
    """

    def __init__(self, data: Any) -> None:
        self.data, self._ids, texts = data, None, data
        if is_of(data, "numpy", "ndarray"):
            texts = _arrow_of(data.tolist())
        elif is_of(data, "pandas", "Series"):
            texts = _arrow_of(data)
            self._ids = flat(_arrow_of(data.index)) if can_be_ids(data.index) else None
        self._chunks = pa.chunked_array([texts] if isinstance(texts, pa.Array) else texts)

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
                ids = None if self._ids is None else self._ids.slice(first - 1, len(piece))
                yield columns_batch(job, piece, ids, None, places)
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
    """A streamed set, which is collected once; what is selected is a stream again."""

    def __init__(self, data: Any) -> None:
        from datasets import Dataset

        self._format = getattr(data, "_formatting", None)
        tables = list(data.with_format("arrow").iter(batch_size=ROWS))
        table = pa.concat_tables(tables) if tables else pa.table({})
        super().__init__(Dataset(table, info=data.info, split=data.split))

    def select(self, mask: Mask) -> Any:
        from datasets import IterableDataset

        chosen = super().select(mask)
        stream = IterableDataset.from_generator(
            chosen.__iter__, features=chosen.features, split=chosen.split or "train"
        )
        return stream if self._format is None else stream.with_format(self._format.format_type)
