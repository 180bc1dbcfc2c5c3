"""Documents as sets of features, the context of formal concept analysis, and derivation in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

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
