"""NumPy arrays as Arrow columns and back, without a copy.

``pa.array`` and ``to_numpy`` would do, but they load pandas wherever that is installed, which takes
longer than many a run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model.ragged import offsets_of

_TYPES = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "float64": pa.float64(),
    "int32": pa.int32(),
    "uint32": pa.uint32(),
}

RUN = 100
"""Equal codes one after the other from which on words are written run by run."""
MOST_TEXT = 2**31 - 1
"""Bytes of a column with offsets of 32 bits."""


def column(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """The values as an Arrow array, null where ``missing``."""
    there = None if missing is None else pa.py_buffer(_bits(~missing))
    if values.dtype == bool:
        return pa.Array.from_buffers(pa.bool_(), len(values), [there, pa.py_buffer(_bits(values))])
    data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(_TYPES[values.dtype.name], len(values), [there, data])


def numbers(values: pa.Array | pa.ChunkedArray, missing: int = 0) -> NDArray[Any]:
    """A column of numbers as a NumPy array; nulls are NaN, or ``missing`` among whole numbers."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    validity, data = values.buffers()
    kind = np.dtype(str(values.type).replace("double", "float64"))
    inside = slice(values.offset, values.offset + len(values))
    stored: NDArray[Any] = np.frombuffer(data or b"", kind)[inside]
    if not values.null_count:
        return stored
    there = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little")[inside]
    return np.where(there.astype(bool), stored, np.nan if kind.kind == "f" else missing).astype(
        kind
    )


def flags(values: pa.Array) -> NDArray[np.bool_]:
    """A column of truth values without nulls as a NumPy array."""
    inside = slice(values.offset, values.offset + len(values))
    bits = np.frombuffer(values.buffers()[1] or b"", np.uint8)
    return np.unpackbits(bits, bitorder="little")[inside].astype(bool)


def words(codes: NDArray[Any], vocabulary: list[str]) -> pa.Array:
    """The words that the codes stand for."""
    changes = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    if len(changes) < len(codes) // RUN and (spelt := _spelt_runs(codes, changes, vocabulary)):
        return spelt
    known = pa.DictionaryArray.from_arrays(column(codes.astype(np.int32)), text(vocabulary))
    return known.cast(pa.string())


def _spelt_runs(
    codes: NDArray[Any], changes: NDArray[np.int64], vocabulary: list[str]
) -> pa.Array | None:
    """The words of long runs of equal codes; None where they are too long for one column."""
    raw = [word.encode("utf-8", "replace") for word in vocabulary]
    bounds = np.concatenate([[0], changes, [len(codes)]])
    starts, counts = bounds[:-1], np.diff(bounds)
    lengths = np.array([len(word) for word in raw])[codes[starts]]
    if int((lengths * counts).sum()) > MOST_TEXT:
        return None
    runs = zip(codes[starts].tolist(), counts.tolist(), strict=True)
    offsets = np.zeros(len(codes) + 1, np.int32)
    np.cumsum(np.repeat(lengths.astype(np.int32), counts), out=offsets[1:])
    data = pa.py_buffer(b"".join(raw[code] * count for code, count in runs))
    return pa.Array.from_buffers(pa.string(), len(codes), [None, pa.py_buffer(offsets), data])


def text(strings: list[str]) -> pa.Array:
    """Strings as an Arrow array; with question marks for what UTF-8 cannot hold."""
    raw = [string.encode("utf-8", "replace") for string in strings]
    offsets = offsets_of(map(len, raw)).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(raw))]
    return pa.Array.from_buffers(pa.string(), len(raw), buffers)


def scalar(value: str | bool | int | float) -> pa.Scalar:
    """A value for Arrow's functions, which load pandas where they are handed a Python object."""
    return text([value])[0] if isinstance(value, str) else column(np.array([value]))[0]


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")
