"""The papers' five numbers, and the pairs behind them, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.clusterings import f1
from twinset.lab.evaluation.common import count_common
from twinset.lab.evaluation.pair_set import Bools, Relation
from twinset.lab.evaluation.sides import Listing, Side
from twinset.model import Floats, Ints


@dataclass(frozen=True)
class FiveNumbers:
    """Pairs of the reference, pairs found, and what of them is common to both."""

    reference: int
    found: int
    common: int

    @property
    def only_in_reference(self) -> int:
        """Missed pairs."""
        return self.reference - self.common

    @property
    def only_in_found(self) -> int:
        """Pairs too many."""
        return self.found - self.common

    @property
    def precision(self) -> float:
        """The share of the found pairs that is right; 1 where nothing was found."""
        return self.common / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of the reference that was found; 1 where there was nothing to find."""
        return self.common / self.reference if self.reference else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return f1(self.precision, self.recall)


Rows = tuple[Ints, Ints, Floats | None]


@dataclass(frozen=True)
class Contest:
    """Found against true pairs, where some may count neither way.

    ``ignored`` are pairs that do not count; where there are ``judged`` ones, no others do.
    """

    reference: Side
    found: Side
    ignored: Relation | None = None
    judged: Listing | None = None

    def numbers(self) -> FiveNumbers:
        """The counts, without writing out what is not written out already."""
        truth, found = self.reference.pairs, self.found.pairs
        if self.judged is not None:
            rows = self.judged.where(self.counts(self.judged.left, self.judged.right))
            ours, true = (side.contains(rows.left, rows.right) for side in (found, truth))
            return FiveNumbers(int(true.sum()), int(ours.sum()), int((ours & true).sum()))
        common = count_common(truth, found)
        numbers = FiveNumbers(truth.count(), found.count(), common)
        if self.ignored is None:
            return numbers
        left, right = self.ignored.first, self.ignored.second
        ours, true = found.contains(left, right), truth.contains(left, right)
        return FiveNumbers(
            numbers.reference - int(true.sum()),
            numbers.found - int(ours.sum()),
            common - int((ours & true).sum()),
        )

    def counts(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs counts at all."""
        if self.ignored is None:
            return np.ones(len(left), bool)
        return ~self.ignored.contains(left, right)

    def missed(self) -> Iterator[Rows]:
        """The pairs only in the reference."""
        yield from self._unique(self.reference, self.found)

    def extra(self) -> Iterator[Rows]:
        """The pairs only in what was found, with their scores where there are any."""
        yield from self._unique(self.found, self.reference)

    def _unique(self, side: Side, other: Side) -> Iterator[Rows]:
        for left, right, value in _rows(side if self.judged is None else self._judged(side)):
            rows = side.pairs.contains(left, right) & ~other.pairs.contains(left, right)
            rows &= self.counts(left, right)
            if rows.any():
                yield left[rows], right[rows], None if value is None else value[rows]

    def _judged(self, side: Side) -> Side:
        assert self.judged is not None
        rows = self.judged
        if side.listing is not None:
            scored = side.listing
            judged = Relation.of_pairs(rows.left, rows.right, side.pairs.documents)
            rows = scored.where(judged.contains(scored.left, scored.right))
        return Side(side.pairs, side.clusters, side.named, rows)


def _rows(side: Side) -> Iterator[Rows]:
    if side.listing is not None:
        yield side.listing.left, side.listing.right, side.listing.value
        return
    for left, right in side.pairs.chunks():
        yield left, right, None
