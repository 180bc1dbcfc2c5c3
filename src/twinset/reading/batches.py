"""Documents to Arrow batches: what every reader does last (HTML to text, nulls, faults).

`BatchBuilder` gathers Python strings; `column_batch` takes the columns of an Arrow table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from twinset.errors import ReadError, some_of
from twinset.model import Batch, Fault, Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import narrow, numbers, scalar, valid, wide
from twinset.plan import ReadOptions
from twinset.reading.arrays import replaced, strings
from twinset.reading.cleaning import cleaned
from twinset.reading.faults import Faults
from twinset.reading.ledger import FileFact, facts_of
from twinset.reading.source import ReadJob
from twinset.text.arrow import arrow_text
from twinset.text.encoding import broken_characters, decode

if TYPE_CHECKING:
    from twinset.text.pages import Named

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_UNITS = {"day": 86400e6, "s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}  # in microseconds


@dataclass(slots=True)
class BatchBuilder:
    """Documents gathered one by one, for readers that meet them as Python strings."""

    ids: list[str | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    order: list[float] = field(default_factory=list)
    raw: list[str | bytes | None] = field(default_factory=list)
    files: list[FileFact] = field(default_factory=list)
    size: int = 0

    def add(
        self,
        id: str | None,
        text: str | None,
        place: int,
        order: float = math.nan,
        raw: str | bytes | None = None,
        file: FileFact | None = None,
    ) -> None:
        """Append a document; the text is None where it could not be read.

        Either all documents of a batch are of a ``file``, or none is.
        """
        self.ids.append(id or None)
        self.texts.append(text)
        self.places.append(place)
        self.order.append(order)
        self.raw.append(None if text is None else raw)
        if file is not None:
            self.files.append(file)
        self.size += len(text or "") + len(raw or b"")

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, job: ReadJob, named: Sequence[Named] | None = None) -> Batch:
        """These documents as a batch; with ``named``, for each of them, pages are cleaned."""
        texts, places = strings(self.texts, pa.large_string()), np.array(self.places, np.int64)
        return Batch(
            strings(self.ids, pa.string()),
            texts if named is None else cleaned(job, texts, places, named),
            job.source.name,
            places,
            np.array(self.order) if job.options.order else None,
            job.faults.take(),
            job.take_counts(),
            strings(self.raw, pa.large_binary()) if job.options.raw else None,
            files=facts_of(self.files) if self.files else None,
        )


def empty_batch(
    source: str, faults: tuple[Fault, ...], counts: Mapping[str, int] | None = None
) -> Batch:
    """A batch that carries nothing but faults and counts."""
    none = np.empty(0, dtype=np.int64)
    return Batch(
        strings([], pa.string()),
        strings([], pa.large_string()),
        source,
        none,
        None,
        faults,
        counts or {},
    )


def order_of(job: ReadJob, value: object, place: int) -> float:
    """What documents are ordered by: a number, or a date as microseconds; NaN for nothing.

    A text that is neither is a fault, and its document comes last.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or value == "":
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan
    except ValueError:
        instant = _instant(str(value).strip())
    if instant is None:
        job.faults.add(
            place,
            "order",
            f"the field '{job.options.order}' holds '{str(value)[:60]}', which is neither a number "
            "nor a date such as 2024-05-31, 2024-05-31T12:00:00Z or Fri, 31 May 2024 12:00:00 GMT",
        )
        return math.nan
    return instant


def _instant(text: str) -> float | None:
    """The microseconds from 1970 to an ISO date or date-time, or to a date of a mail or of HTTP.

    Without a time zone, it is UTC.
    """
    try:
        if (match := _ISO.fullmatch(text)) is None:
            from email.utils import parsedate_to_datetime

            instant = parsedate_to_datetime(text)
        else:
            date, time, second, fraction, zone = match.groups()
            # Written out in full: older versions of Python read no other form.
            instant = datetime.fromisoformat(
                f"{date}T{time or '00:00'}:{second or '00'}.{(fraction or '')[:6]:0<6}"
                f"{'+00:00' if zone in (None, 'Z', 'z') else f'{zone[:3]}:{zone[-2:]}'}"
            )
        instant = instant if instant.tzinfo else instant.replace(tzinfo=timezone.utc)
        return float((instant - _EPOCH) // timedelta(microseconds=1))
    except (ValueError, OverflowError):
        return None


def no_floats(count: int) -> Floats:
    """NaN for every row."""
    return np.full(count, math.nan)


def column_batch(job: ReadJob, table: pa.RecordBatch, first_row: int) -> Batch:
    """The documents of an Arrow batch whose first row has this number in its source."""
    text, id = pick(table, job.options.text), pick(table, job.options.id)
    order = pick(table, job.options.order) if job.options.order else None
    places = np.arange(first_row, first_row + table.num_rows, dtype=np.int64)
    batch = columns_batch(job, text, id, order, places)
    if job.options.vectors is None:
        return batch
    return replace(batch, vectors=pick(table, job.options.vectors))


def columns_batch(
    job: ReadJob,
    text: pa.Array | None,
    id: pa.Array | None,
    order: pa.Array | None,
    places: Ints,
    *,
    nulls_are_known: bool = False,
) -> Batch:
    """Documents by columns of Arrow; ``nulls_are_known`` where their faults have been reported."""
    texts = _texts(job, text, places, nulls_are_known)
    values = _order(job, order, places) if job.options.order else None
    ids = _ids(job, id, places)
    plain = cleaned(job, texts, places)
    raw = _raw(text, texts) if job.options.raw else None
    faults, counts = job.faults.take(), job.take_counts()
    return Batch(ids, plain, job.source.name, places, values, faults, counts, raw)


def check_schema(job: ReadJob, schema: pa.Schema) -> None:
    """Report once, not batch by batch, when a column is missing or of a type that will not do."""
    # Without a Python value, for which Arrow would load pandas.
    empty = pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in schema.types], schema=schema)
    text, id = pick(empty, job.options.text), pick(empty, job.options.id)
    if text is None:
        have = some_of(schema.names)
        job.faults.add(None, "missing", f"there is no column '{job.options.text}' (it has {have})")
    elif not holds_text(text.type) and not pa.types.is_null(text.type):
        job.faults.add(
            None,
            "type",
            f"the column '{job.options.text}' holds {kind_of_column(text.type)}, not text",
        )
    if id is not None and not holds_id(id.type):
        job.faults.add(
            None, "type", f"the column '{job.options.id}' holds {kind_of_column(id.type)}, not ids"
        )


def needed(names: Sequence[str], options: ReadOptions) -> list[str]:
    """The columns to read: one whose name has dots, or the outer column of a nested field."""
    fields = (options.id, options.text, options.order or "", options.vectors or "")
    tops = [field if field in names else field.partition(".")[0] for field in fields]
    return [name for name in dict.fromkeys(tops) if name in names]


def pick(table: pa.RecordBatch, dotted: str) -> pa.Array | None:
    """The column of this name, or the field of nested structs; None where there is none."""
    if dotted in table.schema.names:
        return flat(table.column(dotted))
    head, *rest = dotted.split(".")
    if head not in table.schema.names:
        return None
    column = table.column(head)
    for key in rest:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(key) < 0:
            return None
        column = pc.struct_field(column, key)
    return flat(column)


def lookup(record: Any, dotted: str, absent: Any = None) -> Any:
    """The value under a dotted name, or ``absent``; a key that holds the dots comes first."""
    if isinstance(record, Mapping) and dotted in record:
        return record[dotted]
    value = record
    for key in dotted.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return absent
        value = value[key]
    return value


def flat(column: pa.Array) -> pa.Array:
    """The column without a dictionary, and of plain types."""
    if isinstance(column, pa.ExtensionArray):
        if column.type.extension_name == "arrow.uuid":
            written = [None if id is None else str(id) for id in column.to_pylist()]
            return strings(written, pa.string())
        column = column.storage
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _texts(job: ReadJob, column: pa.Array | None, places: Ints, nulls_are_known: bool) -> pa.Array:
    if column is None or not (holds_text(column.type) or pa.types.is_null(column.type)):
        return pa.nulls(len(places), pa.large_string())
    nulls_are_known = nulls_are_known or column.null_count == 0
    for row in () if nulls_are_known else np.flatnonzero(~valid(column)):
        job.faults.add(int(places[row]), "missing", f"the column '{job.options.text}' is null")
    return _as_utf8(job, column, places)


def _raw(column: pa.Array | None, texts: pa.Array) -> pa.Array:
    """The bytes of the column, null where there is no text."""
    if column is None or texts.null_count == len(texts):
        return pa.nulls(len(texts), pa.large_binary())
    none = pa.nulls(1, pa.large_binary())[0]
    return pc.if_else(texts.is_valid(), column.cast(pa.large_binary()), none)


def _as_utf8(job: ReadJob, column: pa.Array, places: Ints) -> pa.Array:
    """The column as large strings; Parquet may hold bytes there that are not UTF-8."""
    try:
        texts = _checked(column)
    except pa.ArrowInvalid:
        raw = zip(column.cast(pa.large_binary()), places, strict=True)
        values = [_decoded(job, value, int(place)) for value, place in raw]
        return pa.array(values, pa.large_string())
    limit = job.limit
    long = np.flatnonzero(_sizes(texts) > limit)
    for row in long:
        job.faults.add(int(places[row]), "too-long", f"the text is longer than {limit:,} bytes")
    return replaced(texts, {int(row): None for row in long})


def _checked(column: pa.Array) -> pa.Array:
    """The same as large strings, without Arrow's functions where it can be done without them.

    There are many small batches, and threads wait for each other at every call from Python.
    """
    if column.type not in (pa.string(), pa.large_string()):
        return column.cast(pa.large_binary()).cast(pa.large_string())
    texts = wide(column)
    texts.validate(full=True)
    return texts


def _sizes(texts: pa.Array) -> Ints:
    """The bytes of each text; 0 for a null."""
    return np.diff(arrow_text(texts)[1])


def _decoded(job: ReadJob, value: pa.Scalar, place: int) -> str | None:
    raw = value.as_py()
    if raw is None:
        return None
    decoded = decode(raw)
    if decoded.broken:
        job.faults.add(place, "encoding", broken_characters(decoded.broken))
    return decoded.text


def _ids(job: ReadJob, column: pa.Array | None, places: Ints) -> pa.Array:
    if column is None or pa.types.is_null(column.type):
        return pa.nulls(len(places), pa.string())
    kind = column.type
    if holds_text(kind):
        ids = narrow(_as_utf8(job, column, places))
        if _sizes(ids).all():
            return ids
    elif pa.types.is_integer(kind):
        ids = column.cast(pa.string())
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        ids = pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
    else:
        return pa.nulls(len(places), pa.string())
    return pc.if_else(pc.equal(ids, scalar("")), pa.nulls(1, pa.string())[0], ids)


def _order(job: ReadJob, column: pa.Array | None, places: Ints) -> Floats:
    if column is None or pa.types.is_null(column.type):
        return no_floats(len(places))
    if _is_number(column.type):
        return numbers(column.cast(pa.float64(), safe=False))
    if pa.types.is_temporal(column.type) and not pa.types.is_interval(column.type):
        return _microseconds(column)
    values = zip(column.to_pylist(), places.tolist(), strict=True)
    return np.array([order_of(job, value, place) for value, place in values], dtype=np.float64)


def _microseconds(column: pa.Array) -> Floats:
    """Dates, times and durations as numbers; those of other units keep what these can hold."""
    kind = column.type
    whole = pa.int32() if pa.types.is_date32(kind) or pa.types.is_time32(kind) else pa.int64()
    unit = "day" if pa.types.is_date32(kind) else getattr(kind, "unit", "ms")
    return numbers(column.cast(whole).cast(pa.float64(), safe=False)) * _UNITS[unit]


def with_vectors(batches: Iterator[Batch], options: ReadOptions) -> Iterator[Batch]:
    """The batches with their vectors as matrices, as wide as the first vector is long.

    A vector that cannot be compared is a fault, and its document stays without one.
    """
    width = 0
    for batch in batches:
        if not len(batch):
            yield batch
            continue
        lists, faults = batch.vectors, Faults(batch.source, options.on_error)
        if lists is None or not _holds_vectors(lists.type):
            raise ReadError(
                batch.source,
                None,
                f"there is no column '{options.vectors}' of vectors: name one of lists of numbers, "
                "of Parquet, Arrow or a frame, as in --method vectors:field=embedding",
            )
        lists = lists.cast(pa.large_list(pa.float32()), safe=False)
        there, sizes = valid(lists), np.diff(numbers(lists.offsets))
        width = width or int(sizes[there & (sizes > 0)][:1].sum())
        fits = there & (sizes == width)
        matrix = np.zeros((len(batch), width), np.float32)
        chosen = lists.filter(pa.array(fits)).flatten().to_numpy(zero_copy_only=False)
        matrix[fits] = chosen.reshape(np.count_nonzero(fits), width)
        finite = np.isfinite(matrix).min(axis=1, initial=True)
        for row in np.flatnonzero(~(finite & matrix.any(axis=1))):
            detail = "is null"
            if fits[row]:
                detail = "holds nothing but 0" if finite[row] else "holds what is no number"
            elif there[row]:
                detail = f"has {sizes[row]} numbers, where the first one has {width}"
            faults.add(int(batch.places[row]), "vector", f"the vector {detail}")
        matrix[~finite] = 0
        yield replace(batch, vectors=matrix, faults=batch.faults + faults.take())


def _holds_vectors(kind: pa.DataType) -> bool:
    tests = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in tests) and _is_number(kind.value_type)


def kind_of_column(kind: pa.DataType) -> str:
    """What a column holds, in words for the reader of a message."""
    if pa.types.is_boolean(kind):
        return "truth values"
    if _is_number(kind):
        return "numbers"
    if pa.types.is_temporal(kind):
        return "dates or times"
    return "objects" if pa.types.is_struct(kind) or pa.types.is_map(kind) else "lists"


def _is_number(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def holds_id(kind: pa.DataType) -> bool:
    """Whether a column of this type can be the id."""
    return _is_number(kind) or holds_text(kind) or pa.types.is_null(kind)


def holds_text(kind: pa.DataType) -> bool:
    """Whether a column of this type can be the text."""
    tests = ("is_string", "is_large_string", "is_binary", "is_large_binary")
    newer = ("is_string_view", "is_binary_view")
    return any(getattr(pa.types, test, lambda _: False)(kind) for test in tests + newer)
