"""A sample of the documents, ways to compare them, and how well their pairs agree.

A plain sample of one document in ten keeps one pair in a hundred. Here a document is drawn by the
least hash of its shingles: two documents of similarity s have the same one with probability s, and
are then drawn together. How likely a pair was to be drawn is known, so pairs are weighted by the
inverse of it, and counts in the sample are estimates for the whole collection.

A view is a set of shingles with the Jaccard similarity or the containment, or the same shingles
weighted by tf-idf (1 + log tf) with the cosine, which looks past passages that many documents have
in common.

To be a copy is an equivalence: if A is a copy of B, and B of C, then A is one of C. So pairs
contradict each other where a chain of them joins two documents that are no pair. Documents that
are merely related, or share boilerplate, form such chains by the thousand; copies do not. The
*cohesion* at a threshold is the share of pairs among all twos of documents that chains join. The
*balance* is the pairs less the contradictions, each of which weighs as much as a few pairs: what
correlation clustering maximises [Bansal, Blum, Chawla 2004].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.errors import TwinsetError
from twinset.finding.features import Shingles
from twinset.finding.methods.joins import Exact
from twinset.finding.methods.minhash import MinHash
from twinset.finding.methods.tfidfcosine import TfidfCosine
from twinset.model import Documents, Features, Floats, Ints
from twinset.model.columns import scalar
from twinset.plan import Method, Plan, Resources, Unit
from twinset.run.documents import ids_of
from twinset.run.opening import open_documents
from twinset.run.progress import Progress
from twinset.run.streaming import watched
from twinset.text.terms import TermCounts, runs
from twinset.text.tokens import WHOLE
from twinset.text.vectors import WeightedTerms, tfidf_vectors

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and where it lies with 95 % confidence."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    def holds(self, value: float) -> bool:
        return self.low - ROUNDING <= value <= self.high + ROUNDING


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

    def __len__(self) -> int:
        return len(self.texts)

    def weights(self, similarity: Floats) -> Floats:
        """How many pairs of the collection a pair of this Jaccard similarity stands for."""
        if self.rate >= 1:
            return np.ones(len(similarity))
        together = similarity * self.rate + (1 - similarity) * self.rate**2
        weights: Floats = 1 / together
        return weights


def open_sample(
    documents: Any, plan: Plan, most: int, seed: int, resources: Resources, progress: Progress
) -> tuple[Sample, Plan]:
    """A sample of what a caller names, and the plan as it reads them; two documents at least."""
    opened, plan = open_documents(documents, plan, resources)
    sample = draw(opened, most, seed, resources.threads, progress)
    if len(sample) < 2:
        raise TwinsetError(
            f"documents with words: {len(sample)}, and pairs need at least two documents: add "
            "some, or check --text and --html"
        )
    return sample, plan


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
        return Sample(self.ids, self.texts, self.documents, rate)


def _place(key: Features, seed: int) -> Floats:
    """A number from 0 to 1 for each key, evenly spread."""
    mixed = key + np.uint64((2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    for shift, times in ((30, MIX[0]), (27, MIX[1])):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * times
    places: Floats = (mixed >> np.uint64(11)).astype(float) / 2**53
    return places


# Pairs below these are background in every collection; they only cost room.
_LEAST = {"jaccard": 0.08, "cosine": 0.15, "containment": 0.3}
_NAMES = {"jaccard": "Jaccard", "cosine": "tf-idf cosine", "containment": "containment"}
_FORMULAS = {"cosine": 0, "jaccard": 1, "containment": 2}  # the kernel's
# Shingles in all, beyond which the same share of each document's is taken: similarities stay, up to
# sampling error.
MOST_TERMS = 4_000_000
LETTERS = 5  # characters of a word with what follows it, roughly
PORTION = 4_000_000  # characters that are cut into shingles at a time
SPREAD = np.uint64(0x9E3779B97F4A7C15)
Compared = Literal["jaccard", "cosine", "containment"]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Pairs of documents and how similar they are, left < right."""

    left: Ints
    right: Ints
    score: Floats


@dataclass(frozen=True, slots=True)
class TermView:
    """Shingles of ``length`` words or characters, and what two documents are compared by."""

    unit: Unit
    length: int
    measure: Compared = "jaccard"

    @property
    def weighted(self) -> bool:
        """Whether shingles count by tf-idf, and not as a set."""
        return self.measure == "cosine"

    @property
    def name(self) -> str:
        units = {"word": "words", "char": "characters", "sentence": "sentences"}[self.unit]
        return f"{self.length} {units}, {_NAMES[self.measure]}"

    @property
    def least(self) -> float:
        """The lowest similarity that is looked at."""
        return _LEAST[self.measure]

    def options(self, threshold: float) -> dict[str, Any]:
        """The options of a plan that compares documents this way."""
        method: Method = MinHash(shingle=self.length, unit=self.unit)
        if self.weighted:
            method = TfidfCosine(length=self.length, unit=self.unit, sublinear=True)
        if self.measure == "containment":
            exact = Exact(shingle=self.length, unit=self.unit)
            return {"method": exact, "measure": "containment", "threshold": threshold}
        return {"method": method, "threshold": threshold}

    def rate(self, texts: list[str]) -> float:
        """The share of shingles to take, so that there are not too many of these texts."""
        units = sum(map(len, texts)) / (1 if self.unit == "char" else LETTERS)
        return min(1.0, MOST_TERMS / max(units, 1))

    def terms(self, texts: list[str], threads: int, rate: float = 1.0) -> TermCounts:
        """The shingles of texts, or those whose hashes are low enough to be in the share."""
        return TermCounts.concatenate(
            [self._terms(portion, threads, rate) for portion in _portions(texts)]
        )

    def _terms(self, texts: list[str], threads: int, rate: float) -> TermCounts:
        tokens = WHOLE.tokens(pa.array(texts, pa.large_string()), threads)
        counts = TermCounts.of(runs(tokens, self.length, self.unit), threads)
        if rate >= 1:
            return counts
        mixed = (counts.terms.values * SPREAD) >> np.uint64(32)
        return counts.where(mixed < np.uint64(rate * 2**32))

    def neighbours(self, counts: TermCounts, threads: int) -> Neighbours:
        """Every pair of documents whose similarity is not negligible."""
        if self.weighted:
            vectors, dimensions = tfidf_vectors(counts, sublinear=True)
        else:
            sets = WeightedTerms(counts.terms, np.ones(len(counts.tf)))
            vectors, dimensions = sets.numbered()
        left, right, score = _kernels.inverted_pairs(
            vectors.features,
            vectors.weights,
            vectors.offsets,
            dimensions,
            _FORMULAS[self.measure],
            self.least,
            threads,
        )
        return Neighbours(left.astype(np.int64), right.astype(np.int64), score)


def _portions(texts: list[str]) -> Iterator[list[str]]:
    """Texts in portions that leave room for their shingles."""
    portion: list[str] = []
    size = 0
    for text in texts:
        portion.append(text)
        size += len(text)
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


STEP = 0.02
MOST_PER_DOCUMENT = 100  # pairs; beyond, everything is joined to everything


@dataclass(frozen=True, slots=True)
class PairLevel:
    """The pairs that reach a threshold: of the whole collection, and of the sample."""

    threshold: float
    pairs: float
    sampled: int
    cohesion: float

    def balance(self, weight: float) -> float:
        """Pairs less the contradictions among them, each of which counts ``weight`` pairs."""
        return self.pairs * (1 + weight - weight / self.cohesion)


@dataclass(frozen=True)
class Relation:
    """The pairs of a view at every threshold, the lowest first."""

    levels: tuple[PairLevel, ...]

    def at(self, threshold: float) -> PairLevel:
        """The level of this threshold, or the nearest that was looked at."""
        return min(self.levels, key=lambda level: abs(level.threshold - threshold))

    def between(self, low: float, high: float) -> list[PairLevel]:
        """The levels of a range, both ends included, the lowest first."""
        return [each for each in self.levels if low - 1e-9 <= each.threshold <= high + 1e-9]


def relation(near: Neighbours, weights: Floats, documents: int, around: float) -> Relation:
    """The levels of a view, in steps that hit the threshold ``around``."""
    order = np.argsort(-near.score, kind="stable")
    left, right = (ends[order].astype(np.uint32) for ends in (near.left, near.right))
    score = near.score[order]
    pairs = np.concatenate([[0.0], np.cumsum(weights[order])])
    least = float(score[-1]) if len(score) else around
    levels: list[PairLevel] = []
    for threshold in _thresholds(around, least):
        number = int(np.searchsorted(-score, -(threshold - 1e-9), "right"))
        if number > MOST_PER_DOCUMENT * documents and levels:
            break
        ends = left[:number], right[:number]
        roots = _kernels.component_roots(documents, *ends)
        sizes = np.bincount(roots, minlength=1).astype(np.int64)
        joined = int((sizes * (sizes - 1) // 2).sum())
        cohesion = number / joined if joined else 1.0
        levels.append(PairLevel(threshold, float(pairs[number]), number, cohesion))
    return Relation(tuple(reversed(levels)))


def _thresholds(around: float, least: float) -> list[float]:
    above = int((0.98 - around) / STEP)
    below = max(int((around - max(least, STEP)) / STEP), 0)
    return [round(around + STEP * step, 4) for step in range(above, -below - 1, -1)]
