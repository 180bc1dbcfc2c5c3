"""A set of pairs of documents that is not written out: blocks, and edges between blocks.

Documents 0..n-1 lie in blocks. Two documents are a pair if they share a block that holds all its
pairs (``within``), or if an edge joins their blocks. A list of pairs has blocks of one document
each; clusters are blocks without edges; overlapping clusters, and reports that list pairs of
leaders only, have both. So a cluster of a million documents costs a million numbers, not 5·10^11.

`count_common` counts the pairs that two sets share, also on blocks and never on pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Ints, offsets_of, spread

Bools = NDArray[np.bool_]
CHUNK = 1 << 21  # pairs that are in memory at a time


@dataclass(frozen=True)
class PairSet:
    """``first < second`` are the blocks of each edge, sorted, each once; ``within`` is by block.

    A block that does not hold its own pairs has one document.
    """

    block: Ints
    within: Bools
    first: Ints
    second: Ints

    @classmethod
    def of_pairs(cls, left: Ints, right: Ints, documents: int) -> PairSet:
        """From pairs in any order, repeated or not; a document with itself is no pair."""
        return cls._joined(
            np.arange(documents, dtype=np.int64), np.zeros(documents, bool), left, right
        )

    @classmethod
    def of_labels(cls, labels: Ints) -> PairSet:
        """From one cluster for each document; -1 is none."""
        block = number_labels(labels)
        within = np.zeros(int(block.max(initial=-1)) + 1, bool)
        within[block[labels >= 0]] = True
        nothing = np.empty(0, np.int64)
        return cls(block, within, nothing, nothing)

    @classmethod
    def of_clusters(cls, number: Ints, member: Ints, documents: int) -> PairSet:
        """From clusters that may overlap: ``member`` i lies in the cluster ``number`` i."""
        rows = np.unique(np.stack([member, number]), axis=1)
        atom = _atoms(rows[0], rows[1], documents)
        within = np.zeros(int(atom.max(initial=-1)) + 1, bool)
        within[atom[rows[0]]] = True
        # The atoms of each cluster, every two of them joined.
        cell = np.unique(np.stack([rows[1], atom[rows[0]]]), axis=1)
        size = np.bincount(cell[0]) if cell.size else np.empty(0, np.int64)
        start = offsets_of(size)[:-1]
        place = np.arange(cell.shape[1]) - start[cell[0]]
        keys = np.empty(0, np.int64)
        # Clusters that overlap much repeat their edges: only distinct ones are kept in memory.
        for row, step in spread_in_chunks(size[cell[0]] - 1 - place):
            low, high = cell[1][row], cell[1][row + 1 + step]
            keys = np.union1d(keys, low * len(within) + high)
        return cls(atom, within, keys // max(len(within), 1), keys % max(len(within), 1))

    @classmethod
    def of_classes(cls, classes: Ints, left: Ints, right: Ints) -> PairSet:
        """From classes of equal documents (a label each) and pairs of documents between them."""
        block = number_labels(classes)
        within = np.ones(int(block.max(initial=-1)) + 1, bool)
        return cls._joined(block, within, block[left], block[right])

    @classmethod
    def _joined(cls, block: Ints, within: Bools, left: Ints, right: Ints) -> PairSet:
        blocks = len(within)
        low, high = np.minimum(left, right), np.maximum(left, right)
        keys = np.unique((low * blocks + high)[low != high])
        return cls(block, within, keys // max(blocks, 1), keys % max(blocks, 1))

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.block)

    @cached_property
    def size(self) -> Ints:
        """Documents of each block."""
        return np.bincount(self.block, minlength=len(self.within))

    @cached_property
    def keys(self) -> Ints:
        """The edges as one number each, sorted."""
        return self.first * len(self.within) + self.second

    def count(self) -> int:
        """How many pairs there are."""
        inside = self.size * (self.size - 1) // 2
        between = self.size[self.first] * self.size[self.second]
        return int(inside[self.within].sum() + between.sum())

    def contains(self, left: Ints, right: Ints) -> Bools:
        """Whether each of these pairs is in the set."""
        first, second = self.block[left], self.block[right]
        same = (first == second) & (left != right)
        is_pair: Bools = (same & self.within[first]) | self.has_edge(first, second)
        return is_pair

    def has_edge(self, first: Ints, second: Ints) -> Bools:
        """Whether these blocks are joined."""
        edges = np.minimum(first, second) * len(self.within) + np.maximum(first, second)
        if not len(self.keys):
            return np.zeros(len(edges), bool)
        return _look_up(self.keys, edges)[1]

    def restricted(self, allowed: Bools) -> PairSet:
        """Only the pairs whose documents are both allowed."""
        outside = np.flatnonzero(~allowed)
        block = self.block.copy()
        block[outside] = len(self.within) + np.arange(len(outside))
        within = np.concatenate([self.within, np.zeros(len(outside), bool)])
        return PairSet(block, within, self.first, self.second)

    def extended(self, more: int) -> PairSet:
        """The same pairs among more documents, which are in no pair."""
        block = np.concatenate([self.block, len(self.within) + np.arange(more)])
        within = np.concatenate([self.within, np.zeros(more, bool)])
        return PairSet(block, within, self.first, self.second)

    def components(self) -> Ints:
        """The connected component of each document."""
        ends = (self.first.astype(np.uint32), self.second.astype(np.uint32))
        roots = _kernels.component_roots(len(self.within), *ends)
        return np.asarray(roots, np.int64)[self.block]

    def chunks(self) -> Iterator[tuple[Ints, Ints]]:
        """All pairs, a chunk at a time, the lower document number on the left."""
        order = np.argsort(self.block, kind="stable")
        start = offsets_of(self.size)[:-1]
        place = np.arange(len(order)) - start[self.block[order]]
        own = self.block[order]
        ahead = np.where(self.within[own], self.size[own] - 1 - place, 0)
        for row, step in spread_in_chunks(ahead):
            yield order[row], order[row + 1 + step]
        edge, step = spread(self.size[self.first])
        members = start[self.first[edge]] + step
        for row, step in spread_in_chunks(self.size[self.second[edge]]):
            left, right = order[members[row]], order[start[self.second[edge[row]]] + step]
            yield np.minimum(left, right), np.maximum(left, right)


def number_labels(labels: Ints) -> Ints:
    """The labels as numbers from 0; a document without a label (-1) gets one of its own."""
    distinct = labels.astype(np.int64)
    unlabelled = distinct < 0
    distinct[unlabelled] = int(distinct.max(initial=-1)) + 1 + np.arange(int(unlabelled.sum()))
    numbered: Ints = np.unique(distinct, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbered


def spread_in_chunks(counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """`spread` in parts of about `CHUNK` rows."""
    ends = offsets_of(counts)[1:]
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.unique(np.searchsorted(ends, np.arange(CHUNK, total + CHUNK, CHUNK), side="left") + 1)
    begin = 0
    for end in np.minimum(cuts, len(counts)).tolist():
        row, step = spread(counts[begin:end])
        if len(row):
            yield row + begin, step
        begin = end


def _atoms(member: Ints, number: Ints, documents: int) -> Ints:
    """Documents in the same clusters get the same number; rows are sorted by member."""
    known: dict[bytes, int] = {}
    atom = np.full(documents, -1, np.int64)
    starts = np.searchsorted(member, np.arange(documents + 1))
    for document in np.unique(member).tolist():
        clusters = number[starts[document] : starts[document + 1]].tobytes()
        atom[document] = known.setdefault(clusters, len(known))
    return number_labels(atom)


@dataclass(frozen=True)
class _Cells:
    """Documents that share a block of ``outer`` and one of ``inner``, sorted by these blocks.

    A common pair lies in one cell, or in two cells that one set joins by an edge and the other by
    a block or an edge.
    """

    outer: PairSet
    inner: PairSet
    keys: Ints
    size: Ints

    @classmethod
    def of(cls, outer: PairSet, inner: PairSet) -> _Cells:
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


def count_common(first: PairSet, second: PairSet) -> int:
    """The number of pairs that are in both sets."""
    cells, swapped = _Cells.of(first, second), _Cells.of(second, first)
    total = _in_blocks(cells) + _edges_in_blocks(cells) + _edges_in_blocks(swapped)
    return total + _edges_on_edges(cells if cells.edges() <= swapped.edges() else swapped)


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
        is_whole = inner.within[inside[cell]]
        cell, edge = cell[is_whole], edge[is_whole]
        partner, exists = _look_up(
            cells.keys, outer.second[edge] * len(inner.within) + inside[cell]
        )
        total += int((cells.size[cell] * cells.size[partner])[exists].sum())
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
        joined = inner.has_edge(inside[a], inside[b])
        total += int((cells.size[a] * cells.size[b])[joined].sum())
    return total


def _look_up(sorted_keys: Ints, keys: Ints) -> tuple[Ints, Bools]:
    """The place of each key, and whether the key is there."""
    place = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    exists: Bools = sorted_keys[place] == keys
    return place, exists
