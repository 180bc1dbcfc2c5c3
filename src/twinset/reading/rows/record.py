"""A row as names and values; every value is a text, null, or JSON that stays as it was written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any


class Verbatim(str):
    """A number, a truth value, a list or an object, as JSON."""

    __slots__ = ()


Value = str | None
"""A text, a `Verbatim`, or None for null. A text may hold lone surrogates, as in JSON."""
Record = dict[str, Value]

TRUE, FALSE = Verbatim("true"), Verbatim("false")
UNHELD = ("NaN", "Infinity", "-Infinity")
"""Numbers that JSON cannot hold; they are null in JSON lines."""
_BLANKS = re.compile(r"[ \t\n\r]*").match
# Numbers stay texts: digits beyond those of a float are kept, and no number has too many of them.
_DECODER: Any = json.JSONDecoder(parse_int=Verbatim, parse_float=Verbatim, parse_constant=Verbatim)


def fields_of(line: str) -> Record:
    """The fields of a JSON object, of equal names the last; raises ValueError for anything else."""
    at = _BLANKS(line, 0).end()  # type: ignore[union-attr]
    if line[at : at + 1] != "{":
        raise ValueError("no object")
    record: Record = {}
    at = _BLANKS(line, at + 1).end()  # type: ignore[union-attr]
    if line[at : at + 1] == "}":
        return _ended(line, at + 1, record)
    while line[at : at + 1] == '"':
        name, at = _DECODER.scan_once(line, at)
        at = _BLANKS(line, at).end()  # type: ignore[union-attr]
        if line[at : at + 1] != ":":
            break
        begin = _BLANKS(line, at + 1).end()  # type: ignore[union-attr]
        try:
            value, at = _DECODER.scan_once(line, begin)
        except StopIteration:
            break
        is_held = value is None or isinstance(value, str)
        record[name] = value if is_held else Verbatim(line[begin:at])
        at = _BLANKS(line, at).end()  # type: ignore[union-attr]
        if line[at : at + 1] == "}":
            return _ended(line, at + 1, record)
        if line[at : at + 1] != ",":
            break
        at = _BLANKS(line, at + 1).end()  # type: ignore[union-attr]
    raise ValueError("the object is damaged")


def _ended(line: str, at: int, record: Record) -> Record:
    if _BLANKS(line, at).end() != len(line):  # type: ignore[union-attr]
        raise ValueError("more follows after the end")
    return record


def parsed(written: Verbatim | str) -> Any:
    """What a list or an object holds; numbers are as they were written."""
    return _DECODER.decode(written)


def as_json(record: Mapping[str, Value], quoted: Callable[[str], str] = encode_basestring) -> str:
    """The record as one line of JSON, its texts written as they are or as ``quoted`` does it."""
    pairs = (
        f"{quoted(name)}:{quoted(value) if type(value) is str else _json(value)}"
        for name, value in record.items()
    )
    return "{" + ",".join(pairs) + "}"


def _json(value: Value) -> str:
    return "null" if value is None or value in UNHELD else value


def lines_of(records: Sequence[Record]) -> bytes:
    """JSON lines. A lone surrogate, which no UTF-8 can hold, stays an escape."""
    try:
        return "".join(f"{as_json(record)}\n" for record in records).encode("utf-8")
    except UnicodeEncodeError:
        ascii = (as_json(record, encode_basestring_ascii) for record in records)
        plain = [as_json(record) for record in records]
        each = (
            line if _is_utf8(line) else escaped for line, escaped in zip(plain, ascii, strict=True)
        )
        return "".join(f"{line}\n" for line in each).encode("utf-8")


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def distinct(names: Sequence[str]) -> list[str]:
    """The names, the second ``x`` called ``x_2``: none may hide another."""
    used: set[str] = set(names)
    seen: set[str] = set()
    return [_free(name, seen, used) for name in names]


def _free(name: str, seen: set[str], used: set[str]) -> str:
    if name not in seen:
        seen.add(name)
        return name
    number = 2
    while f"{name}_{number}" in used:
        number += 1
    used.add(f"{name}_{number}")
    return f"{name}_{number}"


def records_of(names: Sequence[str], columns: Sequence[Sequence[Value]]) -> Iterator[Record]:
    """Rows out of columns."""
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))
