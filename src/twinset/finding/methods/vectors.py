"""Vectors that come with the documents, of whatever encoder, joined exactly by their cosine.

The words of the documents decide nothing: they are counted beside, so that a pair says how many of
them it has in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Near
from twinset.finding.candidates.vectors import VectorJoin, Vectors
from twinset.finding.features import Shingles
from twinset.finding.methods.base import About, Search
from twinset.model import FeatureLists, Features, Ints
from twinset.plan import Resources
from twinset.plan.spec import option
from twinset.text.statistics import Statistics

WORDS = Shingles(1)


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """Finds every pair whose vectors, which a column brings, have a cosine at the threshold.

    The ``field`` holds lists of numbers, all of one length, which are taken in single precision.
    The score is rounded to six digits. ``shared`` and the containments are those of single words.
    """

    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    field: str = option("", "Column with the vectors, dots where nested.", metavar="FIELD")
    about: ClassVar[About] = About(
        paper="none",
        needs="a column of vectors in Parquet, Arrow or a frame; all of them in memory",
        cost="quadratic: in 16 cores minutes for a million vectors of 384 numbers",
        use="the same said in other words, by the encoder that you trust for it",
        avoid="other versions and papers of one form, which encoders hardly tell apart",
        published="recall 1 by construction",
        asks="field",
    )

    @property
    def vectors(self) -> str:
        """The column that the reader brings along."""
        return self.field

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        if self.field:
            return []
        return ["it needs the column of the vectors: write vectors:field=embedding"]

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> VectorSearch:
        """Begin a run."""
        if goal.threshold > 1:
            raise PlanError([f"a cosine is at most 1: the threshold {goal.threshold:g} is not"])
        return VectorSearch(goal, resources)


class VectorSearch(Search):
    """Vectors are kept, and joined at the end."""

    by_text = True
    side_by_side = True

    def __init__(self, goal: Goal, resources: Resources) -> None:
        self.goal, self.resources = goal, resources
        self.decides = f"have vectors of a cosine of {goal.threshold:g} or more"
        self._parts: list[Vectors] = []

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """The words."""
        return WORDS.extract(texts, threads)

    def prepare(self, features: Any, threads: int) -> Vectors:
        """The vectors of a batch, as they are."""
        vectors: Vectors = features
        return vectors

    def add(self, prepared: Any, documents: NDArray[np.uint32]) -> None:
        """Keep them."""
        self._parts.append(prepared)

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8], positions: Features) -> None:
        """In a crowd the documents that are preferred are the ones that others are held against."""
        self._order, self._kept = leaders.astype(np.uint32), kept.astype(bool)

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The join, in the order of preference."""
        order = self._order
        places = np.cumsum([0, *map(len, self._parts)])
        place = np.full(places[-1], -1)
        place[order] = np.arange(len(order))
        width = max((part.shape[1] for part in self._parts), default=0)
        vectors: Vectors = np.empty((len(order), width), np.float32)
        for first in reversed(places[:-1].tolist()):
            part = self._parts.pop()  # no vector is in memory twice
            rows = place[first : first + len(part)]
            if (there := rows >= 0).any():
                vectors[rows[there]] = part[there]
        join = VectorJoin(vectors, self.goal.threshold, self.resources.threads)
        pairs, *figures = join.pairs(self._kept, self.goal.dense)
        ends = order[pairs.left], order[pairs.right]
        return Near(np.minimum(*ends), np.maximum(*ends), pairs.score, *figures)

    def describe(self) -> dict[str, Any]:
        """The kind: nothing is missed."""
        return {"kind": "vectors", "threshold": self.goal.threshold, "recall": 1.0}
