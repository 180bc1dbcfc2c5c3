"""Terms of documents with their counts: words, word pairs, character grams; and how many documents
have them.

A term is the 64-bit hash of what it stands for. `Frequencies` may be cut down to the frequent
terms, so that they fit into a small file: every term that is left out then counts as ``rare``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Features, Floats, Ints
from twinset.text.arrow import Texts
from twinset.text.tokens import WHOLE, Lists, Tokens

Kind = Literal["word", "pair", "gram"]
GRAM = 5
MOST = 1 << 16
_MERGE_AT = 1 << 23


@dataclass(frozen=True, slots=True)
class Counted:
    """The distinct terms of each document, in order of first appearance, with their counts."""

    hashes: Features
    tf: NDArray[np.int32]
    offsets: Ints


def terms(tokens: Tokens, kind: Kind) -> Counted:
    """The terms of a kind; a document too short for one is one term as a whole."""
    in_order = _in_order(tokens, kind)
    first, tf, offsets, _ = _kernels.distinct(*in_order, False, tokens.threads)
    return Counted(in_order[0][first], tf, offsets)


def _in_order(tokens: Tokens, kind: Kind) -> Lists:
    if kind == "word":
        return tokens.hashes, tokens.offsets
    return tokens.grams(GRAM) if kind == "gram" else tokens.shingles(2, unique=False)


@dataclass(frozen=True)
class Frequencies:
    """In how many of ``documents`` documents a term occurs; less than ``rare`` is not told apart.

    ``hashes`` are sorted.
    """

    hashes: Features
    df: Ints
    documents: int
    rare: int = 1

    @cached_property
    def _places(self) -> _kernels.HashPlaces:
        return _kernels.HashPlaces(self.hashes)

    def of(self, hashes: Features, threads: int = 1) -> Ints:
        """df of these terms."""
        if not len(self.hashes):
            return np.full(len(hashes), self.rare, np.int64)
        rows = self._places.find(np.ascontiguousarray(hashes), threads)
        return np.where(rows >= 0, np.maximum(self.df[rows], self.rare), self.rare)

    def idf(self, hashes: Features, threads: int = 1) -> Floats:
        """log((1+N)/(1+df))+1 of these terms."""
        return inverse(self.of(hashes, threads), self.documents)

    def frequent(self, most: int = MOST) -> Frequencies:
        """Only the most frequent terms, as many as fit; those that tie with a left out one go."""
        kept = self.df > self.rare
        if int(kept.sum()) <= most:
            return Frequencies(self.hashes[kept], self.df[kept], self.documents, self.rare)
        rare = int(np.sort(self.df)[-most - 1])
        kept = self.df > rare
        return Frequencies(self.hashes[kept], self.df[kept], self.documents, rare)


def inverse(df: Ints, documents: int) -> Floats:
    """The inverse document frequency log((1+N)/(1+df))+1."""
    found: Floats = np.log((1 + documents) / (1 + np.minimum(df, documents))) + 1
    return found


class TermSurvey:
    """Counts the documents of each term, for several kinds of terms in one pass."""

    def __init__(self, kinds: Iterable[Kind], threads: int) -> None:
        self.threads = threads
        self._parts: dict[Kind, list[tuple[Features, Ints]]] = {kind: [] for kind in kinds}
        self._documents = 0

    def add(self, texts: Texts) -> None:
        """Count the terms of a batch."""
        tokens = WHOLE.tokens(texts, self.threads)
        self._documents += int((tokens.lengths > 0).sum())
        for kind, parts in self._parts.items():
            hashes, df = np.unique(terms(tokens, kind).hashes, return_counts=True)
            parts.append((hashes, df.astype(np.int64)))
            if sum(len(part[0]) for part in parts[1:]) > _MERGE_AT:
                parts[:] = [_merged(parts)]

    def finish(self) -> dict[Kind, Frequencies]:
        """The counts of all batches."""
        return {
            kind: Frequencies(*_merged(parts), self._documents)
            for kind, parts in self._parts.items()
        }


def _merged(parts: list[tuple[Features, Ints]]) -> tuple[Features, Ints]:
    hashes = np.concatenate([np.empty(0, np.uint64), *(part[0] for part in parts)])
    df = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
    order = np.argsort(hashes, kind="stable")
    hashes, df = hashes[order], df[order]
    if not len(hashes):
        return hashes, df
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    return hashes[starts], np.add.reduceat(df, starts)
