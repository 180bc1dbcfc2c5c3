"""Python values as columns of Arrow, with a fault for each one that will not do."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.model.columns import column
from twinset.reading.arrays import strings
from twinset.reading.batches import order_of
from twinset.reading.memory.kind import type_name
from twinset.reading.source import ReadJob


def texts_of(job: ReadJob, values: Sequence[Any], first: int, absent: str) -> pa.Array:
    """Texts, as strings or bytes; ``absent`` says what is wrong with a value that is not there."""
    if set(map(type, values)) == {str}:
        return strings(values, pa.large_string())
    plain: list[str | bytes | None] = []
    kind = pa.large_string()
    for place, value in enumerate(values, first):
        if isinstance(value, str):
            plain.append(value)
            continue
        if isinstance(value, bytes):
            kind = pa.large_binary()
            plain.append(value)
            continue
        plain.append(None)
        if is_missing(value):
            job.faults.add(place, "missing", absent)
        else:
            job.faults.add(place, "type", f"the text is of the type {type_name(value)}")
    return strings(plain, kind)


def ids_of(job: ReadJob, values: Sequence[Any], first: int) -> pa.Array:
    """Ids: texts, numbers or UUIDs; others have none."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return strings(values, pa.string())
    if kinds == {int}:
        return strings([str(value) for value in values], pa.string())
    ids: list[str | bytes | None] = []
    for place, value in enumerate(values, first):
        id = written_id(value)
        if id is None and not is_missing(value):
            job.faults.add(place, "type", f"the id is of the type {type_name(value)}")
        ids.append(id or None)
    return strings(ids, pa.string())


def written_id(value: Any) -> str | None:
    """An id as text; None for what is none."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool) or is_missing(value):
        return None
    if hasattr(value, "__index__"):
        return str(int(value))
    return str(value) if isinstance(value, uuid.UUID | float) else None


def orders_of(job: ReadJob, values: Sequence[Any], first: int) -> pa.Array:
    """What documents are ordered by: numbers, dates, or texts that are written so."""
    places = enumerate(values, first)
    orders = [order_of(job, _comparable(value), place) for place, value in places]
    return column(np.array(orders, dtype=np.float64))


def _comparable(value: Any) -> Any:
    if isinstance(value, datetime.date):  # and so a datetime
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(microseconds=1)
    if hasattr(value, "item"):  # a number of NumPy
        return value.item()
    return value


def is_missing(value: Any) -> bool:
    """Whether it is None, or one of the values that pandas has for nothing."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def field_of(record: Any, dotted: str) -> Any:
    """The value under a dotted name; a key that holds the dots itself comes first."""
    if isinstance(record, dict | Mapping) and dotted in record:
        return record[dotted]
    for key in dotted.split("."):
        if not isinstance(record, dict | Mapping):
            return None
        record = record.get(key)
    return record
