"""What a run has decided on each document, as it is written beside the documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.model.ragged import Floats, Ints

ADDED = ("twinset_cluster", "twinset_keep", "twinset_kept_id", "twinset_score")
"""The fields that annotated documents have beside their own."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One entry for every document, in reading order.

    ``cluster`` is -1 outside clusters; of several clusters it is the one with the lowest number.
    ``kept_id`` and ``score`` say which document stays in place of a removed one and how similar it
    is; for a document that stays they are null and NaN.
    """

    keep: NDArray[np.bool_]
    cluster: Ints
    kept_id: pa.Array
    score: Floats

    def __len__(self) -> int:
        return len(self.keep)
