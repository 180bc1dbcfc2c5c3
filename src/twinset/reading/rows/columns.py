"""Rows as columns of given types: the other way round than `arrow`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from twinset.reading.arrays import strings
from twinset.reading.encoding import without_surrogates
from twinset.reading.rows.arrow import values_of
from twinset.reading.rows.block import RowBlock, TableRows
from twinset.reading.rows.record import TRUE, UNHELD, Value, Verbatim, distinct, parsed


def batch_of(block: RowBlock, names: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    """The rows of a block as columns; ``names`` are those of the fields, in the schema's order."""
    if isinstance(block, TableRows):
        arrays = _of_table(block, names, schema)
    else:
        records = [record or {} for record in block.records()]
        columns = ([record.get(name) for record in records] for name in names)
        arrays = [
            column_of(values, column.type) for values, column in zip(columns, schema, strict=True)
        ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _of_table(block: TableRows, names: Sequence[str], schema: pa.Schema) -> list[pa.Array]:
    own = distinct(block.table.schema.names)
    columns = dict(zip(own, block.table.columns, strict=True))
    arrays = []
    for name, column in zip(names, schema, strict=True):
        array = columns.get(name)
        if array is None:
            arrays.append(pa.nulls(len(block), column.type))
        elif array.type == column.type:
            arrays.append(array)
        elif _is_number(array.type) and _is_number(column.type):
            arrays.append(array.cast(column.type))
        else:
            arrays.append(column_of(values_of(array, name in block.texts), column.type))
    return arrays


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def column_of(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    """Values of rows as a column."""
    if pa.types.is_string(kind):
        return strings(values, kind)
    if pa.types.is_boolean(kind):
        return pa.array([None if v is None else v == TRUE for v in values], kind)
    if pa.types.is_integer(kind):
        return pa.array([None if v is None else int(v) for v in values], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if v is None else float(v) for v in values], kind)
    return pa.array([None if v is None else held(parsed(v), kind) for v in values], kind)


def held(value: Any, kind: pa.DataType) -> Any:
    """A parsed value as one of the type: what is text there, and none itself, is JSON."""
    if value is None:
        return None
    if pa.types.is_string(kind):
        return without_surrogates(value if isinstance(value, str) else _dumped(value))
    if pa.types.is_list(kind):
        return [held(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        fields = {without_surrogates(key): item for key, item in value.items()}
        return {f.name: held(fields.get(f.name), f.type) for f in kind}
    if pa.types.is_boolean(kind):
        return value
    return int(value) if pa.types.is_integer(kind) else float(value)


def _dumped(value: Any) -> str:
    """A parsed value as JSON, with its numbers as they were written."""
    if isinstance(value, dict):
        pairs = (f"{_dumped(key)}:{_dumped(item)}" for key, item in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_dumped, value))}]"
    if isinstance(value, Verbatim):
        return "null" if value in UNHELD else value
    text = json.dumps(value, ensure_ascii=False)
    return text if without_surrogates(text) == text else json.dumps(value)
