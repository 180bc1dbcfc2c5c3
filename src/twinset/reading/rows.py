"""Rows to batches: what every reader does last (mark-up to text, nulls, faults), in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from twinset.model import Batch, Fault, Floats, Ints, offsets_of
from twinset.reading.encoding import without_surrogates
from twinset.reading.source import Job
from twinset.text.clean import Named, html_to_text, is_marked_up, is_page

_SPACE_OR_TAG = np.zeros(256, dtype=bool)
_SPACE_OR_TAG[list(b"< \t\r\n\xef\xc2")] = (
    True  # \xef and \xc2 begin a byte order mark or a wide space
)


@dataclass(slots=True)
class Rows:
    """Documents gathered one by one, for readers that meet them as Python strings."""

    ids: list[str | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    order: list[float] = field(default_factory=list)
    bytes: int = 0

    def add(self, id: str | None, text: str | None, place: int, order: float = math.nan) -> None:
        """Append a document; a text of None stands for one that could not be read."""
        self.ids.append(id or None)
        self.texts.append(text)
        self.places.append(place)
        self.order.append(order)
        self.bytes += len(text or "")

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, job: Job) -> Batch:
        """These documents as a batch; mark-up has been seen to."""
        return Batch(
            strings(self.ids, pa.string()),
            strings(self.texts, pa.large_string()),
            job.source.name,
            np.array(self.places, dtype=np.int64),
            np.array(self.order) if job.options.order else None,
            job.faults.take(),
            job.take_counts(),
        )


def empty_batch(
    source: str, faults: tuple[Fault, ...], counts: Mapping[str, int] | None = None
) -> Batch:
    """A batch that carries nothing but faults and counts."""
    none = np.empty(0, dtype=np.int64)
    return Batch(
        strings([], pa.string()),
        strings([], pa.large_string()),
        source,
        none,
        None,
        faults,
        counts or {},
    )


def strings(values: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """Python strings as an Arrow array, surrogates replaced where the values hold any.

    Built from its buffers: ``pa.array`` would load pandas where that is installed.
    """
    encoded = [b"" if value is None else _encoded(value) for value in values]
    offsets = offsets_of(map(len, encoded))
    valid = np.array([value is not None for value in values], dtype=bool)
    return string_array(kind, np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets, valid)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return without_surrogates(text).encode("utf-8")


def string_array(
    kind: pa.DataType, data: NDArray[np.uint8], offsets: Ints, valid: NDArray[np.bool_]
) -> pa.Array:
    """An Arrow array around bytes that are known to be UTF-8; nothing is copied but the offsets."""
    starts: Any = offsets if kind == pa.large_string() else offsets.astype(np.int32)
    bits = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [bits, pa.py_buffer(starts), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(valid), buffers)


def replaced(array: pa.Array, values: Mapping[int, str | None]) -> pa.Array:
    """The array with some of its rows replaced."""
    if not values:
        return array
    mask = np.zeros(len(array), dtype=bool)
    rows = sorted(values)
    mask[rows] = True
    new = strings([values[row] for row in rows], array.type)
    return pc.replace_with_mask(array, bools(mask), new)


def bools(mask: NDArray[np.bool_]) -> pa.Array:
    """A mask as an Arrow array."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def cleaned(job: Job, texts: pa.Array) -> pa.Array:
    """The texts with HTML turned into plain text where the options or the text itself say so."""
    pages = {}
    for row in _markup_rows(job, texts):
        text = texts[row].as_py()
        if text is not None and (plain := as_text(job, text)) is not text:
            pages[row] = plain
    return replaced(texts, pages)


def as_text(job: Job, text: str, named: Named = None) -> str:
    """One text, cleaned if it is a page; what was cleaned and what was left is counted."""
    if job.options.html == "no":
        return text
    if job.options.html == "yes" or is_page(text, named):
        job.counts["html_cleaned"] += 1
        return html_to_text(text)
    if is_marked_up(text):
        job.counts["markup_left"] += 1
    return text


def _markup_rows(job: Job, texts: pa.Array) -> Sequence[int]:
    if job.options.html == "no" or len(texts) == 0:
        return ()
    if job.options.html == "yes":
        return range(len(texts))
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset :][: len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)
    full = offsets[:-1] < offsets[1:]
    hits = np.zeros(len(texts), dtype=bool)
    hits[full] = _SPACE_OR_TAG[data[offsets[:-1][full]]]
    rows: list[int] = np.flatnonzero(hits).tolist()
    return rows


def number(value: object) -> float:
    """A number for ordering from whatever the field holds, NaN where it holds none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def no_floats(count: int) -> Floats:
    """NaN for every row."""
    return np.full(count, math.nan)
