"""What a run has decided on each document, as it is written beside the documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model.ragged import Floats, Ints

ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept_id", "twinset_score")
"""The fields that annotated documents have beside their own."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """Stretches of characters to be cut out of documents, in reading order.

    Those of document number i are ``start`` and ``end`` from ``first[i]`` up to ``first[i + 1]``;
    they rise and do not overlap.
    """

    first: Ints
    start: Ints
    end: Ints

    def slice(self, begin: int, count: int | None = None) -> Cuts:
        """Those of some consecutive documents."""
        last = None if count is None else begin + count + 1
        return Cuts(self.first[begin:last], self.start, self.end)

    def documents(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """The documents that lose something, by number, each with its stretches."""
        for number in np.flatnonzero(np.diff(self.first)).tolist():
            own = slice(int(self.first[number]), int(self.first[number + 1]))
            yield (
                number,
                list(zip(self.start[own].tolist(), self.end[own].tolist(), strict=True)),
            )


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One entry for every document, in reading order.

    ``cluster`` is -1 outside clusters; of several clusters it is the one with the lowest number.
    ``kept_id`` and ``score`` say which document stays in place of a removed one and how similar it
    is; for a document that stays they are null and NaN. ``unread`` are documents that could not be
    read; None where that is not known. ``cuts`` are to be made in the documents, where a run is not
    about whole ones.
    """

    keep: NDArray[np.bool_]
    cluster: Ints
    kept_id: pa.Array
    score: Floats
    unread: NDArray[np.bool_] | None = None
    cuts: Cuts | None = None

    @classmethod
    def of_cuts(cls, cuts: Cuts) -> Outcomes:
        """All documents stay, without what is cut out of them."""
        count = len(cuts.first) - 1
        return cls(
            np.ones(count, bool),
            np.full(count, -1, np.int64),
            pa.nulls(count, pa.string()),
            np.full(count, np.nan),
            cuts=cuts,
        )

    def __len__(self) -> int:
        return len(self.keep)

    def slice(self, begin: int, count: int | None = None) -> Outcomes:
        """Those of some consecutive documents."""
        rows = slice(begin, None if count is None else begin + count)
        return Outcomes(
            self.keep[rows],
            self.cluster[rows],
            self.kept_id.slice(begin, count),
            self.score[rows],
            None if self.unread is None else self.unread[rows],
            None if self.cuts is None else self.cuts.slice(begin, count),
        )
