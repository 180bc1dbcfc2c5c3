"""What was decided on documents, as values of the fields that annotated documents have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from twinset.model import Floats, Ints
from twinset.model.columns import column
from twinset.model.outcomes import ADDED, Outcomes

_DIGITS = 6


class Note(NamedTuple):
    """The values of the fields `ADDED`, in their order."""

    cluster: int | None
    keep: bool
    kept_id: str | None
    score: float | None

    def cells(self) -> tuple[str, str, str, str]:
        """The values as texts; empty where there is none."""
        return (
            "" if self.cluster is None else str(self.cluster),
            "true" if self.keep else "false",
            self.kept_id or "",
            "" if self.score is None else repr(self.score),
        )


UNREAD = Note(None, True, None, None)
"""Of a document that could not be read, and of any that stays and is like no other."""


def notes_of(outcomes: Outcomes) -> Iterator[Note]:
    """One for each document."""
    scores = rounded(outcomes.score).tolist()
    for cluster, keep, kept_id, score in zip(
        outcomes.cluster.tolist(),
        outcomes.keep.tolist(),
        outcomes.kept_id.to_pylist(),
        scores,
        strict=True,
    ):
        yield Note(
            None if cluster < 0 else cluster, keep, kept_id, None if math.isnan(score) else score
        )


def notable(outcomes: Outcomes) -> Ints:
    """The documents with another note than `UNREAD`."""
    return np.flatnonzero((outcomes.cluster >= 0) | ~outcomes.keep | ~np.isnan(outcomes.score))


def rounded(scores: Floats) -> Floats:
    """Scores with up to six digits behind the point."""
    values: Floats = np.round(np.asarray(scores, np.float64), _DIGITS).astype(np.float64)
    return values


def columns_of(outcomes: Outcomes) -> dict[str, pa.Array]:
    """The same as columns of a table."""
    scores = rounded(outcomes.score)
    values = (
        column(np.asarray(outcomes.cluster, np.int64), missing=outcomes.cluster < 0),
        column(outcomes.keep),
        outcomes.kept_id.cast(pa.string()),
        column(scores, missing=np.isnan(scores)),
    )
    return dict(zip(ADDED, values, strict=True))
