"""Texts of documents, cleaned where they are HTML pages: one at a time, or all of a batch.

Cleaning holds Python's lock, so the pages of batches go to other processes where there are enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model import Ints
from twinset.model.columns import valid
from twinset.reading.arrays import Packing, joined_texts, replaced, with_rows
from twinset.reading.faults import FAILED
from twinset.reading.source import ReadJob
from twinset.system.processes import Workers
from twinset.text.page_texts import (
    FIRST_PAGE,
    OUTCOMES,
    SCRIPTED,
    STAYS,
    ReadTexts,
    read_text,
    read_texts,
)
from twinset.text.pages import Named, may_be_pages

_LOST = len(OUTCOMES)
Codes = NDArray[np.uint8]


def as_text(job: ReadJob, text: str, place: int, named: Named = None) -> str:
    """One text, cleaned if it is a page; what was done, and what was left, is counted."""
    options = job.options
    text, outcome = read_text(text, options.html, options.page_text == "whole", named)
    if outcome:
        _note(job, np.array([outcome], np.uint8), np.array([place]))
    if job.repeated is None or outcome < FIRST_PAGE:
        return text
    trimmed = job.repeated.trimmed(text)
    job.counts.update(trimmed.counts())
    return trimmed.text


def cleaned(job: ReadJob, texts: pa.Array, places: Ints, named: Sequence[Named] = ()) -> pa.Array:
    """The texts with HTML turned into plain text where the options or the text itself say so.

    ``named`` says of each text what names it, if something does.
    """
    if job.options.html == "no" or len(texts) == 0:
        return texts
    packing = Packing.of(texts)
    may_be = np.array([name == "page" for name in named] or [False], bool)
    if job.options.html == "yes":
        may_be = np.ones(len(texts), bool)
    else:
        may_be = may_be | may_be_pages(packing.data, packing.offsets)
    rows = np.flatnonzero(may_be & valid(texts))
    if job.options.html != "yes" and len(rows):
        rows = _pages_among(job, texts, rows, places, named)
    if not len(rows):
        return texts
    if job.workers is not None and job.workers.pays(packing.size(rows)):
        return _cleaned_apart(job, job.workers, texts, packing, rows, places)
    pages = {}
    for row in rows.tolist():
        pages[row] = as_text(job, texts[row].as_py(), int(places[row]), "page")
    return replaced(texts, pages)


def _pages_among(
    job: ReadJob, texts: pa.Array, rows: Ints, places: Ints, named: Sequence[Named]
) -> Ints:
    """The rows that are pages; it is counted what the others are."""
    from twinset.text.pages import is_marked_up, is_page

    outcomes = np.zeros(len(rows), np.uint8)
    for at, row in enumerate(rows.tolist()):
        text = texts[row].as_py()
        is_one = is_page(text, named[row] if named else None)
        outcomes[at] = FIRST_PAGE if is_one else is_marked_up(text)
    is_other = outcomes < FIRST_PAGE
    _note(job, outcomes[is_other], places[rows[is_other]])
    return rows[~is_other]


def _cleaned_apart(
    job: ReadJob, workers: Workers, texts: pa.Array, packing: Packing, rows: Ints, places: Ints
) -> pa.Array:
    """The same by other processes; a page that ends its process is a fault of its own."""
    answers = list(_answers(job, workers, packing, rows))
    outcomes = np.frombuffer(b"".join(answer.outcomes for answer in answers), np.uint8)
    _note(job, outcomes, places[rows])
    for answer in answers:
        job.counts.update(answer.counts)
    changed = outcomes >= STAYS
    new = joined_texts(answers, texts.type, outcomes[changed] != _LOST)
    return with_rows(texts, rows[changed], new)


def _answers(job: ReadJob, workers: Workers, packing: Packing, rows: Ints) -> Iterator[ReadTexts]:
    keys = None if job.repeated is None else job.repeated.keys
    how = "yes", job.options.page_text == "whole", keys
    pieces = packing.pieces(rows)
    calls = [(*packing.packed(piece), *how) for piece in pieces]
    for answer, piece in zip(workers.results(read_texts, calls), pieces, strict=True):
        if answer is not None:
            yield answer
        elif len(piece) == 1:
            yield ReadTexts(bytes([_LOST]), bytes(8), bytearray())
        else:
            for row in piece:
                yield from _answers(job, workers, packing, np.array([row]))


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
        file = job.source.file_at(place := int(places[row]))
        fault = ("no-text", "the page has scripts but no visible text")
        kind, detail = ("failed", FAILED) if codes[row] == _LOST else fault
        job.faults.add(None if file else place, kind, detail, file)
    if job.options.drops_repeated and job.repeated is None:
        job.pages += places[is_page].tolist()
