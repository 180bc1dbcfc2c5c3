"""A rule with two sides: strict in a crowd of look-alikes, calm where a pair stands out.

One threshold cannot be right for all documents. Among licences, forms and notices a document has
dozens of look-alikes that are no copies; a scan, a translation without accents or a rewritten
passage is alike its original alone, and little. So the pairs of a threshold are looked at again:

* *strict*: two documents that each have `crowd` pairs stay a pair only if they have the share
  ``order`` of their words in the same order;
* *calm*: two documents below the threshold are a pair if their cosine of folded characters lies
  ``outstanding`` deviations above those of the other nearest ones of either document, and half of
  the words of the shorter one stand in the same order in the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Numbers
from twinset.finding.candidates.nearest import nearest_by_cosine
from twinset.finding.signals.standing import SLACK, Neighbourhood
from twinset.model import Features, Floats, Ints, Ragged
from twinset.text.shared_terms import CountedTerms, SharedTerms
from twinset.text.tokens import Tokens

LENGTH = 5  # folded characters of a term
TERMS = 300
"""Runs of folded characters of a document; of longer ones half as many to as many are looked at."""
WORDS = 1500
"""Words of a document, from its beginning, whose order is compared."""
LEAST = 0.1  # a cosine of folded characters below which nothing stands out
IN_ORDER = 0.55  # of the words of the shorter document, for a pair that stands out
ALIKE = 0.5  # a cosine of folded characters that does as well: letters of scans, not words
OTHERS = 5  # other neighbours that a document needs, for a pair to stand out from them,
LONG = 20  # unless both have so many words: titles that share a word have no neighbours at all
WORK = 100_000_000
"""Steps over lists of documents: among 20,000 the terms that up to 250 have are looked at."""
_APART = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Sides:
    """The numbers of a rule that bends; 0: this side does not."""

    crowd: int
    order: float
    outstanding: float


@dataclass(frozen=True, slots=True)
class CalmPairs:
    """Pairs that stand out, left < right: cosine of characters, deviations, words in order."""

    left: Ints
    right: Ints
    cosine: Floats
    outstanding: Floats
    order: Floats

    def where(self, good: NDArray[np.bool_]) -> CalmPairs:
        """Some of them."""
        ends = self.left[good], self.right[good]
        return CalmPairs(*ends, self.cosine[good], self.outstanding[good], self.order[good])


class ReadAlong:
    """What both sides look at of each document, collected as documents are read."""

    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self._words: list[Ragged[np.uint32]] = []
        self._folded: list[CountedTerms] = []

    def add(self, tokens: Tokens, threads: int) -> None:
        """Take in a batch."""
        lengths = np.minimum(tokens.lengths, WORDS)
        kept_and_not = np.stack([lengths, tokens.lengths - lengths], axis=1).ravel()
        first = tokens.hashes[np.repeat(np.tile([True, False], len(lengths)), kept_and_not)]
        short = (first >> np.uint64(32)).astype(np.uint32)
        self._words.append(Ragged.from_lengths(short, lengths))
        if self.sides.outstanding:
            lists = tokens.bytes, tokens.text_offsets
            self._folded.append(CountedTerms.folded(*lists, LENGTH, threads, most=TERMS))

    def finish(self, documents: Numbers, threads: int) -> TwoSides:
        """Of these documents, which are rows from here on."""
        words = Ragged.concatenate(self._words, np.uint32)
        self._words.clear()
        folded = None
        if self.sides.outstanding:
            folded = CountedTerms.concatenate(self._folded)
            self._folded.clear()
        return TwoSides(self.sides, documents, words, folded and folded.take(documents), threads)


@dataclass(frozen=True)
class TwoSides:
    """Both sides of the rule among some documents, by their rows; words are those of all."""

    sides: Sides
    documents: Numbers
    words: Ragged[np.uint32]
    folded: CountedTerms | None
    threads: int

    @cached_property
    def _lengths(self) -> Ints:
        return self.words.lengths[self.documents]

    def strict(self, left: Ints, right: Ints, dense: int) -> tuple[NDArray[np.bool_], Floats]:
        """Which of these pairs hold, and their words in order, NaN outside of crowds.

        Documents that were compared with anchors alone have fewer pairs than look-alikes; but an
        anchor has ``dense`` of them.
        """
        pairs = np.bincount(np.concatenate([left, right]), minlength=len(self.documents))
        few, many = np.minimum(pairs[left], pairs[right]), np.maximum(pairs[left], pairs[right])
        crowd = self.sides.crowd
        crowded = np.flatnonzero((few >= crowd) | (many >= max(dense, crowd)))
        order = np.full(len(left), np.nan)
        lengths = self._lengths
        whole = lengths[left[crowded]] + lengths[right[crowded]]
        common = self._in_order(left[crowded], right[crowded])
        order[crowded] = 2 * common / np.maximum(whole, 1)
        return ~(order < self.sides.order), order

    def calm(self, left: Ints, right: Ints) -> CalmPairs:
        """The pairs that stand out, but for these."""
        assert self.folded is not None
        shared = SharedTerms.of(self.folded, self.threads)
        nearest = nearest_by_cosine(shared, self.threads, work=WORK)
        first, second, cosine = nearest.pairs(self.threads)
        near = Neighbourhood.of_pairs(first, second, cosine, len(self.documents), self.threads)
        may = (cosine >= LEAST) & ~_listed(left, right, first, second, self.threads)
        first, second, cosine = first[may], second[may], cosine[may]
        shorter = np.minimum(self._lengths[first], self._lengths[second])
        others = near.others(first, second, cosine), near.others(second, first, cosine)
        outstanding = np.maximum(
            *(
                np.where(
                    (end.count >= OTHERS) | (shorter >= LONG),
                    (cosine - end.mean) / (end.deviation + SLACK),
                    0.0,
                )
                for end in others
            )
        )
        good = outstanding >= self.sides.outstanding
        found = CalmPairs(first, second, cosine, outstanding, cosine).where(good)
        order = self._in_order(found.left, found.right) / np.maximum(shorter[good], 1)
        return replace(found, order=order).where((order >= IN_ORDER) | (found.cosine >= ALIKE))

    def _in_order(self, left: Ints, right: Ints) -> Ints:
        """The length of the longest common subsequence of the words of each pair."""
        rows, place = np.unique(np.concatenate([left, right]), return_inverse=True)
        lists = self.words.take(self.documents[rows])
        table = _kernels.TermTable()
        numbers = table.add(lists.values.astype(np.uint64) * _APART, self.threads)
        first, second = np.split(place.reshape(-1).astype(np.uint32), 2)
        names: Features = table.all()[0]
        common: Ints = _kernels.common_subsequences(
            numbers, lists.offsets, len(names), first, second, self.threads
        )
        return common


def _listed(left: Ints, right: Ints, first: Ints, second: Ints, threads: int) -> NDArray[np.bool_]:
    """Which of the pairs of first and second are among those of left and right."""
    low = np.minimum(left, right).astype(np.uint32)
    high = np.maximum(left, right).astype(np.uint32)
    order = _kernels.sorted_order(low, high, threads)
    ends = first.astype(np.uint32), second.astype(np.uint32)
    return _kernels.listed_pairs(low[order], high[order], ends[0], ends[1], threads) >= 0
