"""The compact protocol of Thrift, in which the footers of Parquet files are written.

A value is read as a tree that keeps the types, so that written again it is the same bytes:
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import Any, NamedTuple

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_INTEGERS = (I16, I32, I64)


class Field(NamedTuple):
    """A value with its type: a number, bytes, a `Sequence` or a structure of fields by number."""

    type: int
    value: Any


class Sequence(NamedTuple):
    """The values of a list or set, which are all of one type."""

    type: int
    values: list[Any]


Structure = dict[int, Field]


def read_structure(data: bytes) -> Structure:
    """The structure that bytes hold; raises ValueError or IndexError where they hold none."""
    return _Reader(data).structure()


def written_structure(structure: Structure) -> bytes:
    """The bytes of a structure."""
    out = bytearray()
    _write_structure(out, structure)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def structure(self) -> Structure:
        fields: Structure = {}
        number = 0
        while head := self._byte():
            step, type = head >> 4, head & 15
            number = number + step if step else _signed(self._varint())
            fields[number] = Field(type, self._value(type, is_field=True))
        return fields

    def _value(self, type: int, is_field: bool = False) -> Any:
        if type in (TRUE, FALSE):  # a field says it by its type
            return type if is_field else self._byte()
        if type == BYTE:
            return self._byte()
        if type in _INTEGERS:
            return _signed(self._varint())
        if type == DOUBLE:
            return self._bytes(8)
        if type == BINARY:
            return self._bytes(self._varint())
        if type in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return Sequence(head & 15, [self._value(head & 15) for _ in range(count)])
        if type == STRUCT:
            return self.structure()
        raise ValueError(f"type {type} is not in footers of Parquet")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise ValueError("the bytes are cut off")
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7


def _write_structure(out: bytearray, fields: Structure) -> None:
    last = 0
    for number, (type, value) in fields.items():
        if 0 < number - last < 16:
            out.append((number - last) << 4 | type)
        else:
            out.append(type)
            _write_varint(out, _unsigned(number))
        last = number
        if type not in (TRUE, FALSE):
            _write_value(out, type, value)
    out.append(0)


def _write_value(out: bytearray, type: int, value: Any) -> None:
    if type in (TRUE, FALSE, BYTE):
        out.append(value)
    elif type in _INTEGERS:
        _write_varint(out, _unsigned(value))
    elif type == DOUBLE:
        out += value
    elif type == BINARY:
        _write_varint(out, len(value))
        out += value
    elif type == STRUCT:
        _write_structure(out, value)
    else:
        count = len(value.values)
        out.append(min(count, 15) << 4 | value.type)
        if count >= 15:
            _write_varint(out, count)
        for item in value.values:
            _write_value(out, value.type, item)


def _write_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def _unsigned(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1
