"""Documents as sets of features, the context of formal concept analysis, and derivation in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from twinset.model import Features, Ints


@dataclass(frozen=True, slots=True)
class Context:
    """Document ``d`` has ``values[offsets[d]:offsets[d + 1]]``, ascending and each once."""

    values: Features
    offsets: Ints

    @classmethod
    def of(cls, images: Iterable[Iterable[int]]) -> Context:
        """A context from any sets of whole numbers, one per document."""
        rows = [sorted(set(image)) for image in images]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        flat = [value for row in rows for value in row]
        return cls(np.array(flat, dtype=np.uint64), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def sizes(self) -> Ints:
        """How many features each document has."""
        return np.diff(self.offsets)

    def image(self, document: int) -> Features:
        """The features of one document."""
        return self.values[self.offsets[document] : self.offsets[document + 1]]

    def common(self, documents: Sequence[int] | Ints) -> Features:
        """The features that all these documents share; their number is the support."""
        shared = self.image(int(documents[0]))
        for document in documents[1:]:
            shared = np.intersect1d(shared, self.image(int(document)), assume_unique=True)
        return shared

    def inverted(self) -> tuple[Features, Ints, Ints]:
        """The inverted table: features ascending, and for each its documents as CSR."""
        owner = np.repeat(np.arange(len(self)), self.sizes())
        held = self.values[self.offsets[0] : self.offsets[-1]]
        order = np.argsort(held, kind="stable")
        held = held[order]
        starts = np.flatnonzero(np.r_[True, held[1:] != held[:-1]]) if len(held) else order
        return held[starts], np.r_[starts, len(held)].astype(np.int64), owner[order]
