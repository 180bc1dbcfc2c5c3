"""Stretches of characters: those that overlap become one, and those of repeats are dropped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.model import Ints, offsets_of
from twinset.passages.numbering import Occurrences


class Stretches(NamedTuple):
    """Characters ``start`` to ``end`` of documents, in reading order; no two touch each other."""

    document: Ints
    start: Ints
    end: Ints

    def characters(self, documents: int) -> Ints:
        """How many they are in each of so many documents."""
        sums = np.bincount(self.document, self.end - self.start, minlength=documents)
        return sums.astype(np.int64)


def united(document: Ints, start: Ints, end: Ints, characters: Ints) -> Stretches:
    """The characters that lie in any of these stretches; ``characters`` are those of documents."""
    # one number line for all documents, with a gap of one behind each
    before = offsets_of(characters + 1)
    # where all that began before have ended, the number of beginnings is that of ends
    left, right = np.sort(before[document] + start), np.sort(before[document] + end)
    begins = np.ones(len(left), bool)
    begins[1:] = left[1:] > right[:-1]
    left, right = left[begins], right[np.roll(begins, -1)]
    of = np.searchsorted(before, left, side="right") - 1
    return Stretches(of, left - before[of], right - before[of])


def repeated(
    rows: Occurrences, characters: Ints, is_reference: NDArray[np.bool_], every: bool = False
) -> Stretches:
    """What is dropped: all places of the spans but the first of each, or ``every`` place.

    Nothing is dropped from references. What is left holds no N units twice that stood together
    before, and every unit that was dropped stands in a place before it that stays.
    """
    goes = ~is_reference[rows.document]
    if not every:
        goes &= ~rows.is_first
    return united(rows.document[goes], rows.start[goes], rows.end[goes], characters)
