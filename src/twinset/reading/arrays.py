"""Python strings, bytes and masks as Arrow arrays, built from buffers; rows chosen by a mask.

``pa.array`` would load pandas where that is installed, which takes longer than many a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints, columns, offsets_of
from twinset.model.columns import column, runs, valid
from twinset.reading.encoding import without_surrogates


def strings(values: Sequence[str | bytes | None], kind: pa.DataType) -> pa.Array:
    """Python strings, or bytes, as an Arrow array; surrogates in the values are replaced."""
    encoded = [b"" if value is None else utf8_of(value) for value in values]
    offsets = offsets_of(map(len, encoded))
    valid = np.array([value is not None for value in values], dtype=bool)
    return string_array(kind, np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets, valid)


def byte_strings(values: Sequence[bytes], kind: pa.DataType) -> pa.Array:
    """Bytes (for strings known to be UTF-8) as an Arrow array."""
    data, valid = np.frombuffer(b"".join(values), np.uint8), np.ones(len(values), bool)
    return string_array(kind, data, offsets_of(map(len, values)), valid)


def utf8_of(text: str | bytes) -> bytes:
    """UTF-8, with U+FFFD for lone surrogates; bytes as they are."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return without_surrogates(text).encode("utf-8")


def string_array(
    kind: pa.DataType, data: NDArray[np.uint8], offsets: Ints, valid: NDArray[np.bool_]
) -> pa.Array:
    """An Arrow array around bytes (for strings known to be UTF-8); only the offsets are copied."""
    is_large = kind in (pa.large_string(), pa.large_binary())
    starts: Any = offsets if is_large else offsets.astype(np.int32)
    bits = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [bits, pa.py_buffer(starts), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(valid), buffers)


_HEXADECIMAL = np.frombuffer(b"0123456789abcdef", np.uint8)
_DASHES = (8, 13, 18, 23)


def uuids(column: pa.Array) -> pa.Array:
    """Sixteen bytes each, as UUIDs are written."""
    data = np.frombuffer(column.buffers()[1] or b"", np.uint8)
    data = data[16 * column.offset :][: 16 * len(column)].reshape(-1, 16)
    written = np.full((len(column), 36), ord("-"), np.uint8)
    digits = np.stack([data >> 4, data & 15], axis=2).reshape(-1, 32)
    written[:, np.delete(np.arange(36), _DASHES)] = _HEXADECIMAL[digits]
    offsets = 36 * np.arange(len(column) + 1)
    return string_array(pa.string(), written.ravel(), offsets, valid(column))


def replaced(array: pa.Array, values: Mapping[int, str | bytes | None]) -> pa.Array:
    """The array with some of its rows replaced."""
    if not values:
        return array
    mask = np.zeros(len(array), dtype=bool)
    rows = sorted(values)
    mask[rows] = True
    new = strings([values[row] for row in rows], array.type)
    return columns.replaced(array, mask, new)


def filtered(data: Any, mask: NDArray[np.bool_]) -> Any:
    """The rows of the mask; Arrow filters most types but not all, and cuts and joins all."""
    try:
        return data.filter(column(mask))
    except pa.ArrowNotImplementedError:
        pieces = [data.slice(first, last - first) for first, last in runs(mask)]
    pieces = pieces or [data.slice(0, 0)]
    if isinstance(data, pa.Table):
        return pa.concat_tables(pieces)
    if isinstance(data, pa.RecordBatch):
        return pa.concat_batches(pieces)
    if isinstance(data, pa.ChunkedArray):
        return pa.chunked_array([chunk for piece in pieces for chunk in piece.chunks], data.type)
    return pa.concat_arrays(pieces)
