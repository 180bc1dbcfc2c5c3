"""Clusters as closed sets of documents (Ignatov, Jánosi-Rancz, Kuznetsov 2009).

A cluster is a set of two or more documents that all share at least k features, as large as it can
be: no chaining, because every member shares the same k features with every other. Clusters may
overlap. The search is in the kernels; ``docs/closed-sets.md`` explains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.clusters.context import Context
from twinset.model import Ints, Ragged
from twinset.plan import shared
from twinset.spec import checked, option

Kind = Literal["maximal", "closed"]
Short = Literal["drop", "equal"]

READABLE = 100
"""A component with more sets than this is shown by its cover."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Sets of documents that share ``k`` features, or a ``share`` of each one's features.

    A component of documents that meets a bound keeps what was found and gets a cover of its
    documents.
    """

    k: int | None = shared.k()
    share: float | None = shared.share()
    kind: Kind = option("maximal", "Maximal sets alone, or all closed sets.")
    short: Short = option(
        "drop",
        "With k, documents of fewer features are in no set (drop), or only with documents of the "
        "same features (equal).",
    )
    max_sets: int = option(
        10_000, "Greatest number of sets in one component of documents.", least=1
    )
    max_work: int = option(
        200_000_000, "Greatest number of steps of the search in one component.", least=1
    )
    max_members: int = option(
        4_000_000, "Rows that the whole answer may have: a bound on memory.", least=1
    )
    image: Any = option(
        None,
        "Image whose values are shared, where the method has none of its own.",
        part="image",
    )
    pair_cover: bool = option(
        False, "Cover the similar pairs of a component that meets a bound, not its documents alone."
    )

    def faults(self) -> list[str]:
        """What is wrong with the options beyond their bounds, as sentences."""
        if (self.k is None) == (self.share is None):
            return ["give either k (a number of features) or share (of each one's, from 0 to 1)"]
        return []

    def thresholds(self, sizes: Ints) -> NDArray[np.int32]:
        """For each document the number of features that a set with it has to share."""
        if self.k is not None:
            least = np.full(len(sizes), min(self.k, 2**31 - 1))
            return (
                (np.minimum(least, sizes) if self.short == "equal" else least).clip(1).astype("i4")
            )
        # The decimal that the user wrote: in floating point 0.07 * 100 is above 7.
        share = Fraction(str(self.share))
        exact = -(-sizes.astype(object) * share.numerator // share.denominator)
        return np.asarray(exact, dtype=np.int64).clip(1).astype(np.int32)

    def find(self, context: Context, threads: int = 1) -> ClosedSets:
        """All sets of the context; the same for any number of threads."""
        checked("clusters", self)
        least = self.thresholds(context.lengths)
        limits = (self.max_sets, self.max_work, self.max_members)
        maximal = self.kind == "maximal"
        made = _kernels.closed_sets(
            context.values, context.offsets, least, maximal, *limits, self.pair_cover, threads
        )
        offsets, members, support, component, in_cover = made[:5]
        figures, (component_of, too_short, cut) = Components(*made[5:10]), made[10:]
        sets = (Ragged(members, offsets), support, component, in_cover)
        return ClosedSets(*sets, figures, component_of, least, too_short, cut)


@dataclass(frozen=True, slots=True)
class Components:
    """Figures of each connected component: documents, distinct images, sets, counted work."""

    documents: Ints
    classes: Ints
    sets: Ints
    work: Ints
    truncated: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class ClosedSets:
    """Sets ordered by component, then by members; row ``i`` of ``members`` is set ``i``.

    ``in_cover`` marks the sets of the cover in components with more than ``READABLE`` sets or cut
    short. ``component_of`` is -1 for a document with no neighbour. ``too_short`` counts documents
    with fewer features than they would have to share, ``cut`` those that were compared with only
    a part of the documents they could be similar to.
    """

    members: Ragged[np.int32]
    support: NDArray[np.int32]
    component: NDArray[np.int32]
    in_cover: NDArray[np.uint8]
    components: Components
    component_of: NDArray[np.int32]
    least: NDArray[np.int32]
    too_short: int
    cut: int

    def __len__(self) -> int:
        return len(self.support)

    def documents(self, number: int) -> NDArray[np.int32]:
        """The members of one set, ascending."""
        return self.members[number]

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], int]]:
        for number in range(len(self)):
            yield tuple(self.documents(number).tolist()), int(self.support[number])

    def shown(self) -> Ints:
        """The sets worth reading: all of a small component, the cover of a large one."""
        large = (self.components.sets > READABLE) | (self.components.truncated != 0)
        return np.flatnonzero((self.in_cover != 0) | ~large[self.component])

    def notes(self) -> list[str]:
        """What was left out or cut, in sentences; empty when the answer is whole."""
        if not self.too_short:
            return self.bounds()
        dropped = (
            f"{self.too_short:,} of {len(self.component_of):,} documents have fewer features than "
            "the threshold asks for and are in no set (short=equal keeps exact copies, share=... "
            "makes the threshold relative)"
        )
        return [dropped, *self.bounds()]

    def bounds(self) -> list[str]:
        """Where a bound was met, with figures."""
        figures = self.components
        found = [
            f"component {number} of {figures.documents[number]:,} documents was cut "
            f"{_how_far(int(figures.work[number]))}: {figures.sets[number]:,} of its sets are "
            "given, and every document of it is in one of them"
            for number in np.flatnonzero(figures.truncated)
        ]
        if self.cut:
            found.append(
                f"{self.cut:,} documents have more possible neighbours than are compared "
                "(20,000); components may come out in parts"
            )
        return found


def _how_far(work: int) -> str:
    return f"after {work:,} operations" if work else "before the search, for its size"
