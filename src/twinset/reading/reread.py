"""Reads single documents of a source again by their places, if possible without what lies between.

Files of a folder are opened one by one, and lines of plain JSON lines are found by an index of
where lines begin, built once. Other formats are read from their beginning.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from twinset.model import Ints
from twinset.plan import spec
from twinset.reading.cleaning import as_text
from twinset.reading.inputs import Inputs
from twinset.reading.jsonl import parse
from twinset.reading.ledger import NO_STATES
from twinset.reading.source import PARTS_APART, Source
from twinset.reading.stream import bounds_of
from twinset.system.places import open_place
from twinset.system.remote import Place, RemotePath
from twinset.text.encoding import byte_order_mark

EVERY = 64
"""The index holds the beginning of every 64th line."""
PIECE = 16 << 20


class RereadDocument(NamedTuple):
    """A document read again: the id is None where the input names none."""

    place: int
    id: str | None
    text: str


def fetch(inputs: Inputs, source: Source, places: Sequence[int]) -> Iterator[RereadDocument]:
    """The documents at these places that can be read, in their order, as they are compared."""
    boilerplate = inputs.repetition.boilerplate
    for document in _fetched(inputs, source, sorted(set(places))):
        if boilerplate is not None:
            document = document._replace(text=boilerplate.without(document.text))
        yield document


def _fetched(inputs: Inputs, source: Source, places: list[int]) -> Iterator[RereadDocument]:
    if source.files:
        return _files(inputs, source, places)
    if source.reader == "jsonl" and not source.compression and _has_lines(source):
        return _lines(inputs, source, places)
    return _from_the_beginning(inputs, source, places)


def _has_lines(source: Source) -> bool:
    """Whether lines can be gone to: not in UTF-16, and not on a web server without ranges."""
    with open_place(source.path) as file:
        return file.seekable() and byte_order_mark(file.read(4)) is None


def _files(inputs: Inputs, source: Source, places: list[int]) -> Iterator[RereadDocument]:
    numbers = sorted({place % PARTS_APART for place in places})
    numbers = [number for number in numbers if 1 <= number <= len(source.files)]
    # Files are numbered anew; their parts keep their distance.
    renumbered = {number: at for at, number in enumerate(numbers, 1)}
    original = {
        place - place % PARTS_APART + renumbered[place % PARTS_APART]: place
        for place in places
        if place % PARTS_APART in renumbered
    }
    files = tuple(source.files[number - 1] for number in numbers)
    some = dataclasses.replace(source, files=files, states=NO_STATES)
    if files:
        for document in _from_the_beginning(inputs, some, sorted(original)):
            yield document._replace(place=original[document.place])


def _from_the_beginning(
    inputs: Inputs, source: Source, places: list[int]
) -> Iterator[RereadDocument]:
    requested = np.array(places, dtype=np.int64)
    missing = set(places)
    job = inputs.job(source)
    for batch in spec.make("reader", source.reader).read(job):
        for row in np.flatnonzero(np.isin(batch.places, requested)).tolist():
            missing.discard(int(batch.places[row]))
            text = batch.texts[row].as_py()
            if text is not None:
                yield RereadDocument(int(batch.places[row]), batch.ids[row].as_py(), text)
        if not missing:
            return


def _lines(inputs: Inputs, source: Source, places: list[int]) -> Iterator[RereadDocument]:
    begins = line_index(source.path, *_version(source.path))
    job = inputs.job(source)
    with open_place(source.path, bounds_of(job), buffering=-1) as file:
        for place in places:
            before = (place - 1) // EVERY
            if before >= len(begins):
                return
            file.seek(int(begins[before]))
            for _ in range((place - 1) % EVERY):
                file.readline()
            id, text, _ = parse(job, file.readline(job.limit + 1).rstrip(b"\r\n"), place)
            if text is not None:
                yield RereadDocument(place, id, as_text(job, text, place))


def _version(path: Place) -> tuple[int | None, int | str]:
    """The size of a file and what changes with it: its time, or the mark that its store gives."""
    if isinstance(path, RemotePath):
        status = path.status(fresh=True)
        return status.bytes, status.version or status.modified
    here = os.stat(path)
    return here.st_size, here.st_mtime_ns


@lru_cache(maxsize=8)
def line_index(path: Place, size: int | None, changed: int | str) -> Ints:
    """Where lines 1, 65, 129, ... begin; kept while the file has this size and time of change."""
    begins, lines, at = [np.zeros(1, np.int64)], 0, 0
    with open_place(path, ahead=True) as file:
        while piece := file.read(PIECE):
            ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == 10)
            # The n-th line end of the file is where line n + 1 begins.
            first = (-lines - 1) % EVERY
            begins.append(at + ends[first::EVERY] + 1)
            lines += len(ends)
            at += len(piece)
    return np.concatenate(begins)
