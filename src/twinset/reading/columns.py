"""Arrow columns to batches: fields by dotted name, other string types, numbers as ids."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.model import Batch, Floats, Ints
from twinset.reading.encoding import decode
from twinset.reading.rows import cleaned, no_floats, number, replaced
from twinset.reading.source import Job


def column_batch(job: Job, table: pa.RecordBatch, first_row: int) -> Batch:
    """The documents of an Arrow batch whose first row has this number in its source."""
    places = np.arange(first_row, first_row + table.num_rows, dtype=np.int64)
    texts = _texts(job, pick(table, job.options.text), places)
    order = _order(pick(table, job.options.order), len(places)) if job.options.order else None
    ids = _ids(job, pick(table, job.options.id), places)
    plain = cleaned(job, texts)
    faults, counts = job.faults.take(), job.take_counts()
    return Batch(ids, plain, job.source.name, places, order, faults, counts)


def check_schema(job: Job, schema: pa.Schema) -> None:
    """Tell once, not batch by batch, when a column is missing or of a type that will not do."""
    empty = pa.RecordBatch.from_pylist([], schema)
    text, id = pick(empty, job.options.text), pick(empty, job.options.id)
    if text is None:
        have = ", ".join(schema.names)
        job.faults.add(None, "missing", f"there is no column '{job.options.text}' (it has {have})")
    elif not _holds_text(text.type) and not pa.types.is_null(text.type):
        job.faults.add(None, "type", f"the column '{job.options.text}' holds {text.type}, not text")
    if id is not None and not _holds_id(id.type):
        job.faults.add(None, "type", f"the column '{job.options.id}' holds {id.type}, not ids")


def pick(table: pa.RecordBatch, dotted: str) -> pa.Array | None:
    """The column of this name, or the field of nested structs; None where there is none."""
    if dotted in table.schema.names:
        return _flat(table.column(dotted))
    head, *rest = dotted.split(".")
    if head not in table.schema.names:
        return None
    column = table.column(head)
    for key in rest:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(key) < 0:
            return None
        column = pc.struct_field(column, key)
    return _flat(column)


def _flat(column: pa.Array) -> pa.Array:
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _texts(job: Job, column: pa.Array | None, places: Ints) -> pa.Array:
    if column is None or not (_holds_text(column.type) or pa.types.is_null(column.type)):
        return pa.nulls(len(places), pa.large_string())
    for row in np.flatnonzero(np.asarray(column.is_null())):
        job.faults.add(int(places[row]), "missing", f"there is no '{job.options.text}'")
    return _as_utf8(job, column, places)


def _as_utf8(job: Job, column: pa.Array, places: Ints) -> pa.Array:
    """The column as large strings; Parquet may hold bytes there that are not UTF-8."""
    raw = column.cast(pa.large_binary())
    try:
        texts = raw.cast(pa.large_string())
    except pa.ArrowInvalid:
        values = [
            _decoded(job, value, int(place)) for value, place in zip(raw, places, strict=True)
        ]
        return pa.array(values, pa.large_string())
    limit = job.limit
    sizes = np.asarray(pc.fill_null(pc.binary_length(raw), 0))
    long = np.flatnonzero(sizes > limit)
    for row in long:
        job.faults.add(int(places[row]), "too-long", f"the text is longer than {limit:,} bytes")
    return replaced(texts, {int(row): None for row in long})


def _decoded(job: Job, value: pa.Scalar, place: int) -> str | None:
    raw = value.as_py()
    if raw is None:
        return None
    decoded = decode(raw)
    if decoded.broken:
        job.faults.add(place, "encoding", f"{decoded.broken} broken characters replaced")
    return decoded.text


def _ids(job: Job, column: pa.Array | None, places: Ints) -> pa.Array:
    if column is None or pa.types.is_null(column.type):
        return pa.nulls(len(places), pa.string())
    kind = column.type
    if _holds_text(kind):
        ids = _as_utf8(job, column, places).cast(pa.string())
    elif pa.types.is_integer(kind):
        ids = column.cast(pa.string())
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ids = pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
    else:
        return pa.nulls(len(places), pa.string())
    empty = pc.fill_null(pc.equal(ids, ""), False)
    return pc.if_else(empty, pa.scalar(None, pa.string()), ids)


def _order(column: pa.Array | None, count: int) -> Floats:
    if column is None or pa.types.is_null(column.type):
        return no_floats(count)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        values = pc.fill_null(column.cast(pa.float64(), safe=False), float("nan"))
        return np.asarray(values, dtype=np.float64)
    if pa.types.is_temporal(column.type):
        return _order(column.cast(pa.timestamp("us")).cast(pa.int64()), count)
    return np.array([number(value) for value in column.to_pylist()], dtype=np.float64)


def _holds_id(kind: pa.DataType) -> bool:
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return numeric or _holds_text(kind) or pa.types.is_null(kind)


def _holds_text(kind: pa.DataType) -> bool:
    tests = ("is_string", "is_large_string", "is_binary", "is_large_binary")
    newer = ("is_string_view", "is_binary_view")
    return any(getattr(pa.types, test, lambda _: False)(kind) for test in tests + newer)
