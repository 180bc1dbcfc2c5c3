"""Exact Jaccard of all pairs of documents by counting, without any hash that could collide.

A shingle is numbered, not hashed: words get numbers, then pairs of (number so far, next word) get
numbers again, as many times as the shingle is long. Nothing here comes from twinset's kernels;
whoever calls brings the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Ints = NDArray[np.int64]
CHUNK = 1000


@dataclass(frozen=True)
class Shingles:
    """The distinct shingles of every document, as a matrix of ones, and how many there are."""

    matrix: sp.csr_matrix
    sizes: Ints


@dataclass(frozen=True)
class AllPairs:
    """Pairs of document numbers, left < right, with the shared shingles and the sizes."""

    left: Ints
    right: Ints
    shared: Ints
    left_size: Ints
    right_size: Ints

    @property
    def jaccard(self) -> NDArray[np.float64]:
        return self.shared / (self.left_size + self.right_size - self.shared)


def shingles_of(documents: Iterable[list[str]], length: int = 5) -> Shingles:
    """Number the shingles; a shorter document is one shingle, an empty one has none."""
    vocabulary: dict[str, int] = {}
    starts: list[Ints] = []
    for words in documents:
        numbers = [vocabulary.setdefault(word, len(vocabulary) + 1) for word in words]
        if 0 < len(numbers) < length:
            numbers += [0] * (length - len(numbers))  # no word has 0: it marks the short ones
        starts.append(_windows(np.array(numbers, dtype=np.int64), length))
    lengths = np.array([len(rows) for rows in starts])
    rows = np.repeat(np.arange(len(starts)), lengths)
    columns = _number(np.concatenate(starts) if starts else np.empty((0, length), np.int64))
    distinct = int(columns.max()) + 1 if len(columns) else 0
    keys = np.unique(rows * max(distinct, 1) + columns)
    rows, columns = np.divmod(keys, max(distinct, 1))
    ones = np.ones(len(keys), dtype=np.int32)
    matrix = sp.csr_matrix((ones, (rows, columns)), shape=(len(starts), distinct))
    return Shingles(matrix, np.bincount(rows, minlength=len(starts)).astype(np.int64))


def _windows(numbers: Ints, length: int) -> Ints:
    if len(numbers) < length:
        return np.empty((0, length), dtype=np.int64)
    return np.lib.stride_tricks.sliding_window_view(numbers, length).astype(np.int32)


def _number(windows: Ints) -> Ints:
    numbers = windows[:, 0].astype(np.int64)
    for column in range(1, windows.shape[1]):
        following = windows[:, column].astype(np.int64)
        _, numbers = np.unique(numbers * (following.max(initial=0) + 1) + following,
                               return_inverse=True)  # fmt: skip
    return numbers


def all_pairs(shingles: Shingles, threshold: float) -> AllPairs:
    """Every pair whose Jaccard reaches the threshold (above zero)."""
    blocks = list(_blocks(shingles, threshold))
    left, right, shared = (np.concatenate([block[i] for block in blocks]) for i in range(3))
    return AllPairs(left, right, shared, shingles.sizes[left], shingles.sizes[right])


def _blocks(shingles: Shingles, threshold: float) -> Iterator[tuple[Ints, Ints, Ints]]:
    sizes = shingles.sizes
    frequent = np.asarray(shingles.matrix.sum(axis=0)).ravel() > 1
    matrix = shingles.matrix[:, frequent]
    turned = matrix.T.tocsr()
    for start in range(0, max(matrix.shape[0], 1), CHUNK):
        counts = (matrix[start : start + CHUNK] @ turned).tocoo()
        left, right = counts.row.astype(np.int64) + start, counts.col.astype(np.int64)
        shared = counts.data.astype(np.int64)
        united = sizes[left] + sizes[right] - shared
        keep = (left < right) & (shared / np.maximum(united, 1) >= threshold)
        yield left[keep], right[keep], shared[keep]
