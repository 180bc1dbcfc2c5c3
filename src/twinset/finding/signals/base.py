"""What a signal is, the documents in the views that signals look at, and pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.nearest import (
    CROWD,
    NEIGHBOURS,
    NearestLists,
    nearest_by_containment,
    nearest_by_cosine,
    united,
)
from twinset.model import FeatureLists, Floats, Ints, Ragged
from twinset.text.arrow import Texts
from twinset.text.shared_terms import ALONE, CountedTerms, SharedTerms
from twinset.text.tokens import WHOLE

View = Literal["words1", "words2", "words3", "words5", "folded5", "numbers", "codes"]
CAP = 1500
"""Words of a document, from its beginning, whose order is compared."""


class Profiles:
    """A list of documents, numbered in the order in which they were added.

    Views, pairs and neighbours are made at first use and kept.
    """

    def __init__(self, threads: int = 1, neighbours: int = NEIGHBOURS, crowd: int = CROWD) -> None:
        self.threads, self.neighbours, self.crowd = threads, neighbours, crowd
        self._words: list[FeatureLists] = []
        self._numbers: list[FeatureLists] = []
        self._codes: list[FeatureLists] = []
        self._bytes: list[Ragged[np.uint8]] = []
        self._views: dict[View, SharedTerms] = {}
        self.kept: dict[str, object] = {}  # what signals make of all documents once

    @classmethod
    def of(cls, texts: Iterable[Texts], threads: int = 1, **bounds: int) -> Profiles:
        """From batches of texts."""
        profiles = cls(threads, **bounds)
        for batch in texts:
            profiles.add(batch)
        return profiles

    def add(self, texts: Texts) -> None:
        """Take in a batch; to be called before anything is asked for."""
        if self._views:
            raise ValueError("documents cannot be added once a view of them was made")
        tokens = WHOLE.tokens(texts, self.threads)
        self._words.append(tokens.words)
        self._numbers.append(tokens.words.where(tokens.with_digit()))
        self._codes.append(tokens.codes())
        self._bytes.append(Ragged(tokens.bytes, tokens.text_offsets))

    def __len__(self) -> int:
        return sum(map(len, self._words))

    @cached_property
    def words(self) -> FeatureLists:
        """The hashes of the words of each document, in order."""
        return Ragged.concatenate(self._words, np.uint64)

    @cached_property
    def numbers(self) -> FeatureLists:
        """Those of the words that hold a digit."""
        return Ragged.concatenate(self._numbers, np.uint64)

    def view(self, name: View) -> SharedTerms:
        """All documents in one view."""
        if name not in self._views:
            self._views[name] = SharedTerms.of(self._counts(name), self.threads)
        return self._views[name]

    def _counts(self, name: View) -> CountedTerms:
        if name == "folded5":
            parts = [
                CountedTerms.folded(words.values, words.offsets, 5, self.threads)
                for words in self._bytes
            ]
            self._bytes = []
            return CountedTerms.concatenate(parts)
        if name == "numbers":
            return CountedTerms.runs(self.numbers, 1, self.threads)
        if name == "codes":
            codes = Ragged.concatenate(self._codes, np.uint64)
            return CountedTerms.runs(codes, 1, self.threads)
        length = int(name.removeprefix("words"))
        return CountedTerms.runs(self.words, length, self.threads, places=length in (1, 3))

    @cached_property
    def sequences(self) -> Ragged[np.uint32]:
        """The first `CAP` words of each document as numbers, without words of it alone."""
        shared = self.view("words1")
        places = shared.places
        assert places is not None
        row = places.owners()
        first = np.arange(len(row)) - places.offsets[:-1][row] < CAP
        known = first & (places.values != ALONE)
        where = places.values[known] + shared.terms.offsets[:-1][row[known]]
        return Ragged.from_lengths(
            shared.terms.values[where], np.bincount(row[known], minlength=len(self))
        )

    @cached_property
    def nearest(self) -> dict[str, NearestLists]:
        """The nearest documents of each one, by cosine of 2 words, of folded characters, and by
        containment of 3 words."""
        least = {"neighbours": self.neighbours}
        words2, words3, folded = (self.view(v) for v in ("words2", "words3", "folded5"))
        return {
            "cosine2": nearest_by_cosine(words2, self.threads, crowd=self.crowd, **least),
            "cosine5c": nearest_by_cosine(folded, self.threads, **least),
            "containment3": nearest_by_containment(words3, self.threads, **least),
        }

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Candidates: every pair one of which is among the nearest of the other, left < right."""
        return united(self.nearest.values())

    @cached_property
    def _keys(self) -> Ints:
        left, right = self.pairs
        return left << 32 | right

    def rows_of(self, left: Ints, right: Ints) -> Ints:
        """The places of these pairs, either way round, among the candidates; -1 for others."""
        keys = np.minimum(left, right) << 32 | np.maximum(left, right)
        if not len(self._keys):
            return np.full(len(keys), -1)
        rows = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[rows] == keys, rows, -1)


Need = Literal["documents", "collection", "neighbours"]


@dataclass(frozen=True, slots=True)
class SharedSums:
    """Of each pair: the number of common terms, the product of weights, the sum of lesser ones."""

    terms: Ints
    product: Ints
    lesser: Ints

    def take(self, rows: Ints) -> SharedSums:
        """Those of some pairs."""
        return SharedSums(self.terms[rows], self.product[rows], self.lesser[rows])


@dataclass
class ProfiledPairs:
    """Pairs of documents; what several signals ask for is computed once."""

    profiles: Profiles
    left: Ints
    right: Ints
    threads: int
    _kept: dict[str, Any] = field(default_factory=dict)

    @property
    def ends(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Both documents of each pair, as kernels take them."""
        return self.left.astype(np.uint32), self.right.astype(np.uint32)

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """What ``compute`` gives, computed at the first call of this name."""
        if name not in self._kept:
            self._kept[name] = compute()
        return self._kept[name]

    def shared(self, view: View, *, rarity: bool = False) -> SharedSums:
        """What pairs share in a view, by tf-idf weights or by the idf alone."""

        def compute() -> SharedSums:
            known = None if rarity else self.profiles.kept.get(f"shared {view}")
            if isinstance(known, SharedSums):
                rows = self.profiles.rows_of(self.left, self.right)
                if (rows >= 0).all():
                    return known.take(rows)
            terms = self.profiles.view(view)
            weights = terms.rarities if rarity else terms.weights
            lists = terms.terms.values, weights, terms.terms.offsets, len(terms.df)
            return SharedSums(*_kernels.shared_terms(*lists, *self.ends, self.threads))

        sums: SharedSums = self.once(f"shared {view} {rarity}", compute)
        return sums

    def both(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """What documents have, of the left and of the right one."""
        return values[self.left], values[self.right]

    def view(self, view: View) -> SharedTerms:
        """All documents in a view."""
        return self.profiles.view(view)


@dataclass(frozen=True, slots=True)
class Signal:
    """A number that says something of a pair, the same whichever document comes first.

    ``logit``: it is a similarity from 0 to 1, which a model takes as a logit. ``needs``: whether it
    follows from the two documents alone, depends on how rare words are in the collection at hand,
    or on the neighbours that the documents have there.
    """

    name: str
    says: str
    logit: bool
    of: Callable[[ProfiledPairs], Floats]
    needs: Need = "documents"

    def column(self, profiles: Profiles, left: Ints, right: Ints, threads: int) -> Floats:
        """The signal of each pair."""
        return self.of(ProfiledPairs(profiles, left, right, threads))


def share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """A part of a whole; 0 of nothing."""
    ratio: Floats = part / np.maximum(whole, 1)
    return ratio
