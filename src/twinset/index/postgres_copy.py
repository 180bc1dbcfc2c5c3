"""Documents and keys in the binary form of COPY, which takes many rows at once.

A row is the number of its fields, and for each its length and its bytes, high ones first; the
stream begins with a mark and ends with a field count of -1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from twinset import _kernels
from twinset.index.entries import Entries
from twinset.index.store import Numbers

HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
PIECE = 1 << 18
"""Bytes that are sent at a time."""
COPY_DOCUMENTS = (
    "COPY documents (number, digest, size, id, keys, body) FROM STDIN WITH (FORMAT binary)"
)
COPY_KEYS = "COPY keys (key, number) FROM STDIN WITH (FORMAT binary)"
_FIXED = struct.Struct(">hiqiqiqi")
"""Count of fields; number, digest and size with their lengths; length of the id."""
_LENGTH = struct.Struct(">i")
_BIGINT = 20
"""The type of the values of an array."""
_KEY = np.dtype([("length", ">i4"), ("key", ">u8")])
_KEY_ROW = np.dtype(
    [
        ("fields", ">i2"),
        ("key_length", ">i4"),
        ("key", ">u8"),
        ("number_length", ">i4"),
        ("number", ">i8"),
    ]
)


def document_rows(entries: Entries, numbers: Numbers) -> Iterator[bytes]:
    """The rows of documents."""
    keys = np.empty(len(entries.keys.flat), _KEY)
    keys["length"], keys["key"] = 8, entries.keys.flat
    elements, bodies = keys.tobytes(), entries.bodies.flat.tobytes()
    key_ends = ((entries.keys.offsets - entries.keys.offsets[0]) * _KEY.itemsize).tolist()
    body_ends = (entries.bodies.offsets - entries.bodies.offsets[0]).tolist()
    columns = zip(
        numbers.tolist(),
        entries.digests.view(np.int64).tolist(),
        entries.sizes.tolist(),
        entries.ids.to_pylist(),
        strict=True,
    )
    parts, size = [HEAD], 0
    for row, (number, digest, features, id) in enumerate(columns):
        name = id.encode()
        array = elements[key_ends[row] : key_ends[row + 1]]
        body = bodies[body_ends[row] : body_ends[row + 1]]
        parts += (
            _FIXED.pack(6, 8, number, 8, digest, 8, features, len(name)),
            name,
            _array_head(len(array) // _KEY.itemsize),
            array,
            _LENGTH.pack(len(body)),
            body,
        )
        size += len(name) + len(array) + len(body)
        if size > PIECE:
            yield b"".join(parts)
            parts, size = [], 0
    yield b"".join([*parts, END])


def _array_head(count: int) -> bytes:
    """Length of the field; dimensions, nulls and type; of one that is not empty length and base."""
    if not count:
        return struct.pack(">iiii", 12, 0, 0, _BIGINT)
    return struct.pack(">iiiiii", 20 + count * _KEY.itemsize, 1, 0, _BIGINT, count, 1)


def key_rows(entries: Entries, numbers: Numbers) -> Iterator[bytes]:
    """The rows of keys, each once, in rising order: so their index is filled from left to right."""
    owners = np.repeat(numbers, entries.keys.lengths)
    keys, owners = _kernels.sorted_keys(np.ascontiguousarray(entries.keys.flat), owners, 1)
    rows = np.empty(len(keys), _KEY_ROW)
    rows["fields"], rows["key_length"], rows["number_length"] = 2, 8, 8
    rows["key"], rows["number"] = keys, owners
    # A key above 2**63 is a negative number there, and comes first.
    rows = np.roll(rows, len(keys) - int(np.searchsorted(keys, np.uint64(1 << 63))))
    data = HEAD + rows.tobytes() + END
    for begin in range(0, len(data), PIECE):
        yield data[begin : begin + PIECE]
