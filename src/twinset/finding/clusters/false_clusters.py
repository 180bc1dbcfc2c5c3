"""False clusters: connected components that put together what is not similar.

The papers' argument against transitive closure, as a table: for each component the sets inside it,
its worst pair, and whether it chained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.clusters.closed_sets import ClosedSets
from twinset.finding.clusters.context import Context
from twinset.finding.clusters.lattice import DRAWABLE
from twinset.model import Ints, Ragged

LARGEST_DRAWN = 1000
"""Documents of a component whose lattice is drawn at all."""


@dataclass(frozen=True, slots=True)
class FalseClusters:
    """One row per component, by rising number.

    ``left`` and ``right`` are its worst pair, which shares ``shared`` features where ``needed``
    would make it similar. ``chained``: that pair is below the threshold. ``whole``: one set holds
    the component. ``complete`` is false for a component so large that only a part of its pairs was
    looked at: its worst pair is at least that bad.
    """

    documents: Ints
    sets: Ints
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    shared: Ints
    needed: Ints
    chained: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    complete: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.documents)

    def worth_drawing(self) -> list[int]:
        """The components that no one set holds and that are not too large, those that chain first.

        Of these the ones that can be drawn whole come before larger ones, and among them the ones
        that fall furthest short.
        """
        short = (self.needed - self.shared) / self.needed.clip(1)
        large = self.documents > DRAWABLE
        order = np.lexsort((-self.documents, -short, large, ~self.chained))
        drawable = ~self.whole & (self.documents <= LARGEST_DRAWN)
        numbers: list[int] = order[drawable[order]].tolist()
        return numbers

    def figures(self) -> dict[str, float]:
        """The totals."""
        return {
            "components": len(self),
            "chained_components": int(self.chained.sum()),
            "split_components": int((~self.whole).sum()),
        }


def false_sentence(figures: Mapping[str, float], noun: str) -> str:
    """The totals in words; ``noun`` is what the sets are called."""
    return (
        f"of {figures['components']:,} components {figures['chained_components']:,} hold pairs "
        f"below the threshold, and {figures['split_components']:,} are not inside any one {noun}"
    )


def false_clusters(context: Context, sets: ClosedSets, threads: int = 1) -> FalseClusters:
    """The report over the components that the sets were searched in."""
    components = _members_by_component(sets)
    left, right, shared, needed, complete = _kernels.worst_pairs(
        context.values, context.offsets, sets.least, components.values, components.offsets, threads
    )
    sizes = sets.members.lengths
    largest = np.zeros(len(sets.components), dtype=np.int64)
    np.maximum.at(largest, sets.component, sizes)
    return FalseClusters(
        sets.components.documents,
        sets.components.sets,
        left,
        right,
        shared,
        needed,
        shared < needed,
        largest == sets.components.documents,
        complete != 0,
    )


def _members_by_component(sets: ClosedSets) -> Ragged[np.int32]:
    order = np.argsort(sets.component_of, kind="stable").astype(np.int32)
    order = order[sets.component_of[order] >= 0]
    return Ragged.from_lengths(order, sets.components.documents)
