"""A sample in which near-duplicates stay together.

A plain sample of one document in ten keeps one pair in a hundred. Here a document is drawn by the
least hash of its shingles: two documents of similarity s have the same one with probability s, and
are then drawn together. How likely a pair was to be drawn is known, so pairs are weighted by the
inverse of it, and counts in the sample are estimates for the whole collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from twinset.engine.documents import ids_of
from twinset.engine.progress import Progress
from twinset.engine.streaming import watched
from twinset.features.shingles import Shingles
from twinset.model import Documents, Features, Floats
from twinset.model.columns import scalar

KEYS = Shingles(5, 1, "char")
MOST_CHARACTERS = 50_000_000
LONGEST = 200_000  # characters of a document: more say nothing new about it
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class Sample:
    """Documents drawn from a collection; ``rate`` is the chance that one of them was drawn."""

    ids: list[str]
    texts: list[str]
    documents: int
    rate: float
    bytes: int

    def __len__(self) -> int:
        return len(self.texts)

    def weights(self, similarity: Floats) -> Floats:
        """How many pairs of the collection a pair of this Jaccard similarity stands for."""
        if self.rate >= 1:
            return np.ones(len(similarity))
        together = similarity * self.rate + (1 - similarity) * self.rate**2
        weights: Floats = 1 / together
        return weights


def draw(documents: Documents, most: int, seed: int, threads: int, progress: Progress) -> Sample:
    """Up to about ``most`` documents that have words, and fewer than all only if there are more."""
    drawing = _Drawing(most, seed)
    for batch in watched(documents, "drawing a sample", progress):
        if len(batch):
            drawing.add(ids_of(batch), batch.texts, threads)
    return drawing.sample()


@dataclass
class _Drawing:
    most: int
    seed: int
    documents: int = 0
    worded: int = 0
    characters: int = 0
    bytes: int = 0
    limit: float = 1.0
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    places: list[float] = field(default_factory=list)

    def add(self, ids: pa.Array, texts: pa.Array, threads: int) -> None:
        keys, _ = KEYS.extract(texts.fill_null(scalar("").cast(texts.type)), threads)
        there = keys.lengths > 0
        place = np.full(len(texts), 2.0)
        # Features are sorted: the first of a document is its least.
        place[there] = _place(keys.values[keys.offsets[:-1][there]], self.seed)
        self.bytes += int(texts.nbytes)
        self.worded += int(there.sum())
        for row in np.flatnonzero(place < self.limit).tolist():
            self.ids.append(ids[row].as_py())
            self.texts.append(texts[row].as_py()[:LONGEST])
            self.characters += len(self.texts[-1])
            self.places.append(float(place[row]))
        self.documents += len(texts)
        if len(self.texts) > 2 * self.most or self.characters > 2 * MOST_CHARACTERS:
            self._lower()

    def _lower(self) -> None:
        """Draw the line lower; documents with the same key stay or go together."""
        order = np.argsort(np.array(self.places), kind="stable")
        sizes = np.cumsum([len(self.texts[row]) for row in order])
        room = min(self.most, int(np.searchsorted(sizes, MOST_CHARACTERS, "right")))
        if len(order) <= room:
            return
        self.limit = self.places[order[max(room, 2)]] if len(order) > 2 else 1.0
        kept = [row for row, place in enumerate(self.places) if place < self.limit]
        if not kept:  # copies of one document alone: any of them will do
            kept = [row for row, place in enumerate(self.places) if place == self.limit]
            kept = kept[: max(room, 2)]
        self.ids = [self.ids[row] for row in kept]
        self.texts = [self.texts[row] for row in kept]
        self.places = [self.places[row] for row in kept]
        self.characters = sum(map(len, self.texts))

    def sample(self) -> Sample:
        self._lower()
        # Many documents may share a key, so the share drawn tells the rate better than the limit.
        rate = len(self.texts) / max(self.worded, 1)
        return Sample(self.ids, self.texts, self.documents, rate, self.bytes)


def _place(key: Features, seed: int) -> Floats:
    """A number from 0 to 1 for each key, evenly spread."""
    mixed = key + np.uint64((2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    for shift, times in ((30, MIX[0]), (27, MIX[1])):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * times
    places: Floats = (mixed >> np.uint64(11)).astype(float) / 2**53
    return places
