"""Documents in the views that signals look at, and their neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Literal

import numpy as np

from twinset.finding.candidates.nearest import (
    CROWD,
    NEIGHBOURS,
    NearestLists,
    nearest_by_containment,
    nearest_by_cosine,
    united,
)
from twinset.model import FeatureLists, Ints, Ragged
from twinset.text.arrow import Texts
from twinset.text.shared_terms import ALONE, CountedTerms, SharedTerms
from twinset.text.tokens import WHOLE

View = Literal["words1", "words2", "words3", "words5", "folded5", "numbers"]
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
