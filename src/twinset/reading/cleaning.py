"""Texts of documents, cleaned where they are HTML pages: one at a time, or all of a batch.

Cleaning holds Python's lock, so the pages of batches go to other processes where there are enough.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.columns import flags
from twinset.reading.arrays import bools, replaced, string_array
from twinset.reading.source import ReadJob
from twinset.system.processes import LostCall, Workers
from twinset.text.page_texts import (
    FIRST_PAGE,
    OUTCOMES,
    SCRIPTED,
    STAYS,
    ReadTexts,
    read_text,
    read_texts,
)

if TYPE_CHECKING:
    from twinset.text.pages import Named

PIECE = 1 << 18
"""Bytes of pages that go to another process at a time."""
FAILED = "reading it takes too much memory or time, or ends its reader"
_SPACE_OR_TAG = np.zeros(256, dtype=bool)
_SPACE_OR_TAG[list(b"< \t\r\n\xef\xc2")] = (
    True  # \xef and \xc2 begin a byte order mark or a wide space
)
_LOST = len(OUTCOMES)
Codes = NDArray[np.uint8]


def as_text(job: ReadJob, text: str, place: int, named: Named = None) -> str:
    """One text, cleaned if it is a page; what was done, and what was left, is counted."""
    options = job.options
    text, outcome = read_text(text, options.html, options.page_text == "whole", named)
    if outcome:
        _note(job, np.array([outcome], np.uint8), np.array([place]))
    if job.repeated is not None and outcome >= FIRST_PAGE:
        return _trimmed(job, text)
    return text


def cleaned(job: ReadJob, texts: pa.Array, places: Ints) -> pa.Array:
    """The texts with HTML turned into plain text where the options or the text itself say so."""
    if job.options.html == "no" or len(texts) == 0:
        return texts
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset :][: len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)
    rows = _markup_rows(job, data, offsets)
    rows = rows[flags(texts.is_valid())[rows]] if texts.null_count else rows
    size = int((offsets[rows + 1] - offsets[rows]).sum())
    if job.workers is not None and job.workers.pays(size):
        return _cleaned_apart(job, job.workers, texts, (data, offsets), rows, places)
    pages = {}
    for row in rows.tolist():
        text = texts[row].as_py()
        if (plain := as_text(job, text, int(places[row]))) is not text:
            pages[row] = plain
    return replaced(texts, pages)


def _markup_rows(job: ReadJob, data: Codes, offsets: Ints) -> Ints:
    if job.options.html == "yes":
        return np.arange(len(offsets) - 1)
    full = offsets[:-1] < offsets[1:]
    hits = np.zeros(len(offsets) - 1, dtype=bool)
    hits[full] = _SPACE_OR_TAG[data[offsets[:-1][full]]]
    # A page that begins elsewhere closes some elements, and four bytes hold any character.
    tags = offsets[0] + np.flatnonzero(data[offsets[0] : offsets[-1]][:-1] == ord("<"))
    tags = tags[data[tags + 1] == ord("/")]
    if not len(tags):
        return np.flatnonzero(hits)
    from twinset.text.pages import HEAD, LEAST_CLOSED

    begins, ends = offsets[:-1], np.minimum(offsets[1:], offsets[:-1] + 4 * HEAD)
    hits |= np.searchsorted(tags, ends) - np.searchsorted(tags, begins) >= LEAST_CLOSED
    return np.flatnonzero(hits)


def _cleaned_apart(
    job: ReadJob,
    workers: Workers,
    texts: pa.Array,
    buffers: tuple[Codes, Ints],
    rows: Ints,
    places: Ints,
) -> pa.Array:
    """The same by other processes; a page that ends its process is a fault of its own."""
    data, offsets = buffers
    sizes = offsets[rows + 1] - offsets[rows]
    cuts = np.flatnonzero(np.diff((np.cumsum(sizes) - 1) // PIECE)) + 1
    pieces = [piece for piece in np.split(rows, cuts) if len(piece)]
    answers = list(_answers(job, workers, data, offsets, pieces))
    outcomes = np.frombuffer(b"".join(answer.outcomes for answer in answers), np.uint8)
    _note(job, outcomes, places[rows])
    changed = outcomes >= STAYS
    lengths = np.frombuffer(b"".join(answer.lengths for answer in answers), np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    joined = np.frombuffer(b"".join(answer.data for answer in answers), np.uint8)
    new = string_array(texts.type, joined, ends, outcomes[changed] != _LOST)
    if job.repeated is not None:
        trimmed = enumerate(new.to_pylist())
        new = replaced(new, {row: _trimmed(job, text) for row, text in trimmed if text is not None})
    mask = np.zeros(len(texts), dtype=bool)
    mask[rows[changed]] = True
    return pc.replace_with_mask(texts, bools(mask), new)


def _answers(
    job: ReadJob, workers: Workers, data: Codes, offsets: Ints, pieces: list[Ints]
) -> Iterator[ReadTexts]:
    options = job.options
    how = options.html, options.page_text == "whole"
    calls = [(*_packed(data, offsets, rows), *how) for rows in pieces]
    for answer, rows in zip(workers.results(read_texts, calls), pieces, strict=True):
        if not isinstance(answer, LostCall):
            yield answer
        elif len(rows) == 1:
            yield ReadTexts(bytes([_LOST]), bytes(8), bytearray())
        else:
            yield from _answers(job, workers, data, offsets, [*rows.reshape(-1, 1)])


def _packed(data: Codes, offsets: Ints, rows: Ints) -> tuple[pickle.PickleBuffer, bytes]:
    begins, ends = offsets[rows], offsets[rows + 1]
    if rows[-1] - rows[0] == len(rows) - 1:
        joined = data[begins[0] : ends[-1]]
    else:
        parts = zip(begins.tolist(), ends.tolist(), strict=True)
        joined = np.concatenate([data[begin:end] for begin, end in parts])
    return pickle.PickleBuffer(joined.data), np.cumsum(ends - begins).tobytes()


def _note(job: ReadJob, outcomes: Codes, places: Ints) -> None:
    """Count what became of the texts; report pages without text, and those that failed."""
    codes = outcomes & (SCRIPTED - 1)
    is_page = (codes >= FIRST_PAGE) & (codes != _LOST)
    counts = dict(
        zip(OUTCOMES[1:], np.bincount(codes, minlength=_LOST + 1)[1:].tolist(), strict=False)
    )
    job.counts.update({name: count for name, count in counts.items() if count})
    if pages := int(is_page.sum()):
        job.counts["html_cleaned"] += pages
    for row in np.flatnonzero(outcomes >= _LOST).tolist():
        if codes[row] == _LOST:
            job.faults.add(int(places[row]), "failed", FAILED)
        else:
            detail = "the page has scripts but no visible text"
            job.faults.add(int(places[row]), "no-text", detail)
    if job.options.drops_repeated and job.repeated is None:
        job.pages += places[is_page].tolist()


def _trimmed(job: ReadJob, text: str) -> str:
    assert job.repeated is not None
    trimmed = job.repeated.trimmed(text)
    job.counts.update(trimmed.counts())
    return trimmed.text
