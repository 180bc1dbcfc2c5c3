"""Rows of texts on their way to other processes and back, in pieces, without Python strings."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.columns import replaced
from twinset.reading.arrays import string_array

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
    return replaced(texts, mask, new)
