"""A row as names and values; every value is a text, null, or JSON that stays as it was written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
_SHORT = 64
_CONTROLS = bytes(code for code in range(32) if chr(code) not in "\n\r\t")
# What stands before the first name, before its value, before a further name, and behind them all.
_FIRST, _COLON, _NEXT, _LAST, _EMPTY = (
    re.compile(pattern.replace(" ", "[ \t\n\r]*")).match
    for pattern in (r' \{ (?=")', r" : ", r' , (?=")', r" \} \Z", r" \{ \} \Z")
)
# Numbers stay texts: digits beyond those of a float are kept, and no number has too many of them.
_DECODER: Any = json.JSONDecoder(parse_int=Verbatim, parse_float=Verbatim, parse_constant=Verbatim)


def fields_of(line: str) -> Record:
    """The fields of a JSON object, of equal names the last; raises ValueError for anything else."""
    record: Record = {}
    scan = _DECODER.scan_once
    mark = _FIRST(line)
    while mark:
        name, at = scan(line, mark.end())
        colon = _COLON(line, at)
        if colon is None:
            break
        begin = colon.end()
        try:
            value, at = scan(line, begin)
        except StopIteration:
            break
        if value is None or isinstance(value, str):
            record[name] = value
        else:
            record[name] = (
                TRUE if value is True else FALSE if value is False else Verbatim(line[begin:at])
            )
        mark = _NEXT(line, at)
        if mark is None and _LAST(line, at):
            return record
    if not record and _EMPTY(line):
        return record
    raise ValueError("the line is no object, or a damaged one")


def parsed(written: Verbatim | str) -> Any:
    """What a list or an object holds; numbers are as they were written."""
    return _DECODER.decode(written)


def as_json(record: Mapping[str, Value]) -> bytes:
    """The record as one line of JSON."""
    pairs = (b"%b:%b" % (quoted(name), _json(value)) for name, value in record.items())
    return b"{%b}" % b",".join(pairs)


def _json(value: Value) -> bytes:
    if type(value) is str:
        return quoted(value)
    return b"null" if value is None or value in UNHELD else value.encode()


def quoted(text: str) -> bytes:
    """A text as JSON in UTF-8; a lone surrogate, which no UTF-8 can hold, stays an escape."""
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        return encode_basestring_ascii(text).encode()
    if len(raw) < _SHORT or len(raw.translate(None, _CONTROLS)) < len(raw):
        return encode_basestring(text).encode()
    raw = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"')  # faster than letter by letter
    return b'"%b"' % raw.replace(b"\n", b"\\n").replace(b"\t", b"\\t").replace(b"\r", b"\\r")


def lines_of(records: Iterable[Record]) -> bytes:
    """The records as JSON lines."""
    return b"".join(b"%b\n" % as_json(record) for record in records)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, the second ``x`` called ``x_2``: none may hide another."""
    used: set[str] = set(names)
    numbers: dict[str, int] = {}  # the last of each name; those before it are used
    return [_free(name, numbers, used) for name in names]


def _free(name: str, numbers: dict[str, int], used: set[str]) -> str:
    if name not in numbers:
        numbers[name] = 1
        return name
    numbers[name] += 1
    while f"{name}_{numbers[name]}" in used:
        numbers[name] += 1
    used.add(f"{name}_{numbers[name]}")
    return f"{name}_{numbers[name]}"


def records_of(names: Sequence[str], columns: Sequence[Sequence[Value]]) -> Iterator[Record]:
    """Rows out of columns."""
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))
