"""A set of pairs of documents that is not written out: blocks, and edges between blocks.

Documents 0..n-1 lie in blocks. Two documents belong together if they share a block that holds all
its pairs (``within``), or if their blocks are joined by an edge. A list of pairs has blocks of one
document each; clusters are blocks without edges; overlapping sets and reports that list pairs of
leaders only are both. So a cluster of a million documents costs a million numbers, not 5·10^11.
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
CHUNK = 1 << 21  # pairs that are looked at together


@dataclass(frozen=True)
class Relation:
    """``first < second`` are the blocks of each edge, sorted, each once; ``within`` is by block.

    A block that does not hold its own pairs has one document.
    """

    block: Ints
    within: Bools
    first: Ints
    second: Ints

    @classmethod
    def of_pairs(cls, left: Ints, right: Ints, documents: int) -> Relation:
        """From pairs in any order, repeated or not; a document with itself is no pair."""
        return cls._joined(
            np.arange(documents, dtype=np.int64), np.zeros(documents, bool), left, right
        )

    @classmethod
    def of_labels(cls, labels: Ints) -> Relation:
        """From one cluster for each document; -1 is none."""
        block = own_block(labels)
        within = np.zeros(int(block.max(initial=-1)) + 1, bool)
        within[block[labels >= 0]] = True
        nothing = np.empty(0, np.int64)
        return cls(block, within, nothing, nothing)

    @classmethod
    def of_sets(cls, number: Ints, member: Ints, documents: int) -> Relation:
        """From sets that may overlap: ``member`` i lies in the set ``number`` i."""
        rows = np.unique(np.stack([member, number]), axis=1)
        atom = _atoms(rows[0], rows[1], documents)
        within = np.zeros(int(atom.max(initial=-1)) + 1, bool)
        within[atom[rows[0]]] = True
        # The atoms of each set, every two of them joined.
        cell = np.unique(np.stack([rows[1], atom[rows[0]]]), axis=1)
        size = np.bincount(cell[0]) if cell.size else np.empty(0, np.int64)
        start = offsets_of(size)[:-1]
        place = np.arange(cell.shape[1]) - start[cell[0]]
        keys = np.empty(0, np.int64)
        # Sets that overlap much repeat their edges: only the distinct ones are kept in memory.
        for row, step in spread_in_chunks(size[cell[0]] - 1 - place):
            low, high = cell[1][row], cell[1][row + 1 + step]
            keys = np.union1d(keys, low * len(within) + high)
        return cls(atom, within, keys // max(len(within), 1), keys % max(len(within), 1))

    @classmethod
    def of_classes(cls, classes: Ints, left: Ints, right: Ints) -> Relation:
        """From classes of equal documents (a label each) and pairs of documents between them."""
        block = own_block(classes)
        within = np.ones(int(block.max(initial=-1)) + 1, bool)
        return cls._joined(block, within, block[left], block[right])

    @classmethod
    def _joined(cls, block: Ints, within: Bools, one: Ints, other: Ints) -> Relation:
        blocks = len(within)
        low, high = np.minimum(one, other), np.maximum(one, other)
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
        """Whether each of these pairs is one of ours."""
        one, other = self.block[left], self.block[right]
        same = (one == other) & (left != right)
        there: Bools = (same & self.within[one]) | self.has_edge(one, other)
        return there

    def has_edge(self, one: Ints, other: Ints) -> Bools:
        """Whether these blocks are joined."""
        wanted = np.minimum(one, other) * len(self.within) + np.maximum(one, other)
        if not len(self.keys):
            return np.zeros(len(wanted), bool)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        there: Bools = self.keys[place] == wanted
        return there

    def restricted(self, allowed: Bools) -> Relation:
        """Only the pairs of which both documents are allowed."""
        outside = np.flatnonzero(~allowed)
        block = self.block.copy()
        block[outside] = len(self.within) + np.arange(len(outside))
        within = np.concatenate([self.within, np.zeros(len(outside), bool)])
        return Relation(block, within, self.first, self.second)

    def components(self) -> Ints:
        """The connected component of each document."""
        ends = (self.first.astype(np.uint32), self.second.astype(np.uint32))
        roots = _kernels.component_roots(len(self.within), *ends)
        return np.asarray(roots, np.int64)[self.block]

    def chunks(self) -> Iterator[tuple[Ints, Ints]]:
        """All pairs, the lesser document left, a chunk at a time."""
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
            one, other = order[members[row]], order[start[self.second[edge[row]]] + step]
            yield np.minimum(one, other), np.maximum(one, other)


def own_block(labels: Ints) -> Ints:
    """Labels numbered from 0; a document without one (-1) is alone."""
    apart = labels.astype(np.int64)
    alone = apart < 0
    apart[alone] = int(apart.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    block: Ints = np.unique(apart, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return block


def spread_in_chunks(counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """`spread`, in parts of about `CHUNK`."""
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
    """Documents that lie in the same sets get the same number; rows are sorted by member."""
    known: dict[bytes, int] = {}
    atom = np.full(documents, -1, np.int64)
    starts = np.searchsorted(member, np.arange(documents + 1))
    for document in np.unique(member).tolist():
        sets = number[starts[document] : starts[document + 1]].tobytes()
        atom[document] = known.setdefault(sets, len(known))
    return own_block(atom)
