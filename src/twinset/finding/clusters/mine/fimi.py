"""The papers' files: the inverted table in FIMI form, and result lines.

A line of a FIMI file is a transaction: whole numbers separated by blanks. Here a line is a feature
and its numbers are the documents that have it (``shingles.txt.out``). A result line is
``id1 id2 ... count`` (``duplicates.txt``). A line of an index, as Yandex gave one to Kuznetsov et
al., begins with the word, and has a document as often as the word occurs in it.
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from twinset import _kernels
from twinset.errors import MissingFileError, PlanError, ReadError
from twinset.finding.clusters.mine.miners import MinedSets, Transactions
from twinset.model import Ints, Ragged


def whole_file(path: str | Path) -> tuple[str, bytes]:
    """What messages call a file (``-`` is standard input), and its bytes, ``.gz`` unpacked."""
    name = "standard input" if str(path) == "-" else str(path)
    with _open(path, name) as stream:
        return name, _whole(stream, name)


@contextmanager
def _open(path: str | Path, name: str) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as plain:
            packed = str(path).endswith(".gz")
            yield cast("BinaryIO", gzip.GzipFile(fileobj=plain)) if packed else plain
    except IsADirectoryError:
        raise ReadError(name, None, "is a folder; give a FIMI file") from None
    except FileNotFoundError:
        raise MissingFileError(name) from None


def _whole(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read()
    except (OSError, EOFError, zlib.error) as fault:
        raise ReadError(name, None, f"cannot be read to the end: {fault}") from None


LARGEST = 2**63 - 1
SETS = 200_000
"""Sets that are text at once."""
NO_NUMBER = 1
"""The kernel's word for a fault that is no number; the other one is too large."""


@dataclass(frozen=True, slots=True)
class Fimi:
    """A FIMI file as a table: item ``i`` is called ``labels[i]``, lines are in order.

    ``blank`` counts lines without a number, ``repeated`` numbers that a line has more than once
    (they count once); ``first_repeat`` is the first such line. Of an index ``outside`` counts the
    words that were left out.
    """

    table: Transactions
    labels: Ints
    lines: int
    blank: int
    repeated: int
    first_repeat: int | None
    outside: int = 0

    def notes(self) -> list[str]:
        """What was odd about the file, in sentences."""
        notes = []
        if self.outside:
            notes.append(
                f"words outside the interval, left out: {self.outside:,} of {self.lines:,}"
            )
        if self.blank:
            notes.append(f"blank lines, passed over: {self.blank:,} of {self.lines:,}")
        if self.repeated:
            notes.append(
                f"numbers repeated inside a line, counted once: {self.repeated:,}, first in line "
                f"{self.first_repeat:,}"
            )
        return notes


def read_fimi(path: str | Path, interval: tuple[float, float] | None = None) -> Fimi:
    """A FIMI file (``-`` is standard input, ``.gz`` is unpacked), checked line by line.

    With an ``interval`` it is an index, of which words of that relative frequency count.
    """
    name, text = whole_file(path)
    outside = 0
    if interval is not None:
        text, outside = _inside(text, *interval)
    letters = np.frombuffer(text, np.uint8) if text else np.empty(0, np.uint8)
    offsets, items, labels, blank, repeated, first, fault = _kernels.read_fimi_lines(letters)
    kind, line, begin, end = fault
    if kind:
        raise ReadError(name, line, _fault(kind, text[begin : min(end, begin + 40)]))
    table = Transactions(Ragged(items, offsets), len(labels))
    if interval is not None:
        blank, repeated = blank - outside, 0
    return Fimi(table, labels, len(offsets) - 1, blank, repeated, first or None, outside)


def _inside(index: bytes, low: float, high: float) -> tuple[bytes, int]:
    """The documents of each word, no line where it is outside the interval; how many are.

    The frequency is that of the word in the collection, by that of the most frequent word.
    """
    if not 0 <= low <= high <= 1:
        said = f"--interval must be two shares, the lower one first, not {low:g} {high:g}"
        raise PlanError([f"{said}: give 0.00001 0.5, as in the paper"])
    lines = [re.split(rb"[\s,]+", line.strip(b" \t,")) for line in index.splitlines()]
    counts = np.array([len(line) - 1 for line in lines], np.int64)
    bounds = np.array([low, high]) * counts.max(initial=0)
    kept = (counts >= bounds[0]) & (counts <= bounds[1])
    rows = (b" ".join(line[1:]) if keep else b"" for line, keep in zip(lines, kept, strict=True))
    return b"".join(row + b"\n" for row in rows), int(np.count_nonzero(~kept & (counts > 0)))


def _fault(kind: int, word: bytes) -> str:
    shown = word.decode("utf-8", "replace")
    if kind == NO_NUMBER:
        return f"'{shown}' is not the number of an item; a line holds whole numbers and blanks"
    return f"{shown} is above the largest number, {LARGEST}"


def result_text(sets: MinedSets, labels: Ints) -> Iterator[bytes]:
    """One line per set: the labels of its items, then its support; some thousand lines at once."""
    for first in range(0, len(sets), SETS):
        last = min(first + SETS, len(sets))
        offsets = sets.items.offsets[first : last + 1]
        supports = sets.supports[first:last]
        text = _kernels.write_fimi_lines(offsets, sets.items.values, labels, supports)
        yield text.tobytes()
