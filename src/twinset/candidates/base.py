"""What the candidate generators share: the groups they yield and the goal they are made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.model import Features, Ints, Measure
from twinset.plan import Resources

Numbers = NDArray[np.uint32]
JACCARD, OVERLAP = 0, 4  # the kernels' numbers of the measures that images are joined by


@dataclass(frozen=True, slots=True)
class Goal:
    """What is sought: pairs at or above a threshold, and the share of them to be found."""

    measure: Measure
    threshold: float
    recall: float
    dense: int

    def least_jaccard(self) -> float:
        """The similarity that bands and samples are solved for; refused where there is none."""
        least = self.measure.least_jaccard(self.threshold)
        if least is None:
            name = type(self.measure).__name__.lower()
            raise PlanError([f"no recall can be promised for the measure {name}: use --exact"])
        return least


@dataclass(frozen=True, slots=True)
class Groups:
    """Documents that share a key, group by group; documents of a group rise."""

    offsets: Ints
    documents: Numbers

    def sizes(self) -> Ints:
        """The number of documents of each group."""
        return np.diff(self.offsets)

    def where(self, chosen: NDArray[np.bool_]) -> Groups:
        """Only the chosen groups."""
        sizes = self.sizes()
        offsets = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64)
        return Groups(offsets, self.documents[np.repeat(chosen, sizes)])

    def beside(self, other: Groups) -> Groups:
        """These groups, then the other ones."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return Groups(offsets, np.concatenate([self.documents, other.documents]))


class Candidates(Protocol):
    """Collects keys of documents as they stream by."""

    def add(self, values: Features, offsets: Ints, documents: Numbers) -> None:
        """Take in the feature lists of these documents."""
        ...

    def groups(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Groups:
        """The groups among the documents marked in ``use``."""
        ...

    def describe(self) -> dict[str, Any]:
        """What was solved for, for the manifest."""
        ...

    def probability(self, similarity: float) -> float:
        """The chance that a pair of this Jaccard similarity becomes a candidate."""
        ...


def counters(features: int, resources: Resources) -> int:
    """Hashed counters for the prefix order: about two a feature, within an eighth of memory."""
    most = max(resources.memory // 32, 1 << 16)
    wanted = max(2 * features, 1 << 16)
    return 1 << (min(most, wanted).bit_length() - 1)


def prefix_groups(
    store: _kernels.FeatureStore,
    documents: Numbers,
    measure: int,
    threshold: float,
    resources: Resources,
) -> Groups:
    """Groups of the documents that share a feature of their prefixes: the exact join's keys."""
    grouper = _kernels.Grouper(resources.memory // 6, resources.folder)
    count = counters(int(store.sizes[documents].sum()), resources)
    grouper.add_prefixes(store, documents, measure, threshold, count, resources.threads)
    return Groups(*grouper.finish(np.empty(0, np.uint8), resources.threads))
