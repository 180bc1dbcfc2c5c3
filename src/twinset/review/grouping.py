"""Clusters as arrays of document numbers, whatever made them: the run, or a higher threshold."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Floats, Ints

Numbers = NDArray[np.int32]


class Inside(NamedTuple):
    """For each cluster its lowest similarity, NaN where unknown, and whether it is chained."""

    weakest: Floats
    chained: NDArray[np.bool_]


@dataclass(frozen=True)
class Grouping:
    """Members lie in ``document``, those of the n-th cluster from ``starts[n]`` to ``starts[n+1]``.

    ``number`` names the clusters; ``anchor`` (-1 where there is none) and ``score`` (NaN) stand
    beside the members; ``shared`` beside the clusters where all members share so many features, and
    ``quality`` where the kind of cluster measures it. ``kind`` has the least close kind of each
    cluster, a place in `KINDS`, -1 where it was not computed; None at another threshold.
    ``look_inside`` tells what takes long to find out, when it is asked for.
    """

    number: Ints
    starts: Ints
    document: Numbers
    anchor: Numbers
    score: Floats
    look_inside: Callable[[], Inside]
    shared: Ints | None = None
    quality: Floats | None = None
    kind: NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def _inside(self) -> Inside:
        return self.look_inside()

    @cached_property
    def weakest(self) -> Floats:
        """The least similarity to the anchor or, where there is none, inside; NaN where unknown."""
        least = np.fmin.reduceat(self.score, self.starts[:-1]) if len(self) else np.empty(0)
        without = np.isnan(least)
        return np.where(without, self._inside.weakest, least) if without.any() else least

    @property
    def chained(self) -> NDArray[np.bool_]:
        """For each cluster whether a pair inside is below the threshold."""
        return self._inside.chained

    @cached_property
    def sizes(self) -> Ints:
        """How many members each cluster has."""
        return np.diff(self.starts)

    @cached_property
    def documents(self) -> int:
        """How many documents are in a cluster, each counted once."""
        return int(np.count_nonzero(np.bincount(self.document))) if len(self.document) else 0

    @cached_property
    def _by_document(self) -> tuple[Numbers, Ints]:
        order = np.argsort(self.document, kind="stable")
        return self.document[order], order

    def row_of(self, number: int) -> int | None:
        """Where the cluster of this number stands."""
        row = int(np.searchsorted(self.number, number))
        return row if row < len(self) and self.number[row] == number else None

    def members(self, row: int) -> slice:
        """Where the members of a cluster lie."""
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    def rows_with(self, document: int) -> list[int]:
        """The clusters that hold a document."""
        sorted_, order = self._by_document
        first, last = np.searchsorted(sorted_, [document, document + 1])
        rows: list[int] = (np.searchsorted(self.starts, order[first:last], "right") - 1).tolist()
        return sorted(rows)

    def rows_with_any(self, documents: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each cluster, whether it holds one of the marked documents."""
        if not len(self):
            return np.zeros(0, bool)
        flags: NDArray[np.bool_] = np.logical_or.reduceat(
            documents[self.document], self.starts[:-1]
        )
        return flags


def begins(cluster: Ints) -> Ints:
    """Where each cluster begins, in rows (one per member) sorted by cluster."""
    starts: Ints = np.flatnonzero(
        np.concatenate([[True], cluster[1:] != cluster[:-1]])[: len(cluster)]
    )
    return starts
