"""pandas: frames and series, converted column by column; columns that are not needed may be odd."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.errors import TwinsetError
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import columns_batch, flat, holds_text, kind_of_column, pick
from twinset.reading.memory.kind import (
    FEW,
    ROWS,
    Mask,
    MemoryKind,
    changed,
    check_names,
    is_of,
    no_column,
    no_fields,
    no_texts,
    type_name,
)
from twinset.reading.memory.values import field_of, ids_of, is_missing, orders_of, texts_of
from twinset.reading.source import ReadJob

_UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError)


@dataclass(frozen=True)
class PandasColumn:
    """A column or an index, or a field inside the objects of a column."""

    values: Any
    field: str = ""

    @property
    def has_objects(self) -> bool:
        """Whether its values are any Python objects, of which Arrow may refuse some."""
        return bool(self.values.dtype == object)

    def piece(self, first: int, last: int) -> list[Any]:
        """Some of the values, as Python objects."""
        values = self._slice(first, last).tolist()
        return [field_of(value, self.field) for value in values] if self.field else values

    def arrow(self, first: int, last: int) -> pa.Array | None:
        """Some of the values as Arrow; None where they do not convert."""
        if self.field and self.has_objects:
            return None  # only the field need convert
        part = self._slice(first, last)
        try:
            array = pa.array(part, from_pandas=True)
        except _UNFIT:
            return None
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if not self.field:
            return flat(array)
        return pick(pa.RecordBatch.from_arrays([array], ["top"]), f"top.{self.field}")

    def _slice(self, first: int, last: int) -> Any:
        values = self.values
        part = values.iloc[first:last] if hasattr(values, "iloc") else values[first:last]
        if str(part.dtype) == "category":  # or every piece would convert all categories
            return part.astype(_accessor(part).categories.dtype)
        return part

    def ensure_texts(self, name: str, others: list[str]) -> None:
        """Raise where no value is a text; among objects, those that are none become faults."""
        if not len(self.values):
            return
        if not self.has_objects:
            array = self.arrow(0, FEW)
            kind = pa.null() if array is None else array.type
            if array is None or not (holds_text(kind) or pa.types.is_null(kind)):
                held = str(self.values.dtype) if array is None else kind_of_column(kind)
                no_texts(held, name, others)
            return
        other = None
        for first in range(0, len(self.values), ROWS):
            for value in self.piece(first, first + ROWS):
                if isinstance(value, str | bytes):
                    return
                other = value if other is None and not is_missing(value) else other
        if other is not None:
            no_texts(f"values of the type {type_name(other)}", name, others)
        if self.field and (keys := self._keys()):
            top = name[: -len(self.field)]
            no_column(name, [f"{top}{key}" for key in keys if key != self.field], "text", name)

    def _keys(self) -> list[str]:
        """The fields of the first objects."""
        records = self._slice(0, FEW).tolist()
        keys = (key for record in records if isinstance(record, Mapping) for key in record)
        return [str(key) for key in dict.fromkeys(keys)]


class PandasSeries(MemoryKind):
    """A series of texts. The labels of its index are the ids, where they can be."""

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pandas.Series`."""
        return is_of(data, "pandas", "Series")

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where the series does not hold texts."""
        PandasColumn(self.data).ensure_texts("", [])
        if strict:
            no_fields(options, "a series")

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many rows."""
        text, id = PandasColumn(self.data), labels(self.data.index)
        yield from _batches(job, len(self.data), text, id, None)

    def select(self, mask: Mask) -> Any:
        """The same columns, types, labels and attributes."""
        if len(self.data) != len(mask):
            raise changed(len(self.data), mask)
        return self.data.loc[mask]


class PandasFrame(PandasSeries):
    """A frame. Without a column of ids the labels of its index are the ids, where they can be."""

    @classmethod
    def takes(cls, data: Any) -> bool:
        """`pandas.DataFrame`."""
        return is_of(data, "pandas", "DataFrame")

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where there is no such column, or one that holds no text."""
        names = [str(name) for name in self.data.columns]
        if not names and not len(self.data):
            return
        named = [options.id] if self.data.index.name == options.id else []
        check_names([*names, *named], options, strict)
        for name in (options.id, options.order or options.id):
            self._column(name)
        text = self._column(options.text)
        if text is not None:
            others = [name for name in names if name != options.text and self._has_texts(name)]
            text.ensure_texts(options.text, others)

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for so many rows."""
        options, index = job.options, self.data.index
        id = self._column(options.id)
        if id is None:
            id = PandasColumn(index) if index.name == options.id else labels(index)
        order = self._column(options.order) if options.order else None
        yield from _batches(job, len(self.data), self._column(options.text), id, order)

    def _column(self, dotted: str) -> PandasColumn | None:
        """The column of this name, or the field of objects."""
        name, field = dotted, ""
        places = self._places(name)
        if not places:
            name, _, field = dotted.partition(".")
            places = self._places(name) if field else []
        if len(places) > 1:
            raise TwinsetError(f"the frame has several columns '{name}'; rename all but one")
        return PandasColumn(self.data.iloc[:, places[0]], field) if places else None

    def _places(self, name: str) -> list[int]:
        return [place for place, known in enumerate(self.data.columns) if str(known) == name]

    def _has_texts(self, name: str) -> bool:
        """Whether a column begins with texts."""
        if len(self._places(name)) > 1:
            return False
        column = self._column(name)
        values = [] if column is None else column.piece(0, FEW)
        return any(isinstance(value, str) for value in values)


def labels(index: Any) -> PandasColumn | None:
    """The index as ids: texts, whole numbers or UUIDs that are all different; else None."""
    if is_of(index, "pandas", "MultiIndex") or not index.is_unique:
        return None
    if is_of(index, "pandas", "RangeIndex") and (index.start, index.step) == (0, 1):
        return None  # as documents without an id are called
    inferred = index.inferred_type
    if inferred in ("string", "integer"):
        return PandasColumn(index)
    is_uuid = inferred == "mixed" and all(isinstance(label, uuid.UUID) for label in index)
    return PandasColumn(index) if is_uuid else None


def _batches(
    job: ReadJob,
    count: int,
    text: PandasColumn | None,
    id: PandasColumn | None,
    order: PandasColumn | None,
) -> Iterator[Batch]:
    absent = f"the column '{job.options.text}' holds no value"
    for first in range(0, count, ROWS):
        last = min(first + ROWS, count)
        texts = None if text is None else text.arrow(first, last)
        known = False
        if text is not None and text.has_objects and (texts is None or not _fits(texts)):
            texts = texts_of(job, text.piece(first, last), first + 1, absent)
            known = True
        ids = None if id is None else id.arrow(first, last)
        if id is not None and (ids is None or id.has_objects):
            ids = ids_of(job, id.piece(first, last), first + 1)
        orders = None if order is None else order.arrow(first, last)
        if order is not None and orders is None:
            orders = orders_of(job, order.piece(first, last), first + 1)
        places = np.arange(first + 1, last + 1, dtype=np.int64)
        yield columns_batch(job, texts, ids, orders, places, nulls_are_known=known)


def _fits(texts: pa.Array) -> bool:
    return holds_text(texts.type) or pa.types.is_null(texts.type)


def _accessor(values: Any) -> Any:
    return values.cat if hasattr(values, "cat") else values
