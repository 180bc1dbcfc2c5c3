"""Pairs of dense vectors by their cosine: every one, by products of blocks of a matrix.

Products in single precision only choose: no pair that holds is left out, however a machine rounds.
The chosen ones are multiplied out in double precision by operations whose order is fixed, and
rounded to six digits: so one machine's pairs and scores are another's.

Most products have fewer dimensions. In an orthonormal basis whose first directions hold most of the
vectors, x·y is at most the product of what lies in these directions plus the product of the lengths
of the rest (Cauchy, Schwarz), which is one more dimension. How many directions pay is tried.

Crowds are treated as in ``cosine_join.hpp``: a row without an earlier anchor that it is a pair with
becomes an anchor; one that is a pair with an anchor of `dense` pairs is absorbed, that is paired
with the earlier anchors alone, and not compared with later rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset.model import Floats, Ints
from twinset.system.threads import in_order

Vectors = NDArray[np.float32]
CHUNK = 1024
"""Rows that are taken together: who is absorbed depends on it."""
TILE = 2048
"""Rows that a chunk is multiplied with at a time: 8 MB of products, which stay in the cache."""
PIECE = 512
"""Pairs that are multiplied out at a time, for the same reason."""
SAMPLE = 1024
"""Rows that directions are taken from, and as many others that they are tried on."""
WIDTHS = (32, 64, 128, 256)
COST = 50_000
"""Dimensions of products in blocks that take as long as multiplying out a pair: 1.5 µs to 30 ps."""
ROUNDING = 2.0**-23
"""Twice what single precision may lose in each dimension of unit vectors, in whatever order."""
DIGITS = 1e6


class ScoredPairs(NamedTuple):
    """Pairs of rows, left < right, with their cosine."""

    left: Ints
    right: Ints
    score: Floats

    @classmethod
    def joined(cls, parts: Iterable[ScoredPairs]) -> ScoredPairs:
        """All of them."""
        none = cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
        left, right, score = zip(none, *parts, strict=True)
        return cls(np.concatenate(left), np.concatenate(right), np.concatenate(score))

    def take(self, chosen: Ints | NDArray[np.bool_]) -> ScoredPairs:
        """Some of them."""
        return ScoredPairs(self.left[chosen], self.right[chosen], self.score[chosen])


class VectorPairs(NamedTuple):
    """The pairs by their right and then their left row, and what it took to find them."""

    pairs: ScoredPairs
    compared: int
    absorbed: int
    not_enumerated: int


def dot_products(left: Vectors, right: Vectors) -> Floats:
    """The product of each row with its counterpart, the same to the last bit on every machine.

    The product of two numbers of single precision is exact in double precision, and whole columns
    are added, in halves until one is left: no library chooses the order.
    """
    sums = left.astype(np.float64) * right
    width = sums.shape[1]
    while width > 1:
        half = (width + 1) // 2
        sums[:, : width - half] += sums[:, half:width]
        width = half
    return sums[:, 0]


class VectorJoin:
    """Vectors, none of length 0, in the order in which they are preferred."""

    def __init__(self, vectors: Vectors, threshold: float, threads: int) -> None:
        self.vectors, self.threshold, self.threads = vectors, threshold, threads
        self.least = threshold - (vectors.shape[1] + 8) * ROUNDING - 1 / DIGITS
        tiles = [slice(first, first + TILE) for first in range(0, len(vectors), TILE)]
        lengths = in_order(self._lengths, tiles, threads)
        self.lengths = np.concatenate([np.empty(0), *lengths])
        self.directions = self._directions() if len(vectors) >= 2 * SAMPLE else None
        heads = in_order(self._heads, tiles, threads)
        first = np.empty((0, self._heads(slice(0)).shape[1]), np.float32)
        self.heads: Vectors = np.concatenate([first, *heads])

    def pairs(self, kept: NDArray[np.bool_], dense: int) -> VectorPairs:
        """All pairs at or above the threshold; ``kept`` rows come first and are never absorbed."""
        count = len(self.vectors)
        anchor, absorbed, degree = np.zeros(count, bool), np.zeros(count, bool), np.zeros(count)
        found, compared, missing = [], 0, 0
        for first in range(0, count, CHUNK):
            rows = np.arange(first, min(first + CHUNK, count))
            crowded = anchor & (degree >= dense)
            near = self._near(rows, np.flatnonzero(crowded))
            absorbed[near.right] = ~kept[near.right]
            alone, away = rows[~absorbed[rows]], rows[absorbed[rows]]
            open_rows = np.flatnonzero(~(absorbed | crowded)[: rows[-1] + 1])
            anchors = np.flatnonzero(anchor & ~crowded)
            near = ScoredPairs.joined(
                [near, self._near(alone, open_rows), self._near(away, anchors)]
            )
            near = near.take(np.lexsort((near.left, near.right)))
            found.append(near)
            np.add.at(degree, near.left, 1)
            ends = np.searchsorted(near.right, np.append(rows, count))
            for row, (begin, end) in enumerate(pairwise(ends.tolist()), first):
                others = near.left[begin:end]
                anchor[row] = kept[row] or not anchor[others].any()
                if absorbed[row]:
                    missing += max(int(degree[others].max()) - len(others), 0)
            compared += len(rows) * np.count_nonzero(crowded) + len(away) * len(anchors)
            compared += int(np.searchsorted(open_rows, alone).sum())
        return VectorPairs(
            ScoredPairs.joined(found), int(compared), int(np.count_nonzero(absorbed)), missing
        )

    def _near(self, rows: Ints, columns: Ints) -> ScoredPairs:
        """The pairs of rows with those of the columns that come before them."""
        block = self.heads[rows]

        def of_tile(first: int) -> ScoredPairs:
            across = columns[first : first + TILE]
            hits = np.flatnonzero(block @ self.heads[across].T >= self.least)
            room = self.vectors.shape[1] * len(rows) * len(across)
            if self.directions is not None and COST * len(hits) > room:
                ours, theirs = (self._units(each).astype(np.float32) for each in (rows, across))
                hits = np.flatnonzero(ours @ theirs.T >= self.least)
            right, left = rows[hits // len(across)], across[hits % len(across)]
            earlier = left < right
            return self._scored(left[earlier], right[earlier])

        return ScoredPairs.joined(in_order(of_tile, range(0, len(columns), TILE), self.threads))

    def _scored(self, left: Ints, right: Ints) -> ScoredPairs:
        """Those of these pairs that hold."""
        score = np.empty(len(left))
        for first in range(0, len(left), PIECE):
            a, b = left[first : first + PIECE], right[first : first + PIECE]
            sums = dot_products(self.vectors[a], self.vectors[b])
            score[first : first + PIECE] = sums / (self.lengths[a] * self.lengths[b])
        pairs = ScoredPairs(left, right, np.minimum(np.rint(score * DIGITS) / DIGITS, 1.0))
        return pairs.take(pairs.score >= self.threshold)

    def _lengths(self, rows: slice) -> Floats:
        return np.sqrt(dot_products(self.vectors[rows], self.vectors[rows]))

    def _units(self, rows: Ints | slice) -> Floats:
        units: Floats = self.vectors[rows] / self.lengths[rows, None]
        return units

    def _heads(self, rows: slice) -> Vectors:
        """What blocks are multiplied of."""
        units = self._units(rows)
        return units.astype(np.float32) if self.directions is None else _cut(units, self.directions)

    def _directions(self) -> Floats | None:
        """The directions by which most pairs can be told apart; None where all are needed.

        Any would do: what they leave out costs time and no pair.
        """
        sample = self._units(slice(None, None, len(self.vectors) // (2 * SAMPLE)))
        basis = np.linalg.svd(sample[: 2 * SAMPLE : 2], full_matrices=False)[2].T
        tried, costs = sample[1 : 2 * SAMPLE : 2], {}
        holds = np.count_nonzero(tried @ tried.T >= self.least)
        for width in WIDTHS:
            heads = _cut(tried, basis[:, :width])
            more = np.count_nonzero(heads @ heads.T >= self.least) - holds
            costs[width + COST * more / len(tried) ** 2] = width
        best = min(costs)
        return basis[:, : costs[best]] if best < self.vectors.shape[1] / 2 else None


def _cut(units: Floats, directions: Floats) -> Vectors:
    """What of each vector lies in these directions, and the length of the rest, rounded up."""
    parts = units @ directions
    rest = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", parts, parts), 0)) + ROUNDING
    return np.column_stack([parts, rest]).astype(np.float32)
