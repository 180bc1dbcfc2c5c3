"""Documents as sets of features (the context of formal concept analysis), and their closed sets.

What a search for closed sets finds, and what it says about where it was cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Ints, Ragged

SLICE = 1_000_000
"""About how many entries of the inverted table are in memory at once, in a table of up to 64."""


class Context(Ragged[np.uint64]):
    """The features of each document, ascending and each once."""

    __slots__ = ()

    @classmethod
    def of(cls, images: Iterable[Iterable[int]]) -> Context:
        """A context from any sets of whole numbers, one per document."""
        return cls.from_rows([sorted(set(image)) for image in images], np.uint64)

    def common(self, documents: Sequence[int] | Ints) -> Features:
        """The features that all these documents share; their number is the support."""
        shared = self[int(documents[0])]
        for document in documents[1:]:
            shared = np.intersect1d(shared, self[int(document)], assume_unique=True)
        return shared

    def inverted(self) -> tuple[Features, Ragged[np.int64]]:
        """The inverted table: features ascending, and for each its documents."""
        order = np.argsort(self.flat, kind="stable")
        held = self.flat[order]
        starts = np.flatnonzero(np.r_[True, held[1:] != held[:-1]]) if len(held) else order
        bounds = np.r_[starts, len(held)].astype(np.int64)
        return held[starts], Ragged(self.owners()[order], bounds)

    def inverted_lines(
        self, numbers: Sequence[int] | None = None, least: int = 1, slice: int = SLICE
    ) -> Iterator[memoryview]:
        """The inverted table as text, some lines at a time: the documents of each feature.

        Features ascend and are not named. Documents go by their place in the context or by
        ``numbers``. Features of fewer than ``least`` documents are left out.
        """
        called = np.arange(len(self)) if numbers is None else np.asarray(numbers, np.int64)
        lines = _kernels.InvertedLines(self.values, self.offsets, called, least, slice)
        while (part := lines.next()) is not None:
            yield part.data


SetKind = Literal["maximal", "closed"]
"""Maximal sets alone, or all closed ones."""

READABLE = 100
"""A component with more sets than this is shown by its cover."""


@dataclass(frozen=True, slots=True)
class ComponentFigures:
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
    components: ComponentFigures
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
        return [short_note(self.too_short, len(self.component_of)), *self.bounds()]

    def bounds(self) -> list[str]:
        """Where a bound was met, with figures."""
        figures = self.components
        notes = [
            f"component {number} of {figures.documents[number]:,} documents was cut "
            f"{_how_far(int(figures.work[number]))}: {figures.sets[number]:,} of its sets are "
            "given, and every document of it is in one of them"
            for number in np.flatnonzero(figures.truncated)
        ]
        if self.cut:
            notes.append(
                f"{self.cut:,} {'document has' if self.cut == 1 else 'documents have'} more "
                "possible neighbours than are compared (20,000); components may come out in parts"
            )
        return notes


def short_note(count: int, total: int) -> str:
    """What became of documents with too few features."""
    have, are = ("has", "is") if count == 1 else ("have", "are")
    return (
        f"{count:,} of {total:,} documents {have} fewer features than the threshold asks for and "
        f"{are} in no set (short=equal keeps exact copies, share=... makes the threshold "
        "relative)"
    )


def searched_sets(
    context: Context,
    least: NDArray[np.int32],
    kind: SetKind,
    limits: tuple[int, int, int],
    pair_cover: bool = False,
    threads: int = 1,
) -> ClosedSets:
    """The sets that our search finds: document ``d`` has to share ``least[d]`` features.

    ``limits`` are the sets and steps of a component, and the members of the whole answer.
    """
    arrays = _kernels.closed_sets(
        context.values, context.offsets, least, kind == "maximal", *limits, pair_cover, threads
    )
    figures = ComponentFigures(*arrays[5:10])
    component_of, too_short, cut = arrays[10:]
    sets = Ragged(arrays[1], arrays[0])
    return ClosedSets(sets, *arrays[2:5], figures, component_of, least, too_short, cut)


def _how_far(work: int) -> str:
    return f"after {work:,} operations" if work else "before the search, for its size"
