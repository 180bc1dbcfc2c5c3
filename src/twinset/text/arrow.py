"""Texts, mostly of Arrow, as the bytes and offsets that kernels read; copied where need be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.model import Ints, Ragged, offsets_of
from twinset.model import compute as pc

Bytes = NDArray[np.uint8]
# An Arrow array or chunked array of strings or bytes, rows of bytes in UTF-8, or a sequence of str
# (None = empty).
Texts: TypeAlias = Any

_NARROW = (pa.string(), pa.binary())
_WIDE = (pa.large_string(), pa.large_binary())
_WIDE_ARRAYS = (pa.LargeStringArray, pa.LargeBinaryArray)


def arrow_text(texts: Texts) -> tuple[Bytes, Ints]:
    """The data and the offsets (one more than documents) of texts; a null is an empty text."""
    if isinstance(texts, Ragged):
        return texts.values, texts.offsets
    # Whoever asks about one text at a time waits longer for the types than for the bytes.
    array = texts if isinstance(texts, pa.LargeStringArray) else _one_array(texts)
    if array.null_count:
        array = _without_hidden_bytes(array)
    _, ends, data = array.buffers()
    kind = np.int64 if isinstance(array, _WIDE_ARRAYS) else np.int32
    if ends is None or len(array) == 0:
        offsets = np.zeros(len(array) + 1, dtype=np.int64)
    else:
        whole = np.frombuffer(ends, dtype=kind, count=array.offset + len(array) + 1)
        offsets = whole[array.offset :].astype(np.int64, copy=False)
    return _as_bytes(data), offsets


def with_tails(
    data: Bytes, begins: Ints, ends: Ints, tails: list[bytes], tail_of: Ints
) -> tuple[Bytes, Ints]:
    """Pieces of the data, each with one of the tails behind it, and where each ends with that."""
    offsets = offsets_of(map(len, tails))
    bounds = np.cumsum(ends - begins + np.diff(offsets)[tail_of])
    written: Bytes = np.empty(int(bounds[-1]), np.uint8)
    text = np.frombuffer(b"".join(tails), np.uint8)
    _kernels.spliced(data, begins, ends, text, offsets, tail_of, written)
    return written, bounds


def _one_array(texts: Texts) -> pa.Array:
    """The texts as one array of a type with offsets."""
    if not isinstance(texts, (pa.Array, pa.ChunkedArray)):
        texts = _from_sequence(texts)
    if texts.type not in (*_NARROW, *_WIDE):
        texts = _cast(texts)
    if not isinstance(texts, pa.ChunkedArray):
        return texts
    if texts.num_chunks == 1:
        return texts.chunk(0)
    # 32-bit offsets of many chunks may not fit into one array.
    if texts.type in _NARROW:
        texts = texts.cast(_WIDE[_NARROW.index(texts.type)])
    return pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], texts.type)


def _cast(texts: Texts) -> Texts:
    try:
        return texts.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as fault:
        raise TwinsetError(f"texts are of Arrow type {texts.type}; give strings") from fault


def _from_sequence(texts: Sequence[str | None]) -> pa.Array:
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair: no character, so it separates words
        raw = [text and text.encode("utf-8", "surrogatepass") for text in texts]
        return pa.array(raw, pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as fault:
        raise TwinsetError(f"texts must be strings: {fault}") from fault


def _without_hidden_bytes(array: pa.Array) -> pa.Array:
    """Nulls may cover bytes, which are not part of any text: such an array is rewritten."""
    lengths = pc.binary_length(array.view(_WIDE[1] if array.type in _WIDE else _NARROW[1]))
    visible = pc.sum(lengths).as_py() or 0
    ends = np.frombuffer(array.buffers()[1], dtype=np.int32 if array.type in _NARROW else np.int64)
    spanned = int(ends[array.offset + len(array)]) - int(ends[array.offset])
    if spanned == visible:
        return array
    empty = "" if array.type in (pa.string(), pa.large_string()) else b""
    return pc.fill_null(array, empty)


def _as_bytes(data: pa.Buffer | None) -> Bytes:
    if data is None or data.size == 0:
        return np.zeros(0, dtype=np.uint8)
    return np.frombuffer(data, dtype=np.uint8)
