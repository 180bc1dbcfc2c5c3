"""Python strings, bytes and masks as Arrow arrays, and texts on their way to other processes.

``pa.array`` would load pandas where that is installed, which takes longer than many a run.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints, columns, offsets_of
from twinset.model.columns import column, runs
from twinset.text.encoding import without_surrogates


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


PIECE = 1 << 18
"""Bytes that go to another process at a time."""


class ChangedTexts(Protocol):
    """Texts that come back: their lengths (64 bits each), and all of them as UTF-8."""

    @property
    def lengths(self) -> bytes:
        """Of each text."""
        ...

    @property
    def data(self) -> Any:
        """All texts one behind the other."""
        ...


class Packing(NamedTuple):
    """The bytes of an array of texts, and where each text begins; the last entry ends them."""

    data: NDArray[np.uint8]
    offsets: Ints

    @classmethod
    def of(cls, texts: pa.Array) -> Packing:
        """Those of large strings."""
        _, ends, data = texts.buffers()
        offsets = np.frombuffer(ends, dtype=np.int64)[texts.offset :][: len(texts) + 1]
        return cls(np.frombuffer(data or b"", dtype=np.uint8), offsets)

    def size(self, rows: Ints) -> int:
        """The bytes of these rows."""
        return int((self.offsets[rows + 1] - self.offsets[rows]).sum())

    def pieces(self, rows: Ints) -> list[Ints]:
        """The rows, a few at a time."""
        sizes = self.offsets[rows + 1] - self.offsets[rows]
        cuts = np.flatnonzero(np.diff((np.cumsum(sizes) - 1) // PIECE)) + 1
        return [piece for piece in np.split(rows, cuts) if len(piece)]

    def packed(self, rows: Ints) -> tuple[pickle.PickleBuffer, bytes]:
        """The bytes of some rows, and where each of them ends; rows in a row are not copied."""
        begins, ends = self.offsets[rows], self.offsets[rows + 1]
        if rows[-1] - rows[0] == len(rows) - 1:
            joined = self.data[begins[0] : ends[-1]]
        else:
            parts = zip(begins.tolist(), ends.tolist(), strict=True)
            joined = np.concatenate([self.data[begin:end] for begin, end in parts])
        return pickle.PickleBuffer(joined.data), np.cumsum(ends - begins).tobytes()


def joined_texts(
    answers: Sequence[ChangedTexts], kind: pa.DataType, valid: NDArray[np.bool_]
) -> pa.Array:
    """All texts that came back as one array."""
    lengths = np.frombuffer(b"".join(answer.lengths for answer in answers), np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    data = np.frombuffer(b"".join(answer.data for answer in answers), np.uint8)
    return string_array(kind, data, ends, valid)


def with_rows(texts: pa.Array, rows: Ints, new: pa.Array) -> pa.Array:
    """The texts with others in these rows; no copy is made where there are none."""
    if not len(rows):
        return texts
    mask = np.zeros(len(texts), dtype=bool)
    mask[rows] = True
    return columns.replaced(texts, mask, new)
