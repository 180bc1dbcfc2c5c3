"""What miners take and give: a table of items and lines, and sets of items with their supports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.clusters.context import Context
from twinset.model import Ragged

if TYPE_CHECKING:
    from typing_extensions import Self


class Transactions:
    """One table, both ways: the items of each line, and the lines of each item.

    Items play the documents of a context and lines its features. Each way is made when it is first
    asked for.
    """

    def __init__(self, lines: Ragged[np.int32] | None, items: int, context: Context | None = None):
        self.items = items
        if lines is not None:
            self.lines = lines
        if context is not None:
            self.context = context

    @classmethod
    def of(cls, context: Context) -> Self:
        """The table of a context: a line per feature, its items the documents."""
        return cls(None, len(context), context)

    @cached_property
    def lines(self) -> Ragged[np.int32]:
        """The items of each line, ascending."""
        _, owners = self.context.inverted()
        return Ragged(owners.values.astype(np.int32), owners.offsets)

    @cached_property
    def context(self) -> Context:
        """The lines of each item: its features are the numbers of the lines."""
        offsets, lines = _kernels.transpose_lines(self.lines.offsets, self.lines.values, self.items)
        return Context(lines, offsets)

    def without_short_lines(self, least: int) -> Transactions:
        """The table without lines of fewer items: they hold no set of so many, whatever the set."""
        is_long = self.lines.lengths >= least
        if is_long.all():
            return self
        return Transactions(self.lines.take(np.flatnonzero(is_long)), self.items)


@dataclass(frozen=True, slots=True, eq=False)
class MinedSets:
    """Sets of items, each with the number of lines that hold it, and the steps of the miner.

    What a step is differs from miner to miner; 0 means that the miner does not count.
    """

    items: Ragged[np.int32]
    supports: NDArray[np.int32]
    steps: int = 0

    @classmethod
    def of(cls, sets: Iterable[tuple[Iterable[int], int]], steps: int = 0) -> Self:
        """Sets that are Python objects, as arrays."""
        pairs = [(list(items), support) for items, support in sets]
        rows = Ragged.from_rows([items for items, _ in pairs], np.int32)
        return cls(rows, np.array([support for _, support in pairs], np.int32), steps)

    def __eq__(self, other: object) -> bool:
        """Whether the sets are the same in the same order, whoever found them."""
        if not isinstance(other, MinedSets):
            return NotImplemented
        return self.items == other.items and np.array_equal(self.supports, other.supports)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], int]]:
        for items, support in zip(self.items, self.supports.tolist(), strict=True):
            yield tuple(items.tolist()), support

    def in_order(self, least_items: int = 1) -> MinedSets:
        """The sets of at least so many items, sorted: the same bytes from every miner."""
        arrays = self.items.offsets, self.items.values, self.supports
        offsets, items, supports, _ = _kernels.sort_sets(*arrays, least_items)
        return MinedSets(Ragged(items, offsets), supports, self.steps)
