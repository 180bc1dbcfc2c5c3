"""The nearest documents of each one, by several views of them: pairs worth looking at.

A threshold asks for pairs that are alike; this asks for each document's likest ones, however
little they are alike. So a noisy scan still meets its original. The views are the tf-idf cosine of
two words, the tf-idf cosine of folded characters, and the containment of three words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from twinset import _kernels
from twinset.model import Features, Floats, Ints, Ragged
from twinset.text.shared_terms import UNIT, SharedTerms

NEIGHBOURS = 20
CROWD = 400
"""Neighbours at most in a crowd of documents that are all alike."""
ALIKE = 0.35
"""A cosine above which further neighbours are taken."""
FREQUENT = 0.2
"""The share of documents; what more of them have tells nothing of what one contains."""
WORK = 2_000_000_000
"""Steps over the lists of documents, beyond which the most frequent terms are left out."""
_SHIFT = 9  # weights of 16 bits: sums of their products fit into 32
_SCALE = (UNIT >> _SHIFT) ** 2


@dataclass(frozen=True, slots=True)
class NearestLists:
    """The neighbours of each document, best first, with their scores.

    ``most_documents`` is how many documents may have a term for it to be looked at.
    """

    numbers: Ragged[np.uint32]
    scores: Floats
    most_documents: int

    def pairs(self, threads: int) -> tuple[Ints, Ints, Floats]:
        """A document and a neighbour of it, left < right, each two once, and their score."""
        keys = _keys(self)
        left, right = _ends(keys)
        order = _kernels.sorted_order(left.astype(np.uint32), right.astype(np.uint32), threads)
        keys = keys[order]
        once = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        return *_ends(keys[once]), self.scores[order[once]]


def nearest_by_cosine(
    shared: SharedTerms,
    threads: int,
    *,
    neighbours: int = NEIGHBOURS,
    crowd: int | None = None,
    work: int = WORK,
) -> NearestLists:
    """The neighbours of greatest tf-idf cosine; with ``crowd`` more while it is above `ALIKE`."""
    most_documents = _most_documents(shared.df, len(shared), work)
    weights = (shared.weights + (1 << _SHIFT - 1)) >> _SHIFT
    kept = (shared.df <= most_documents)[shared.terms.values]
    terms = shared.terms.where(kept)
    numbers, scores, offsets = _kernels.nearest_neighbours(
        terms.values,
        weights[kept].astype(np.uint16),
        terms.offsets,
        np.empty(0, np.int64),
        len(shared.df),
        neighbours,
        max(crowd or neighbours, neighbours),
        ALIKE * _SCALE if crowd else np.inf,
        threads,
    )
    return NearestLists(Ragged(numbers, offsets), scores / _SCALE, most_documents)


def nearest_by_containment(
    shared: SharedTerms, threads: int, *, neighbours: int = NEIGHBOURS, work: int = WORK
) -> NearestLists:
    """The neighbours that share the most terms, of the terms of the one that has fewer.

    Terms that more than a fifth of the documents have are left out.
    """
    few = max(int(len(shared) * FREQUENT), 2)
    most_documents = min(_most_documents(shared.df, len(shared), work), few)
    kept = (shared.df <= most_documents)[shared.terms.values]
    terms = shared.terms.where(kept)
    dropped = Ragged(kept, shared.terms.offsets).where(~kept).lengths
    numbers, scores, offsets = _kernels.nearest_neighbours(
        terms.values,
        np.ones(len(terms.values), np.uint16),
        terms.offsets,
        shared.sizes - dropped,
        len(shared.df),
        neighbours,
        neighbours,
        np.inf,
        threads,
    )
    return NearestLists(Ragged(numbers, offsets), scores, most_documents)


def united(lists: Iterable[NearestLists]) -> tuple[Ints, Ints]:
    """The pairs of a document and a neighbour of it, left < right, each once, in order."""
    keys = map(_keys, lists)
    return _ends(_kernels.sorted_unique(np.concatenate([np.empty(0, np.uint64), *keys])))


def _keys(nearest: NearestLists) -> Features:
    owner = nearest.numbers.owners().astype(np.uint64)
    other = nearest.numbers.values.astype(np.uint64)
    keys: Features = np.minimum(owner, other) << np.uint64(32) | np.maximum(owner, other)
    return keys


def _ends(keys: Features) -> tuple[Ints, Ints]:
    left, right = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
    return left.astype(np.int64), right.astype(np.int64)


def _most_documents(df: Ints, documents: int, work: int) -> int:
    """How many documents a term may have, so that the lists take at most so many steps."""
    counts = np.bincount(df, minlength=documents + 1)
    steps = np.cumsum(counts * np.arange(len(counts)) ** 2)
    return max(int(np.searchsorted(steps, work, "right")) - 1, 2)
