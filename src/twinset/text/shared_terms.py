"""The terms that documents share with others: what a pair of them can have in common.

A term of one document alone can be in no pair. It still counts in the number of a document's terms
and in the length of its vector; so those are kept, and the lists hold the shared terms only.
Weights are whole numbers, so that sums over them are the same in any order and on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Floats, Ints, Ragged
from twinset.text.terms import idf

UNIT = 1 << 24
"""The length of a vector whose weights are whole numbers."""
STEPS = 1024
"""An idf is a whole number of 1/1024."""
ALONE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class CountedTerms:
    """The distinct terms of each document, ascending, with their counts.

    ``places``, where there are any, hold for each term in reading order its place among them.
    """

    terms: Ragged[np.uint64]
    tf: NDArray[np.uint16]
    places: Ragged[np.uint32] | None = None

    @classmethod
    def runs(
        cls, units: Ragged[np.uint64], length: int, threads: int, *, places: bool = False
    ) -> CountedTerms:
        """Runs of units; a shorter document is one run."""
        terms, tf, offsets, place = _kernels.counted_runs(
            units.values, units.offsets, length, places, threads
        )
        if not places:
            return cls(Ragged(terms, offsets), tf)
        lengths = np.where(units.lengths > 0, np.maximum(units.lengths - length + 1, 1), 0)
        return cls(Ragged(terms, offsets), tf, Ragged.from_lengths(place, lengths))

    @classmethod
    def folded(
        cls, words: NDArray[np.uint8], offsets: Ints, length: int, threads: int, *, most: int = 0
    ) -> CountedTerms:
        """Runs of the folded characters of words with a space after each.

        Of longer documents about ``most`` of them or half as many, those whose hashes are low:
        documents of about one length keep the same ones.
        """
        terms, tf, ends, _ = _kernels.counted_folded(words, offsets, length, most, threads)
        return cls(Ragged(terms, ends), tf)

    def take(self, documents: NDArray[Any]) -> CountedTerms:
        """The terms of these documents, in this order."""
        return CountedTerms(
            self.terms.take(documents), self.terms.like(self.tf).take(documents).values
        )

    @classmethod
    def concatenate(cls, parts: Sequence[CountedTerms]) -> CountedTerms:
        """The documents of several batches, one after the other."""
        if len(parts) == 1:
            return parts[0]
        terms = Ragged.concatenate([part.terms for part in parts], np.uint64)
        tf = np.concatenate([np.empty(0, np.uint16), *(part.tf for part in parts)])
        places = [part.places for part in parts if part.places is not None]
        return cls(terms, tf, Ragged.concatenate(places, np.uint32) if places else None)


@dataclass(frozen=True)
class SharedTerms:
    """The numbers of the terms that each document shares with another one, ascending.

    ``sizes`` are the distinct terms of each document, those that it has alone included; ``df`` is
    by number, ``documents`` are those that have terms. ``weights`` of the tf-idf vector, with
    1+log tf, are scaled so that the whole vector has the length `UNIT`.
    """

    terms: Ragged[np.uint32]
    sizes: Ints
    df: Ints
    documents: int
    weights: NDArray[np.int32]
    places: Ragged[np.uint32] | None = None

    @classmethod
    def of(cls, counts: CountedTerms, threads: int) -> SharedTerms:
        """From the terms of all documents."""
        lists = counts.terms
        numbers, df = _kernels.numbered_terms(lists.values, lists.offsets, threads)
        documents = int((lists.lengths > 0).sum())
        alone = float(idf(np.array([1]), documents)[0])
        by_number = idf(df, documents)
        weights = _kernels.scaled_weights(
            numbers, counts.tf, lists.offsets, by_number, alone, _by_tf(), UNIT, threads
        )
        shared = numbers != ALONE
        terms = lists.like(numbers).where(shared)
        places = counts.places and _kept_places(counts.places, lists, shared)
        return cls(terms, lists.lengths, df, documents, weights[shared], places)

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def rarity(self) -> NDArray[np.int32]:
        """The idf of each term by number, in steps of 1/`STEPS`."""
        return np.rint(idf(self.df, self.documents) * STEPS).astype(np.int32)

    @cached_property
    def rarities(self) -> NDArray[np.int32]:
        """The idf of the terms of each document, parallel to them."""
        return self.rarity[self.terms.values]

    @cached_property
    def rarity_sums(self) -> Ints:
        """The sum of the idf of all terms of each document, those that it has alone included."""
        alone = int(np.rint(idf(np.array([1]), self.documents)[0] * STEPS))
        shared = self.terms.like(self.rarities.astype(float)).sums()
        return shared.astype(np.int64) + (self.sizes - self.terms.lengths) * alone


@cache
def _by_tf() -> Floats:
    """1+log tf, by tf."""
    return np.concatenate([[0.0], 1 + np.log(np.arange(1, 1 << 16))])


def _kept_places(
    places: Ragged[np.uint32], lists: Ragged[np.uint64], shared: NDArray[np.bool_]
) -> Ragged[np.uint32]:
    """Places among the shared terms of the document; `ALONE` for the others."""
    before: Ints = np.cumsum(shared) - shared  # shared terms before each term
    whole = places.values + np.repeat(lists.offsets[:-1], places.lengths)
    first = np.append(before, 0)[lists.offsets[:-1]]
    new = before[whole] - np.repeat(first, places.lengths)
    return places.like(np.where(shared[whole], new, ALONE).astype(np.uint32))
