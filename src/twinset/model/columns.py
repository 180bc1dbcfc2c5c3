"""NumPy arrays as Arrow columns and back, without a copy.

``pa.array`` and ``to_numpy`` would do, but they load pandas wherever that is installed, which takes
longer than many a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import compute as pc
from twinset.model.ragged import Ragged, offsets_of

Columns = TypeVar("Columns", pa.Array, pa.ChunkedArray, pa.Table)
_TYPES = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "float64": pa.float64(),
    "int32": pa.int32(),
    "uint32": pa.uint32(),
}

PIECE = 1 << 16
"""Rows of a chunk of equal words: chunks of one word share their memory."""
FEW = 1000
"""Rows up to which a Python loop takes less time than to load Arrow's functions (50 ms)."""
MANY = 200_000
"""Rows above which Arrow's functions repay the 50 ms that it takes to load them."""


def column(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """The values as an Arrow array, null where ``missing``."""
    there = None if missing is None else pa.py_buffer(_bits(~missing))
    if values.dtype == bool:
        return pa.Array.from_buffers(pa.bool_(), len(values), [there, pa.py_buffer(_bits(values))])
    data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(_TYPES[values.dtype.name], len(values), [there, data])


def one_array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array; a copy only where it has several pieces."""
    if not isinstance(values, pa.ChunkedArray):
        return values
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def numbers(values: pa.Array | pa.ChunkedArray, missing: int = 0) -> NDArray[Any]:
    """A column of numbers as a NumPy array; nulls are NaN, or ``missing`` among whole numbers."""
    values = one_array(values)
    stored = _stored(values)[values.offset : values.offset + len(values)]
    if not values.null_count:
        return stored
    nothing = np.nan if stored.dtype.kind == "f" else missing
    return np.where(valid(values), stored, nothing).astype(stored.dtype)


def _stored(values: pa.Array) -> NDArray[Any]:
    """All numbers that lie in the memory of an array, also those before and behind it."""
    kind = str(values.type).replace("double", "float64")
    stored: NDArray[Any] = np.frombuffer(values.buffers()[1] or b"", kind)
    return stored


def flags(values: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
    """A column of truth values without nulls as a NumPy array."""
    values = one_array(values)
    inside = slice(values.offset, values.offset + len(values))
    bits = np.frombuffer(values.buffers()[1] or b"", np.uint8)
    return np.unpackbits(bits, bitorder="little")[inside].astype(bool)


def valid(values: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
    """Which values are there, and not null."""
    values = one_array(values)
    if not values.null_count or values.type == pa.null():
        return np.full(len(values), not values.null_count)
    bits = np.frombuffer(values.buffers()[0], np.uint8)
    there = np.unpackbits(bits, bitorder="little")[values.offset : values.offset + len(values)]
    return there.astype(bool)


def equal(texts: pa.Array | pa.ChunkedArray, word: str) -> NDArray[np.bool_]:
    """Which texts are this word; there are no nulls among them."""
    if len(texts) <= FEW:
        return np.array([text == word for text in texts.to_pylist()], dtype=bool)
    return flags(pc.equal(texts, scalar(word)))


def same(left: pa.Array | pa.ChunkedArray, right: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
    """In which rows two columns of texts are equal; a null is equal to nothing."""
    if len(left) <= FEW:
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        return np.array([one == other and one is not None for one, other in pairs], dtype=bool)
    return flags(pc.fill_null(pc.equal(left, right), scalar(False)))


def words(codes: NDArray[Any], vocabulary: list[str]) -> pa.Array | pa.ChunkedArray:
    """The words that the codes stand for.

    Long runs of one word, as in a collection of one file, are one piece of it again and again.
    """
    changes = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    if len(codes) > 2 * PIECE and len(changes) < len(codes) // PIECE:
        return pa.chunked_array(_pieces(codes, changes, vocabulary), pa.string())
    if len(codes) <= MANY:
        raw = _in_utf8(vocabulary)
        return _strings([raw[code] for code in codes.tolist()])
    known = pa.DictionaryArray.from_arrays(column(codes.astype(np.int32)), text(vocabulary))
    return known.cast(pa.string())


def _pieces(
    codes: NDArray[Any], changes: NDArray[np.int64], vocabulary: list[str]
) -> Iterator[pa.Array]:
    """Runs of equal codes in words, of which those of one code share their memory."""
    whole: dict[int, pa.Array] = {}
    for begin, end in pairwise([0, *changes.tolist(), len(codes)]):
        code = int(codes[begin])
        if code not in whole:
            whole[code] = _repeated(vocabulary[code])
        for start in range(begin, end, PIECE):
            yield whole[code].slice(0, min(PIECE, end - start))


def _repeated(word: str) -> pa.Array:
    """A piece of one word, again and again."""
    raw = word.encode("utf-8", "replace")
    offsets = np.arange(PIECE + 1, dtype=np.int32) * np.int32(len(raw))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(raw * PIECE)]
    return pa.Array.from_buffers(pa.string(), PIECE, buffers)


def text(strings: list[str]) -> pa.Array:
    """Strings as an Arrow array; with question marks for what UTF-8 cannot hold."""
    return _strings(_in_utf8(strings))


def _in_utf8(strings: list[str]) -> list[bytes]:
    return [string.encode("utf-8", "replace") for string in strings]


def _strings(raw: list[bytes]) -> pa.Array:
    offsets = offsets_of(map(len, raw)).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(raw))]
    return pa.Array.from_buffers(pa.string(), len(raw), buffers)


def byte_rows(texts: Sequence[bytes]) -> Ragged[np.uint8]:
    """Texts in UTF-8, one row each."""
    ends = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return Ragged(np.frombuffer(b"".join(texts), np.uint8), ends)


def utf8(texts: Sequence[bytes] | Ragged[np.uint8]) -> pa.Array:
    """Texts in UTF-8 as an Arrow array with 64-bit offsets."""
    rows = texts if isinstance(texts, Ragged) else byte_rows(texts)
    ends, data = pa.py_buffer(rows.offsets), pa.py_buffer(rows.values)
    return pa.LargeStringArray.from_buffers(len(rows), ends, data)


def wide(texts: pa.Array) -> pa.Array:
    """Strings with 64-bit offsets."""
    if texts.type == pa.large_string():
        return texts
    if texts.type != pa.string() or texts.null_count or not len(texts):
        return texts.cast(pa.large_string())
    _, ends, data = texts.buffers()
    inside = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    buffers = [None, pa.py_buffer(inside.astype(np.int64)), data]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def narrow(texts: pa.Array) -> pa.Array:
    """Strings with 32-bit offsets, of those with 64-bit ones."""
    _, ends, data = texts.buffers()
    if texts.null_count or not len(texts):
        return texts.cast(pa.string())
    inside = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    if inside[-1] > np.iinfo(np.int32).max:
        return texts.cast(pa.string())
    buffers = [None, pa.py_buffer(inside.astype(np.int32)), data]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def taken(values: Columns, rows: NDArray[Any]) -> Columns:
    """The values of these rows."""
    return values.take(column(rows)) if len(rows) else values.slice(0, 0)


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Where the stretches of true entries begin and end."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False)).tolist()
    yield from zip(edges[::2], edges[1::2], strict=True)


def replaced(values: pa.Array, mask: NDArray[np.bool_], new: pa.Array) -> pa.Array:
    """The values, but those of the mask are new ones of the same type."""
    return pc.replace_with_mask(values, column(mask), new)


def scalar(value: str | bool | int | float) -> pa.Scalar:
    """A value for Arrow's functions, which load pandas where they are handed a Python object."""
    return text([value])[0] if isinstance(value, str) else column(np.array([value]))[0]


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")
