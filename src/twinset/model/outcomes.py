"""What a run has decided on each document, as it is written beside the documents."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model.columns import column
from twinset.model.ragged import Floats, Ints

ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept_id", "twinset_score")
"""The fields that annotated documents have beside their own."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One entry for every document, in reading order.

    ``cluster`` is -1 outside clusters; of several clusters it is the one with the lowest number.
    ``kept_id`` and ``score`` say which document stays in place of a removed one and how similar it
    is; for a document that stays they are null and NaN. ``id`` is what the run calls each document,
    where its record may have no id or one that is not its own. ``unread`` are documents that could
    not be read; None where that is not known.
    """

    keep: NDArray[np.bool_]
    cluster: Ints
    kept_id: pa.Array
    score: Floats
    id: pa.Array | None = None
    unread: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.keep)

    def take(self, rows: Ints) -> Outcomes:
        """What was decided on some documents."""
        return Outcomes(
            self.keep[rows], self.cluster[rows], self.kept_id.take(column(rows)), self.score[rows]
        )

    def slice(self, begin: int, count: int | None = None) -> Outcomes:
        """Those of some consecutive documents."""
        rows = slice(begin, None if count is None else begin + count)
        return Outcomes(
            self.keep[rows],
            self.cluster[rows],
            self.kept_id.slice(begin, count),
            self.score[rows],
            None if self.id is None else self.id.slice(begin, count),
            None if self.unread is None else self.unread[rows],
        )
