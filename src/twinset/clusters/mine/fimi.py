"""The papers' files: the inverted table in FIMI form, and result lines.

A line of a FIMI file is a transaction: whole numbers separated by blanks. Here a line is a feature
and its numbers are the documents that have it (``shingles.txt.out``). A result line is
``id1 id2 ... count`` (``duplicates.txt``).
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from twinset.clusters.context import Context
from twinset.clusters.mine.sets import Transactions
from twinset.errors import MissingFileError, ReadError
from twinset.model import Features, Ints, Ragged
from twinset.model.columns import column

LARGEST = 2**63 - 1
SLICE = 2_000_000
"""About how many entries of the inverted table are in memory at once."""
LINES = 100_000
"""Lines that are Python strings at once."""
SAMPLE = 100_000
"""How many entries the ranges are chosen from."""


@dataclass(frozen=True, slots=True)
class Fimi:
    """A FIMI file as a table: item ``i`` is called ``labels[i]``, lines are in order.

    ``blank`` counts lines without a number, ``repeated`` numbers that a line has more than once
    (they count once); ``first_repeat`` is the first such line.
    """

    table: Transactions
    labels: Ints
    lines: int
    blank: int
    repeated: int
    first_repeat: int | None

    def notes(self) -> list[str]:
        """What was odd about the file, in sentences."""
        notes = []
        if self.blank:
            notes.append(f"blank lines, passed over: {self.blank:,} of {self.lines:,}")
        if self.repeated:
            notes.append(
                f"numbers repeated inside a line, counted once: {self.repeated:,}, first in line "
                f"{self.first_repeat:,}"
            )
        return notes


def read_fimi(path: str | Path) -> Fimi:
    """A FIMI file (``-`` is standard input, ``.gz`` is unpacked), checked line by line."""
    name = "standard input" if str(path) == "-" else str(path)
    items: list[int] = []
    sizes: list[int] = []
    lines = blank = repeated = 0
    first_repeat = None
    with _open(path, name) as stream:
        for line in _lines(stream, name):
            lines += 1
            numbers = _numbers(line, name, lines)
            unique = set(numbers)
            blank += not numbers
            if len(unique) < len(numbers):
                repeated += len(numbers) - len(unique)
                first_repeat = first_repeat or lines
            items.extend(sorted(unique))
            sizes.append(len(unique))
    labels, places = np.unique(np.array(items, np.int64), return_inverse=True)
    rows = Ragged.from_lengths(places.astype(np.int32), sizes)
    table = Transactions(rows, len(labels))
    return Fimi(table, labels, lines, blank, repeated, first_repeat)


@contextmanager
def _open(path: str | Path, name: str) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as plain:
            packed = str(path).endswith(".gz")
            yield cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if packed else plain
    except IsADirectoryError:
        raise ReadError(name, None, "is a folder; give a FIMI file") from None
    except FileNotFoundError:
        raise MissingFileError(name) from None


def _lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    try:
        yield from stream
    except (OSError, EOFError) as fault:
        raise ReadError(name, None, f"cannot be read to the end: {fault}") from None


def _numbers(line: bytes, name: str, place: int) -> list[int]:
    words = line.split()
    if all(word.isdigit() for word in words):
        numbers = [int(word) for word in words if len(word) < 19] if words else []
        if len(numbers) == len(words):
            return numbers
    for word in words:
        shown = word[:40].decode("utf-8", "replace")
        if not word.isdigit():
            fault = f"'{shown}' is not a document number; a line holds whole numbers and blanks"
            raise ReadError(name, place, fault)
        if len(word) > 19 or int(word) > LARGEST:
            raise ReadError(name, place, f"{shown} is above the largest number, {LARGEST}")
    return [int(word) for word in words]


def write_fimi(
    context: Context, stream: TextIO, numbers: Sequence[int] | None = None, least: int = 1
) -> None:
    """The inverted table: for each feature, ascending, a line of its documents.

    Documents go by their place in the context or by ``numbers``, because FIMI knows no names.
    Features of fewer than ``least`` documents are left out.
    """
    called = np.arange(len(context)) if numbers is None else np.asarray(numbers)
    for feature, owner in _slices(context):
        new = np.r_[True, feature[1:] != feature[:-1]]
        sizes = np.diff(np.r_[np.flatnonzero(new), len(feature)])
        kept = Ragged.from_lengths(owner, sizes).take(sizes >= least)
        words = column(called[kept.values]).cast(pa.large_string())
        lists = pa.LargeListArray.from_arrays(column(kept.offsets), words)
        lines = pc.binary_join(lists, pa.scalar(" ", pa.large_string()))
        for first in range(0, len(lines), LINES):
            stream.writelines(f"{line}\n" for line in lines.slice(first, LINES).to_pylist())


def _slices(context: Context) -> Iterator[tuple[Features, Ints]]:
    """Sorted features with their documents, a range of features at a time to spare memory."""
    held = context.flat
    cuts = _cuts(held)
    ranges = np.empty(len(held), np.int32)
    for first in range(0, len(held), SLICE):
        part = slice(first, first + SLICE)
        ranges[part] = np.searchsorted(cuts, held[part], "right")
    for number in range(len(cuts) + 1):
        place = np.flatnonzero(ranges == number)
        if len(place):
            place = place[np.argsort(held[place], kind="stable")]
            starts = context.offsets - context.offsets[0]
            yield held[place], np.searchsorted(starts, place, "right") - 1


def _cuts(held: Features) -> Features:
    """Where to cut the features so that about as many entries lie between any two cuts.

    Images are sorted and often of one size: a sample by even steps would be of their least values.
    """
    slices = -(-len(held) // SLICE)
    if slices < 2:
        return held[:0]
    scattered = np.arange(min(SAMPLE, len(held))) * 2654435761 % len(held)
    sample = np.sort(held[scattered])
    return np.unique(sample[np.arange(1, slices) * len(sample) // slices])


def result_lines(
    sets: Iterable[tuple[tuple[int, ...], int]], labels: Sequence[object] | Ints
) -> Iterator[str]:
    """One line a set: the names of its documents, then the number of shared features."""
    for documents, support in sets:
        yield " ".join([*(str(labels[document]) for document in documents), str(support)])
