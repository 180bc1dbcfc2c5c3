"""The graph that clusters are made of, and what a kind of cluster yields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats, Ints

Slots = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Verified pairs of slots; slot 0 is preferred to slot 1, ``kept`` slots come first.

    ``copies`` is the similarity of each slot with an exact copy of it.
    """

    kept: NDArray[np.uint8]
    earlier: Slots
    later: Slots
    score: Floats
    copies: Floats

    @property
    def count(self) -> int:
        """The number of slots."""
        return len(self.kept)


@dataclass(frozen=True, slots=True)
class Membership:
    """Rows (cluster, slot, anchor slot or -1, score to the anchor), sorted by cluster and slot."""

    cluster: Ints
    slot: Ints
    anchor: Ints
    score: Floats
    complete: bool = True


def by_label(label: Ints, slots: Ints) -> tuple[Ints, Ints]:
    """Rows (cluster, slot) from a label per slot; clusters numbered by their first slot."""
    order = np.lexsort((slots, label))
    ranked = label[order]
    starts = np.concatenate([[True], ranked[1:] != ranked[:-1]]) if len(ranked) else ranked > 0
    return np.cumsum(starts) - 1, slots[order]
