"""Columns of Arrow as Spark spells them, and lists of keys, which it takes for signed numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from twinset.model import FeatureLists, Ragged

_NAMES = {
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.binary(): "binary",
}


_KINDS = {name: kind for kind, name in reversed(_NAMES.items())}


def arrow_schema(frame: Any) -> pa.Schema:
    """The columns of a frame as Arrow has them."""
    return pa.schema([(c.name, _kind(c.dataType.simpleString())) for c in frame.schema])


def _kind(name: str) -> pa.DataType:
    inner = name.removeprefix("array<")
    return pa.list_(_kind(inner[:-1])) if inner != name else _KINDS[name]


def spelt(schema: pa.Schema) -> str:
    """The columns with their types, as ``mapInArrow`` takes them."""
    return ", ".join(f"`{field.name}` {_spelt(field.type)}" for field in schema)


def _spelt(kind: pa.DataType) -> str:
    return f"array<{_spelt(kind.value_type)}>" if pa.types.is_list(kind) else _NAMES[kind]


def as_lists(lists: FeatureLists) -> pa.Array:
    """Lists of keys as a column."""
    offsets = (lists.offsets - lists.offsets[0]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(lists.flat.view(np.int64)))


def from_lists(column: pa.Array) -> FeatureLists:
    """A column of lists of keys; null is a list without any."""
    column = column.fill_null([]) if column.null_count else column
    values = np.asarray(column.values).view(np.uint64)
    return Ragged(values, np.asarray(column.offsets).astype(np.int64))
