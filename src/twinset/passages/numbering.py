"""Runs to spans: equal runs get one number, in the order of their first places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Ints
from twinset.passages.searching import Runs


class Occurrences(NamedTuple):
    """Places of spans, span by span and in reading order: characters of a document, and units."""

    span: Ints
    document: Ints
    start: Ints
    end: Ints
    units: Ints

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Which of them are the first of their span."""
        is_first: NDArray[np.bool_] = np.diff(self.span, prepend=-1) != 0
        return is_first

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return int(self.span[-1]) + 1 if len(self.span) else 0

    def taken(self, rows: NDArray[np.bool_]) -> Occurrences:
        """Some of the spans, which are numbered anew."""
        if rows.all():
            return self
        chosen = Occurrences(*(column[rows] for column in self))
        return chosen._replace(span=np.cumsum(chosen.is_first) - 1)


def numbered(
    runs: Runs, least: int, is_reference: NDArray[np.bool_], by_length: bool
) -> Occurrences:
    """The spans of at least so many units that not only references have.

    ``by_length`` says that equal runs are equally long texts, all shrunk as far as one of them had
    to be in order to begin and end with a whole grapheme cluster.
    """
    order, begins = _kernels.group_runs(runs.key, runs.check)
    span = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    places = (runs.document, runs.start, runs.end, runs.units)
    rows = Occurrences(span, *(column[order] for column in places))
    if not len(order):
        return rows
    begins, units = begins[:-1], rows.units
    if by_length:  # equal runs of words have as many
        units = np.minimum.reduceat(units, begins)[rows.span]
        shortest = np.minimum.reduceat(rows.end - rows.start, begins)[rows.span]
        lead = np.maximum.reduceat(runs.lead[order], begins)[rows.span]
        units = units - np.maximum.reduceat(runs.lead_units[order], begins)[rows.span]
        rows = rows._replace(start=rows.start + lead, end=rows.start + shortest)
    stays = units >= least
    if is_reference.any():
        stays &= np.logical_or.reduceat(~is_reference[rows.document], begins)[rows.span]
    return rows._replace(units=units).taken(stays)


def in_groups(same_as: Ints, goes: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Units that are the same as others, and these: numbers of units, and of their groups.

    Groups stand in the order of their first units, which stand in that of reading.
    """
    chosen = goes.copy()
    chosen[same_as[goes]] = True
    rows = np.flatnonzero(chosen)
    group = same_as[rows]
    first = np.full(len(goes), len(goes))
    np.minimum.at(first, group, rows)
    rows = rows[np.lexsort((rows, first[group]))]
    _, span = np.unique(first[same_as[rows]], return_inverse=True)
    return rows, span
