"""Values to bytes and back: dataclasses of arrays, as a run keeps them in its parts.

A value is written as JSON that says what it is made of, and the bytes of its arrays behind it. What
a dataclass holds is taken from its fields, so that a new field needs nothing here. No code is
stored: only dataclasses, named tuples and kernels' objects of twinset itself are made again.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import struct
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

OWN = __name__.partition(".")[0]
_ALIGNED = 64
_HEAD = struct.Struct("<QQ")
"""The lengths of the description and of all arrays."""
HEAD_BYTES = _HEAD.size


Packed = list[Any]
"""Buffers to be written one after the other."""
_UNLIKE = (TypeError, KeyError, AttributeError, ImportError, ValueError, pa.ArrowException)
"""What goes wrong where a class has other fields than it had."""


class DamagedPartError(ValueError):
    """Bytes that are not what was written, or were written by another version."""


def packed(value: Any) -> Packed:
    """The bytes of a value, as buffers to be written one after the other."""
    buffers: list[Any] = []
    text = json.dumps(_described(value, buffers)).encode()
    text += b" " * (-(len(text) + HEAD_BYTES) % _ALIGNED)
    body: list[Any] = []
    for buffer in buffers:
        body += [buffer, bytes(-len(buffer) % _ALIGNED)]
    return [_HEAD.pack(len(text), sum(map(len, body))), text, *body]


def lengths(head: bytes) -> tuple[int, int]:
    """The bytes of the description and of the arrays that follow such a head."""
    if len(head) != HEAD_BYTES:
        raise DamagedPartError("it ends within a value")
    described, arrays = _HEAD.unpack(head)
    return described, arrays


def unpacked(content: bytearray) -> Any:
    """The value again; each array has memory of its own, so that a small one holds no large one."""
    described, arrays = lengths(bytes(content[:HEAD_BYTES]))
    begin = HEAD_BYTES + described
    description, whole, at = content[HEAD_BYTES:begin], memoryview(content)[begin:], 0
    if len(whole) != arrays:
        raise DamagedPartError("it ends within a value")

    def take(count: int) -> memoryview:
        nonlocal at
        piece = memoryview(bytearray(whole[at : at + count]))
        at += count + -count % _ALIGNED
        if len(piece) != count:
            raise DamagedPartError("it ends within an array")
        return piece

    try:
        return _made(json.loads(description), take)
    except _UNLIKE as fault:
        raise DamagedPartError(f"a value cannot be made again ({fault})") from None


def _described(value: Any, buffers: list[Any]) -> Any:
    """Plain JSON for plain values; ``{kind: ...}`` for what JSON does not have."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and type(value) is int:
        return value
    if isinstance(value, float) and type(value) is float:
        return {"float": value.hex()}
    describe = next((write for kind, write in _WRITERS if isinstance(value, kind)), None)
    if describe is not None:
        return describe(value, buffers)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return {"class": _name(value), "fields": _named(value, names, buffers)}
    if "__setstate__" in vars(type(value)):  # of kernels, as for pickle
        return {"object": _name(value), "state": _described(value.__getstate__(), buffers)}
    raise TypeError(f"{type(value).__name__} cannot be kept in a part")


def _name(value: Any) -> str:
    kind = type(value)
    if kind.__module__.partition(".")[0] != OWN or "." in kind.__qualname__:
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} cannot be kept in a part")
    return f"{kind.__module__}:{kind.__name__}"


def _named(value: Any, names: Iterable[str], buffers: list[Any]) -> dict[str, Any]:
    return {name: _described(getattr(value, name), buffers) for name in names}


def _array(value: Any, buffers: list[Any]) -> Any:
    if value.dtype.hasobject:
        raise TypeError("an array of objects cannot be kept in a part")
    plain = np.ascontiguousarray(value)
    buffers.append(plain.reshape(-1).view(np.uint8).data if plain.size else b"")
    return {"array": plain.dtype.str, "shape": list(value.shape)}


def _column(value: Any, buffers: list[Any]) -> Any:
    return {"column": _arrow(pa.table({"": value}), buffers)}


def _arrow(table: pa.Table, buffers: list[Any]) -> int:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    buffers.append(memoryview(sink.getvalue()))
    return len(buffers[-1])


def _bytes(value: Any, buffers: list[Any]) -> Any:
    buffers.append(memoryview(value).cast("B"))
    return {"bytes": len(buffers[-1])}


def _items(kind: str) -> Callable[[Any, list[Any]], Any]:
    def write(value: Any, buffers: list[Any]) -> Any:
        items = sorted(value) if kind == "set" else value
        return {kind: [_described(item, buffers) for item in items]}

    return write


def _tuple(value: Any, buffers: list[Any]) -> Any:
    if hasattr(value, "_fields"):
        return {"class": _name(value), "fields": _named(value, value._fields, buffers)}
    return {"tuple": [_described(item, buffers) for item in value]}


def _mapping(kind: str) -> Callable[[Any, list[Any]], Any]:
    def write(value: Any, buffers: list[Any]) -> Any:
        rows = [[_described(key, buffers), _described(value[key], buffers)] for key in value]
        return {kind: rows}

    return write


_WRITERS: tuple[tuple[type | tuple[type, ...], Callable[[Any, list[Any]], Any]], ...] = (
    (np.generic, lambda value, buffers: {"scalar": _array(np.asarray(value), buffers)}),
    (np.ndarray, _array),
    (pa.Array, _column),
    (pa.Table, lambda value, buffers: {"table": _arrow(value, buffers)}),
    ((bytes, bytearray, memoryview), _bytes),
    (tuple, _tuple),
    (Counter, _mapping("counter")),
    (dict, _mapping("dict")),
    (list, _items("list")),
    ((set, frozenset), _items("set")),
)


def _made(described: Any, take: Callable[[int], memoryview]) -> Any:
    if not isinstance(described, dict):
        return described
    if "array" in described:
        return _array_of(described, take)
    if "class" in described:
        fields = {name: _made(item, take) for name, item in described["fields"].items()}
        return _class(described["class"])(**fields)
    if "object" in described:
        kept = _class(described["object"])
        value = kept.__new__(kept)
        value.__setstate__(_made(described["state"], take))
        return value
    ((kind, content),) = described.items()
    return _READERS[kind](content, take)


def _class(name: str) -> Any:
    module, _, kind = name.partition(":")
    if module.partition(".")[0] != OWN:
        raise DamagedPartError(f"{name} is no class of {OWN}")
    value_class = getattr(importlib.import_module(module), kind)
    marks = ("_fields", "__dataclass_fields__", "__setstate__")
    if not isinstance(value_class, type) or not any(hasattr(value_class, m) for m in marks):
        raise DamagedPartError(f"{name} is no class of values")
    return value_class


def _array_of(described: dict[str, Any], take: Callable[[int], memoryview]) -> Any:
    kind, shape = np.dtype(described["array"]), described["shape"]
    if kind.hasobject:
        raise DamagedPartError("an array of objects")
    count = int(np.prod(shape, dtype=np.int64))
    if not count:
        take(0)
        return np.empty(shape, kind)
    return np.frombuffer(take(count * kind.itemsize), kind, count).reshape(shape)


def _table_of(size: int, take: Callable[[int], memoryview]) -> pa.Table:
    with pa.ipc.open_stream(pa.py_buffer(take(size))) as reader:
        return reader.read_all()


def _column_of(size: int, take: Callable[[int], memoryview]) -> Any:
    column = _table_of(size, take).column(0)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _rows_of(rows: list[Any], take: Callable[[int], memoryview]) -> dict[Any, Any]:
    return {_made(key, take): _made(value, take) for key, value in rows}


_READERS: dict[str, Callable[[Any, Callable[[int], memoryview]], Any]] = {
    "float": lambda text, take: float.fromhex(text),
    "scalar": lambda item, take: _array_of(item, take)[()],
    "column": _column_of,
    "table": _table_of,
    "bytes": lambda size, take: bytes(take(size)),
    "tuple": lambda items, take: tuple(_made(item, take) for item in items),
    "list": lambda items, take: [_made(item, take) for item in items],
    "set": lambda items, take: {_made(item, take) for item in items},
    "dict": _rows_of,
    "counter": lambda rows, take: Counter(_rows_of(rows, take)),
}
