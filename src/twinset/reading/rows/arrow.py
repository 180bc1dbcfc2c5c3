"""Columns of Arrow as values of rows, by one rule for each type.

Texts are texts and numbers numbers, with all digits of a decimal and the shortest ones of a float.
Dates and times are texts by ISO 8601, instants with a time zone in UTC. Binary data is text in
base64. Lists, structs and maps are JSON, in which the same rules hold.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from json.encoder import encode_basestring
from typing import Any

import pyarrow as pa

from twinset.model import compute as pc
from twinset.reading.encoding import decode
from twinset.reading.rows.record import FALSE, TRUE, UNHELD, Value, Verbatim

_BEYOND = re.compile(r"<value out of range: (-?\d+)>")  # as Arrow writes it
_SECONDS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def values_of(column: pa.Array, is_text: bool = False) -> list[Value]:
    """The values of a column; with ``is_text`` binary data is the text that it holds."""
    column = _plain(column)
    kind = column.type
    if _is_string(kind) or (is_text and _is_binary(kind)):
        return _texts(column)
    if pa.types.is_boolean(kind):
        return [None if v is None else TRUE if v else FALSE for v in column.to_pylist()]
    if pa.types.is_integer(kind):
        return _verbatim(column.cast(pa.string()).to_pylist())
    if pa.types.is_floating(kind):
        return _floats(column)
    if pa.types.is_decimal(kind):
        return _verbatim(None if v is None else f"{v:f}" for v in column.to_pylist())
    if _is_binary(kind):
        return [None if v is None else base64.b64encode(v).decode() for v in column.to_pylist()]
    if pa.types.is_temporal(kind):
        return list(_times(column))
    if pa.types.is_struct(kind):
        return _verbatim(_objects(column))
    if pa.types.is_map(kind):
        return _verbatim(_maps(column))
    if pa.types.is_nested(kind):
        return _verbatim(_lists(column))
    return [None if v is None else str(v) for v in column.to_pylist()]


def _plain(column: pa.Array) -> pa.Array:
    """The column without a type of someone else's, and without a dictionary."""
    while isinstance(column, pa.ExtensionArray):
        column = column.storage
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return _plain(pc.run_end_decode(column))
    if pa.types.is_fixed_size_list(kind) or pa.types.is_list_view(kind):
        return column.cast(pa.large_list(kind.value_field))
    if pa.types.is_large_list_view(kind):
        return column.cast(pa.large_list(kind.value_field))
    return column


def _is_string(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    types = pa.types
    is_sized = types.is_binary(kind) or types.is_large_binary(kind)
    return bool(is_sized or types.is_fixed_size_binary(kind) or types.is_binary_view(kind))


def _verbatim(texts: Iterable[str | None]) -> list[Value]:
    return [None if text is None else Verbatim(text) for text in texts]


def _texts(column: pa.Array) -> list[Value]:
    raw = column.cast(pa.large_binary())
    try:
        texts: list[Value] = raw.cast(pa.large_string()).to_pylist()
    except pa.ArrowInvalid:  # Parquet may hold bytes there that are not UTF-8
        return [None if value is None else decode(value).text for value in raw.to_pylist()]
    return texts


def _floats(column: pa.Array) -> list[Value]:
    is_double = pa.types.is_float64(column.type)
    numbers = column.to_pylist() if is_double else _short_floats(column)
    return [None if number is None else _float(number) for number in numbers]


def _short_floats(column: pa.Array) -> Iterator[Any]:
    """NumPy's numbers, whose digits are no more than their type tells apart."""
    valid = column.is_valid().to_pylist()
    for number, is_valid in zip(column.to_numpy(zero_copy_only=False), valid, strict=True):
        yield number if is_valid else None


def _float(number: Any) -> Verbatim:
    if math.isfinite(number):
        return Verbatim(str(number))
    return Verbatim(UNHELD[0] if math.isnan(number) else UNHELD[1 if number > 0 else 2])


def _times(column: pa.Array) -> Iterator[str | None]:
    kind = column.type
    if pa.types.is_duration(kind):
        digits = _SECONDS[kind.unit]
        for value in column.cast(pa.int64()).to_pylist():
            yield None if value is None else _duration(value, digits)
        return
    zone = "Z" if pa.types.is_timestamp(kind) and kind.tz is not None else ""
    if zone:
        column = column.cast(pa.timestamp(kind.unit))
    for text in column.cast(pa.string()).to_pylist():
        if text is not None and (beyond := _BEYOND.fullmatch(text)):
            yield beyond[1]  # a year that has no name; its number is all that can be said
        else:
            yield None if text is None else _without_zeros(text.replace(" ", "T")) + zone


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration(value: int, digits: int) -> str:
    sign, text = "-" if value < 0 else "", f"{abs(value):0{digits + 1}d}"
    seconds = f"{text[: len(text) - digits]}.{text[len(text) - digits :]}" if digits else text
    return f"{sign}PT{_without_zeros(seconds)}S"


def _jsons(column: pa.Array) -> list[str]:
    """The values as JSON, for what is nested."""
    return [
        "null"
        if value is None or (value in UNHELD and type(value) is Verbatim)
        else encode_basestring(value)
        if type(value) is str
        else value
        for value in values_of(column)
    ]


def _lists(column: pa.Array) -> Iterator[str | None]:
    items, offsets = _jsons(column.values), column.offsets.to_pylist()
    return _stretches(column, offsets, lambda begin, end: f"[{','.join(items[begin:end])}]")


def _maps(column: pa.Array) -> Iterator[str | None]:
    keys = [
        encode_basestring("null" if key is None else str(key)) for key in values_of(column.keys)
    ]
    items, offsets = _jsons(column.items), column.offsets.to_pylist()
    pairs = [f"{key}:{item}" for key, item in zip(keys, items, strict=True)]
    return _stretches(column, offsets, lambda begin, end: f"{{{','.join(pairs[begin:end])}}}")


def _stretches(column: pa.Array, offsets: list[int], joined: Any) -> Iterator[str | None]:
    valid = column.is_valid().to_pylist()
    for (begin, end), is_valid in zip(pairwise(offsets), valid, strict=True):
        yield joined(begin, end) if is_valid else None


def _objects(column: pa.Array) -> Iterator[str | None]:
    names = [encode_basestring(field.name) for field in column.type]
    fields = [_jsons(field) for field in column.flatten()]
    for row, is_valid in enumerate(column.is_valid().to_pylist()):
        if not is_valid:
            yield None
            continue
        yield (
            "{"
            + ",".join(f"{name}:{field[row]}" for name, field in zip(names, fields, strict=True))
            + "}"
        )
