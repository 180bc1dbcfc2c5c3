"""What every kind of data in memory offers, and how its documents become batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import TwinsetError, nearest, some_of
from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.batches import (
    check_schema,
    column_batch,
    holds_text,
    kind_of_column,
    pick,
)
from twinset.reading.source import ReadJob

NAME = "memory"
"""The source of documents that come from one collection."""
ROWS = 1 << 14
"""How many documents are converted at a time."""
FEW = 100
Mask = NDArray[np.bool_]


class MemoryData(ABC):
    """What a program hands over: one collection, or several by name.

    A kind of data is one such class and one entry of `KINDS`.
    """

    def __init__(self, data: Any) -> None:
        self.data = data

    @classmethod
    @abstractmethod
    def takes(cls, data: Any) -> bool:
        """Whether the data is of this kind; no library is imported to find out."""

    @abstractmethod
    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where there are no texts to read or, with ``strict``, a named field is missing."""

    @abstractmethod
    def parts(self) -> dict[str, MemoryKind]:
        """The collections, by name."""

    @abstractmethod
    def joined(self, parts: dict[str, Any]) -> Any:
        """What was selected of each part, together."""


class MemoryKind(MemoryData):
    """One collection; its documents are its rows, so that a mask of documents is one of rows."""

    @abstractmethod
    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """The documents from the beginning, any number of times."""

    @abstractmethod
    def select(self, mask: Mask) -> Any:
        """The rows of the mask, in the type of the data and with all that belongs to them."""

    def parts(self) -> dict[str, MemoryKind]:
        """The collection itself."""
        return {NAME: self}

    def joined(self, parts: dict[str, Any]) -> Any:
        """What was selected of the collection."""
        return parts[NAME]


class MemoryTable(MemoryKind):
    """Data with named columns, of which only those that are needed are converted to Arrow."""

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of all columns."""

    @abstractmethod
    def arrow(self, names: list[str], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """These columns from the beginning, so many rows at a time."""

    def check(self, options: ReadOptions, strict: bool) -> None:
        """Raise where there is no such column, or one that holds no text."""
        names = self.columns()
        first = next(iter(self.arrow(needed(names, options), FEW)), None)
        if names or (first is not None and first.num_rows):
            check_names(names, options, strict)
        if first is None or not first.num_rows:
            return
        column = pick(first, options.text)
        if column is None:
            top = options.text.partition(".")[0]
            no_column(options.text, _fields(top, pick(first, top)), "text", options.text)
        if not holds_text(column.type) and not pa.types.is_null(column.type):
            no_texts(kind_of_column(column.type), options.text, _text_columns(self, names, options))

    def batches(self, job: ReadJob) -> Iterator[Batch]:
        """A batch for each piece of the table."""
        names, row = needed(self.columns(), job.options), 1
        schema = None
        for table in self.arrow(names):
            if not table.num_rows:
                continue
            if table.schema != schema:
                schema = table.schema
                check_schema(job, schema)
            yield column_batch(job, table, row)
            row += table.num_rows


def needed(names: Sequence[str], options: ReadOptions) -> list[str]:
    """The columns to read: a name with dots in it, or the top of a nested one."""
    fields = (options.id, options.text, options.order or options.text)
    tops = [field if field in names else field.partition(".")[0] for field in fields]
    return [name for name in dict.fromkeys(tops) if name in names]


def check_names(names: Sequence[str], options: ReadOptions, strict: bool) -> None:
    """Raise where a column is missing; the id may be, unless it was named."""
    if not needed(names, _only(options.text)):
        no_column(options.text, names, "text", options.text)
    if not strict:
        return
    if options.id != ReadOptions().id and not needed(names, _only(options.id)):
        no_column(options.id, names, "id", options.id)
    if options.order and not needed(names, _only(options.order)):
        no_column(options.order, names, "keep", f"{options.order}:max")


def _only(field: str) -> ReadOptions:
    return ReadOptions(id=field, text=field)


def no_column(
    name: str, names: Sequence[str], option: str, value: str, *, of_dicts: bool = False
) -> NoReturn:
    """Raise for a column that is missing, with the nearest of those that are there."""
    others = [known for known in names if known != ReadOptions().id]
    meant = nearest(name, names)
    if meant is None and len(others) == 1:
        meant = others[0]
    if meant is not None:
        remedy = f"did you mean {option}={value.replace(name, meant)!r}?"
    else:
        remedy = f"name it with {option}=..."
    have = some_of(names)
    fault = f"the table has no column '{name}' (it has {have})"
    if of_dicts:
        fault = f"no dict has a field '{name}' (they have {have})"
    raise TwinsetError(f"{fault}; {remedy}")


def no_texts(holds: str, name: str, others: Sequence[str] = ()) -> NoReturn:
    """Raise for a column, or an array without a name, that holds something else than texts."""
    what = f"the column '{name}'" if name else "the array"
    remedy = "name a column of strings with text=..." if name else "give one of strings"
    if others:
        remedy = f"did you mean text={others[0]!r}?"
    raise TwinsetError(f"{what} holds {holds}, not text; {remedy}")


def _fields(top: str, column: pa.Array | None) -> list[str]:
    """The names of the fields inside a column."""
    if column is None or not pa.types.is_struct(column.type):
        return [top]
    return [f"{top}.{field.name}" for field in column.type]


def _text_columns(table: MemoryTable, names: list[str], options: ReadOptions) -> list[str]:
    """Other columns that hold texts; those that do not convert to Arrow are passed over."""
    others = []
    for name in names:
        if name in (options.text, options.id):
            continue
        try:
            first = next(iter(table.arrow([name], FEW)), None)
        except (pa.ArrowException, TypeError, ValueError):
            continue
        if first is not None and (column := pick(first, name)) is not None:
            others += [name] if holds_text(column.type) else []
    return others


def no_fields(options: ReadOptions, what: str) -> None:
    """Raise where the options name a field of data that has none; those of texts may be named."""
    if options.order:
        raise TwinsetError(
            f"keep='{options.order}:...' needs a field, and {what} has none; give dicts or a table"
        )


def is_of(data: Any, library: str, *names: str) -> bool:
    """Whether the data is of one of these classes of a library, or of one derived from them."""
    return any(
        cls.__name__ in names and cls.__module__.split(".")[0].lstrip("_") == library
        for cls in type(data).__mro__
    )


def type_name(value: Any) -> str:
    """The type of a value, as a message calls it."""
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def changed(count: int, mask: Mask) -> TwinsetError:
    """The fault of data that has more or fewer rows than when it was read."""
    return TwinsetError(
        f"the data has {count:,} rows now and had {len(mask):,} when it was read; run again"
    )
