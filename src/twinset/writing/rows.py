"""Rows of documents as JSON lines, CSV or Parquet.

A row is what JSON can hold, or stands in an Arrow table. Where the fields of rows need columns, the
type of each is what Arrow finds for its values; where these do not agree it is text: texts as they
are, other values as JSON. Dates and times are texts by ISO 8601 outside of Parquet, binary data is
base64, and a decimal is a text with all its digits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

import numpy as np
import pyarrow as pa

from twinset.errors import ReadError
from twinset.model import Ints
from twinset.model import compute as pc
from twinset.model.outcomes import ADDED, Outcomes
from twinset.reading.arrays import filtered, strings, utf8_of
from twinset.reading.base import Row, distinct
from twinset.reading.batches import flat, holds_text
from twinset.text.encoding import decode
from twinset.writing.notes import (
    annotated_schema,
    annotated_table,
    cut_record,
    json_bytes,
    notes_of,
    plain,
)

Block = Any
"""Rows as dictionaries, or an Arrow table."""
MOST_COLUMNS = 4096
_MOST_INSIDE = 256
"""A type with more fields than these inside is a table of its own: its values stay JSON."""
_EXACT = 1 << 53
"""Every whole number up to here is a double."""
_IN_QUOTES = ("\n", "\r", "\ufeff")
_UNLIKE = (pa.ArrowException, OverflowError, ValueError, TypeError, RecursionError)


def taken(block: Block, mask: Any) -> Block:
    """The rows of a mask."""
    if isinstance(block, pa.RecordBatch):
        return filtered(block, mask)
    return [row for row, goes in zip(block, mask.tolist(), strict=True) if goes]


def annotated(block: Block, outcomes: Outcomes) -> Block:
    """Rows with what was decided on each; that of an earlier run is replaced."""
    if isinstance(block, pa.RecordBatch):
        return annotated_table(block, outcomes)
    return [
        {name: value for name, value in row.items() if name not in ADDED}
        | dict(zip(ADDED, note, strict=True))
        for row, note in zip(block, notes_of(outcomes), strict=True)
    ]


def cut(block: Block, outcomes: Outcomes, field: str) -> Block:
    """Rows without stretches of their texts."""
    changed = {} if outcomes.cuts is None else dict(outcomes.cuts.documents())
    if not isinstance(block, pa.RecordBatch):
        for row, stretches in changed.items():
            cut_record(block[row], field, stretches)
        return block
    name = field if field in block.schema.names else field.split(".")[0]
    rows = block.select([name]).to_pylist() if changed else []
    for row, stretches in changed.items():
        cut_record(rows[row], field, stretches)
    at = block.schema.get_field_index(name)
    values = pa.array([row[name] for row in rows], block.schema.field(at).type)
    return block.set_column(at, block.schema.field(at), values) if changed else block


def dicts(block: Block, texts: Sequence[str] = ()) -> Sequence[Row]:
    """Rows as JSON can hold them; ``texts`` names columns whose binary data is text."""
    if not isinstance(block, pa.RecordBatch):
        rows: Sequence[Row] = block
        return rows
    names = distinct(block.schema.names)
    if not names:
        return [{} for _ in range(block.num_rows)]
    columns = [values_of(c, n in texts) for n, c in zip(names, block.columns, strict=True)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def values_of(column: pa.Array, is_text: bool = False) -> list[Any]:
    """The values of a column as JSON can hold them."""
    column = flat(column)
    kind = column.type
    if holds_text(kind):
        raw = column.cast(pa.large_binary())
        if "binary" in str(kind) and not is_text:
            return [plain(value) for value in raw.to_pylist()]
        try:
            return list(raw.cast(pa.large_string()).to_pylist())
        except pa.ArrowInvalid:  # Parquet may hold bytes there that are not UTF-8
            return [None if value is None else decode(value).text for value in raw.to_pylist()]
    if pa.types.is_map(kind):
        return [None if v is None else plain(dict(v)) for v in column.to_pylist()]
    if pa.types.is_temporal(kind) and not pa.types.is_duration(kind):
        zone = "Z" if pa.types.is_timestamp(kind) and kind.tz is not None else ""
        if zone:
            column = column.cast(pa.timestamp(kind.unit))
        texts = column.cast(pa.string()).to_pylist()
        return [None if text is None else _instant(text) + zone for text in texts]
    return [plain(value) for value in column.to_pylist()]


def _instant(text: str) -> str:
    text = text.replace(" ", "T")
    return text.rstrip("0").rstrip(".") if "." in text else text


class Columns:
    """The fields of all rows with their types, in the order in which they were first met."""

    def __init__(self) -> None:
        self._types: dict[str, pa.DataType] = {}
        self._wide = set[str]()  # fields with whole numbers that no double holds
        self._shapes = set[pa.Schema | None]()

    def add(self, block: Block) -> None:
        """Look at some rows."""
        if isinstance(block, pa.RecordBatch):
            self.add_schema(block.schema)
            return
        self._shapes.add(None)
        for name in dict.fromkeys(name for row in block for name in row):
            values = [row.get(name) for row in block]
            if any(type(value) is int and abs(value) > _EXACT for value in values):
                self._wide.add(name)
            self._add(name, _type_of(values))

    def add_schema(self, schema: pa.Schema) -> None:
        """The columns of a table."""
        self._shapes.add(schema)
        for name, kind in zip(distinct(schema.names), schema.types, strict=True):
            self._add(name, kind)

    def _add(self, name: str, kind: pa.DataType) -> None:
        kind = _merged(self._types.get(name, pa.null()), kind)
        self._types[name] = pa.string() if kind == pa.float64() and name in self._wide else kind
        if len(self._types) > MOST_COLUMNS:
            detail = f"the documents have more than {MOST_COLUMNS:,} different fields, too many "
            raise ReadError("input", None, f"{detail}for columns; write them with --to jsonl")

    def schema(self, is_annotated: bool) -> pa.Schema:
        """The columns of a table that holds all rows."""
        kinds = self._types.items()
        if len(self._shapes) > 1:  # fields that some rows lack are null there
            kinds = {name: _unsized(kind) for name, kind in kinds}.items()
        fields = [
            # Parquet has no structs without fields
            pa.field(name, pa.string() if kind == pa.null() or "struct<>" in str(kind) else kind)
            for name, kind in kinds
        ]
        return annotated_schema(pa.schema(fields)) if is_annotated else pa.schema(fields)


def _type_of(values: Sequence[Any]) -> pa.DataType:
    if all(value is None or isinstance(value, str) for value in values):
        return pa.null() if set(values) == {None} else pa.string()
    try:
        return pa.array(values).type
    except _UNLIKE:
        return pa.string()


def _merged(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type that holds values of both; text where no other does."""
    if one == other or pa.types.is_null(other):
        return _bounded(one)
    if {one, other} == {pa.int64(), pa.uint64()}:
        return pa.string()
    try:
        schemas = [pa.schema([("x", kind)]) for kind in (one, other)]
        return _bounded(pa.unify_schemas(schemas, promote_options="permissive").field(0).type)
    except pa.ArrowException:
        return pa.string()


def _bounded(kind: pa.DataType) -> pa.DataType:
    """The same, or text where it has very many fields."""
    return pa.string() if _inside(kind) > _MOST_INSIDE else kind


def _unsized(kind: pa.DataType) -> pa.DataType:
    """The same with lists of any size: Arrow before 26 reads no null among those of a fixed one."""
    fields = [kind.field(at) for at in range(kind.num_fields)]
    fields = [field.with_type(_unsized(field.type)) for field in fields]
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    if pa.types.is_large_list(kind):
        return pa.large_list(fields[0])
    is_list = pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)
    return pa.list_(fields[0]) if is_list else kind


def _inside(kind: pa.DataType) -> int:
    return sum(1 + _inside(kind.field(at).type) for at in range(kind.num_fields))


def _as_table(block: Block, schema: pa.Schema, texts: Sequence[str]) -> pa.RecordBatch:
    """Rows under a schema that `Columns` has found for them."""
    if isinstance(block, pa.RecordBatch):
        own = dict(zip(distinct(block.schema.names), block.columns, strict=True))
        arrays = [
            pa.nulls(block.num_rows, field.type)
            if field.name not in own
            else _cast(own[field.name], field.type, field.name in texts)
            for field in schema
        ]
    else:
        arrays = [_array([row.get(field.name) for row in block], field) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(column: pa.Array, kind: pa.DataType, is_text: bool) -> pa.Array:
    if column.type == kind:
        return column
    if not pa.types.is_string(kind):
        with suppress(*_UNLIKE):
            return column.cast(kind)
    return _array(values_of(column, is_text), pa.field("", kind))


def _array(values: Sequence[Any], field: pa.Field) -> pa.Array:
    if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
        return strings(
            [v if v is None or isinstance(v, str) else _json(v) for v in values], field.type
        )
    try:
        return pa.array(values, field.type)
    except _UNLIKE:
        detail = f"the field '{field.name}' holds values that no column holds together"
        raise ReadError("input", None, f"{detail}; write the documents with --to jsonl") from None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class JsonLinesFile:
    """An object per line: missing fields stay missing, and nothing but UTF-8 is written."""

    def __init__(self, file: IO[bytes], texts: Sequence[str]) -> None:
        self._file, self._texts = file, texts

    def write(self, block: Block) -> None:
        """Write all rows."""
        self._file.write(b"".join(json_bytes(row) + b"\n" for row in dicts(block, self._texts)))

    def close(self) -> None:
        """Nothing is held back."""


class CsvFile:
    """The header and a line per row.

    A null is an empty field, an empty text is ``""``; what is neither text nor null is JSON.
    """

    def __init__(
        self,
        file: IO[bytes],
        names: Sequence[str],
        texts: Sequence[str],
        delimiter: str = ",",
        mark: bytes = b"",
    ) -> None:
        self._file, self._names, self._texts, self._delimiter = file, names, texts, delimiter
        file.write(mark)
        self._write([dict(zip(names, names, strict=True))])

    def write(self, block: Block) -> None:
        """Write all rows."""
        self._write(dicts(block, self._texts))

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._names:
            lines = (
                self._delimiter.join([self._cell(row.get(n)) for n in self._names]) for row in rows
            )
            # A line of one empty field would be a blank line, which is no row.
            self._file.write(utf8_of("".join([f"{line or chr(34) * 2}\n" for line in lines])))

    def _cell(self, value: Any) -> str:
        if value is None:
            return ""
        text = value if isinstance(value, str) else _json(value)
        if '"' in text:
            return '"' + text.replace('"', '""') + '"'
        is_odd = text == "" or self._delimiter in text or any(sign in text for sign in _IN_QUOTES)
        return f'"{text}"' if is_odd else text

    def close(self) -> None:
        """Nothing is held back."""


GROUP_BYTES, GROUP_ROWS = 16 << 20, 1 << 20
"""Where a row group of Parquet ends: the rows alone decide, so that no batch size shows."""
_VALUE = 8  # bytes that a value counts for, beside those of a text


class TableFile:
    """A Parquet file that takes rows."""

    def __init__(
        self, file: IO[bytes], schema: pa.Schema, texts: Sequence[str] = (), codec: str = "snappy"
    ) -> None:
        import pyarrow.parquet as pq

        self._schema, self._texts = schema, texts
        self._writer = pq.ParquetWriter(file, schema, compression=codec)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, block: Block) -> None:
        """Write rows as far as they fill row groups."""
        batch = _as_table(block, self._schema, self._texts)
        sizes = np.cumsum(sum(map(_sizes, batch.columns), np.full(batch.num_rows, _VALUE)))
        begin = before = 0
        while begin < batch.num_rows:
            # the row that fills the group is its last one
            left = GROUP_BYTES - self._bytes
            filled = int(np.searchsorted(sizes, before + left)) + 1 - begin
            count = min(GROUP_ROWS - self._rows, batch.num_rows - begin, filled)
            self._waiting.append(batch.slice(begin, count))
            self._rows += count
            self._bytes += int(sizes[begin + count - 1]) - before
            begin += count
            before = int(sizes[begin - 1])
            if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
                self._write_group()

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._waiting, self._schema)
        with suppress(pa.ArrowNotImplementedError):  # a few types cannot be put together
            table = table.combine_chunks()  # where chunks end decides where pages end
        self._waiting, self._rows, self._bytes = [], 0, 0
        self._writer.write_table(table, row_group_size=GROUP_ROWS)

    def close(self) -> None:
        """Write the last rows and the end of the file, which stays open."""
        if self._waiting:
            self._write_group()
        self._writer.close()


def _sizes(column: pa.Array) -> Ints:
    """About how many bytes each value has, whatever values are beside it."""
    if isinstance(column, pa.ExtensionArray):
        return _sizes(column.storage)
    kind = column.type
    if holds_text(kind):
        lengths = pc.fill_null(pc.binary_length(column.cast(pa.large_binary())), 0)
        return np.asarray(lengths, dtype=np.int64) + _VALUE
    sizes = np.full(len(column), _VALUE, np.int64)
    if pa.types.is_struct(kind):
        return sum(map(_sizes, column.flatten()), sizes)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        for items in (column.keys, column.items) if pa.types.is_map(kind) else (column.values,):
            ends = np.append(0, np.cumsum(_sizes(items)))
            sizes += np.diff(ends[np.asarray(column.offsets)])
    return sizes
