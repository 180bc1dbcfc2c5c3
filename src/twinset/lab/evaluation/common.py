"""How many pairs two relations have in common, counted on blocks and never on pairs.

The blocks of both cut the documents into cells. A common pair lies in one cell, or in two cells
that one relation joins by an edge and the other by a block or an edge of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twinset.lab.evaluation.pair_set import Bools, Relation, spread_in_chunks
from twinset.model import Ints, offsets_of


@dataclass(frozen=True)
class _Cells:
    """The cells sorted by the blocks of ``outer``, then by those of ``inner``."""

    outer: Relation
    inner: Relation
    keys: Ints
    size: Ints

    @classmethod
    def of(cls, outer: Relation, inner: Relation) -> _Cells:
        keys, size = np.unique(outer.block * len(inner.within) + inner.block, return_counts=True)
        return cls(outer, inner, keys, size)

    @property
    def inside(self) -> Ints:
        """The inner block of each cell."""
        return self.keys % max(len(self.inner.within), 1)

    @property
    def outside(self) -> Ints:
        """The outer block of each cell."""
        return self.keys // max(len(self.inner.within), 1)

    def counts(self) -> Ints:
        """Cells of each outer block."""
        return np.bincount(self.outside, minlength=len(self.outer.within))

    def edges(self) -> int:
        """Pairs of cells that the outer edges join."""
        cells = self.counts()
        return int((cells[self.outer.first] * cells[self.outer.second]).sum())


def count_common(one: Relation, other: Relation) -> int:
    """The number of pairs that are in both."""
    ours, theirs = _Cells.of(one, other), _Cells.of(other, one)
    total = _in_blocks(ours) + _edges_in_blocks(ours) + _edges_in_blocks(theirs)
    return total + _edges_on_edges(ours if ours.edges() <= theirs.edges() else theirs)


def _in_blocks(cells: _Cells) -> int:
    both = cells.outer.within[cells.outside] & cells.inner.within[cells.inside]
    size = cells.size[both]
    return int((size * (size - 1) // 2).sum())


def _edges_in_blocks(cells: _Cells) -> int:
    """Outer edges whose two cells lie in one inner block."""
    outer, inner = cells.outer, cells.inner
    if not len(outer.first) or not inner.within.any():
        return 0
    counts, inside = cells.counts(), cells.inside
    start = offsets_of(counts)[:-1]
    total = 0
    for edge, step in spread_in_chunks(counts[outer.first]):
        cell = start[outer.first[edge]] + step
        held = inner.within[inside[cell]]
        cell, edge = cell[held], edge[held]
        partner, there = _find(cells.keys, outer.second[edge] * len(inner.within) + inside[cell])
        total += int((cells.size[cell] * cells.size[partner])[there].sum())
    return total


def _edges_on_edges(cells: _Cells) -> int:
    """Outer edges between cells whose inner blocks are joined as well."""
    outer, inner = cells.outer, cells.inner
    if not len(outer.first) or not len(inner.first):
        return 0
    counts, inside = cells.counts(), cells.inside
    start = offsets_of(counts)[:-1]
    width = counts[outer.second]
    total = 0
    for edge, step in spread_in_chunks(counts[outer.first] * width):
        a = start[outer.first[edge]] + step // width[edge]
        b = start[outer.second[edge]] + step % width[edge]
        there = inner.has_edge(inside[a], inside[b])
        total += int((cells.size[a] * cells.size[b])[there].sum())
    return total


def _find(keys: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there: Bools = keys[place] == wanted
    return place, there
