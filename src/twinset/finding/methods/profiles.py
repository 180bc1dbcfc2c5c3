"""Profiles: documents in several views, and the similarity vectors of pairs of them.

A view is a list of features with weights [Raveena, Nandini 2014]: the words of greatest tf-idf of a
document, or of each of its sentences, united; beside them whole texts, word pairs, character grams,
shingles, numbers and the length. A component of a vector is a measure of a view, one formula over
what two lists have in common, as ``words.cosine``, or a signal, as ``signals.lcs``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Numbers
from twinset.finding.candidates.cosine import near_vectors
from twinset.finding.signals import NAMES, OF_DOCUMENTS, Profiles, signal_table
from twinset.finding.verify.measures import Containment, Jaccard
from twinset.model import Floats, Ints
from twinset.plan.shared import sentence_top, shingle, stop, text_top
from twinset.text import stopwords
from twinset.text.arrow import Texts
from twinset.text.terms import Frequencies, Kind, TermCounts, terms_of
from twinset.text.tokens import Cleaning, Distinct, Tokens, one_key
from twinset.text.vectors import WeightedTerms
from twinset.text.wording import Rewriter, reworded


@dataclass(frozen=True, slots=True)
class Common:
    """Of each pair: shared features, product of the weights, sum of the lesser ones.

    Then, as (left, right): the number of features, the sum of their weights and of the squares.
    """

    shared: Ints
    product: Floats
    lesser: Floats
    sizes: tuple[Ints, Ints]
    sums: tuple[Floats, Floats]
    squares: tuple[Floats, Floats]


def jaccard(common: Common) -> Floats:
    """|A∩B| / |A∪B|."""
    return Jaccard().score(common.shared, *common.sizes)


def containment(common: Common) -> Floats:
    """|A∩B| / min(|A|, |B|)."""
    return Containment().score(common.shared, *common.sizes)


def difference(common: Common) -> Floats:
    """Features that only one has, of all: 0 also where neither has any."""
    both = common.sizes[0] + common.sizes[1]
    return _ratio((both - 2 * common.shared).astype(float), (both - common.shared).astype(float))


def cosine(common: Common) -> Floats:
    """f1·f2 / (‖f1‖ ‖f2‖)."""
    return _ratio(common.product, np.sqrt(common.squares[0] * common.squares[1]))


def euclidean(common: Common) -> Floats:
    """√((f1−f2)·(f1−f2))."""
    square = common.squares[0] + common.squares[1] - 2 * common.product
    distance: Floats = np.sqrt(np.maximum(square, 0.0))
    return distance


def extended(common: Common) -> Floats:
    """Extended Jaccard: f1·f2 / (f1·f1 + f2·f2 − f1·f2)."""
    return _ratio(common.product, common.squares[0] + common.squares[1] - common.product)


def dice(common: Common) -> Floats:
    """2 f1·f2 / (f1·f1 + f2·f2)."""
    return _ratio(2 * common.product, common.squares[0] + common.squares[1])


def ratio(common: Common) -> Floats:
    """Sum of the lesser weights over the sum of the greater ones: Jaccard with weights."""
    return _ratio(common.lesser, common.sums[0] + common.sums[1] - common.lesser)


MEASURES: dict[str, Callable[[Common], Floats]] = {
    "jaccard": jaccard,
    "cosine": cosine,
    "euclidean": euclidean,
    "extended": extended,
    "dice": dice,
    "containment": containment,
    "ratio": ratio,
    "difference": difference,
}
DISTANCES = frozenset({"euclidean", "difference"})


def rises(feature: str) -> bool:
    """Whether a greater value means that documents are more alike."""
    return feature.partition(".")[2] not in DISTANCES


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


# The view, and the kind of term whose df weighs it: none where features are not weighed.
VIEWS: dict[str, Kind | None] = {
    "words": "word",
    "sentences": "word",
    "text": "word",
    "pairs": "pair",
    "grams": "gram",
    "shingles": None,
    "numbers": None,
    "length": None,
}


@dataclass(frozen=True, slots=True)
class Views:
    """Which views are taken, and their sizes.

    ``text_top`` words of a document by tf-idf (words), ``sentence_top`` of each sentence
    (sentences); words of the lists ``stop`` are not among them. ``shingle`` is the number of words
    in a row.
    """

    names: tuple[str, ...]
    text_top: int = text_top()
    sentence_top: int = sentence_top()
    shingle: int = shingle()
    stop: str = stop("en+ru")

    def faults(self) -> list[str]:
        """Lists of stop words that are unknown, and files, which a model would need beside it."""
        return stopwords.faults(self.stop) + [
            f"a model takes stop words from the shipped lists: leave '{name}' out of stop"
            for name in filter(stopwords.is_own, stopwords.lists(self.stop))
        ]

    def kinds(self) -> list[Kind]:
        """The kinds of terms whose frequencies are needed."""
        needed = {VIEWS[name] for name in self.names}
        return [kind for kind in get_args(Kind) if kind in needed]

    def of(
        self, texts: Texts, frequencies: dict[Kind, Frequencies], threads: int
    ) -> tuple[dict[str, WeightedTerms], Tokens]:
        """The documents of a batch in every view, and their words."""
        tokens = Cleaning(self.stop, 0).tokens(texts, threads, sentences=True, keep_stopped=True)
        views = {name: self._view(name, tokens, frequencies) for name in self.names}
        return views, tokens

    def _view(
        self, name: str, tokens: Tokens, frequencies: dict[Kind, Frequencies]
    ) -> WeightedTerms:
        kind = VIEWS[name]
        if kind is None:
            return self._plain(name, tokens)
        if name not in ("words", "sentences"):
            counts = TermCounts.of(terms_of(tokens, kind), tokens.threads)
            weights = counts.tf * frequencies[kind].idf(counts.terms.values, tokens.threads)
            return WeightedTerms(counts.terms, weights).sorted()
        words = tokens.distinct(entries=True)
        weights = words.tf * frequencies[kind].idf(words.hashes, tokens.threads)
        weights[tokens.stopped[words.first] > 0] = 0.0
        chosen = self._heaviest(words, weights, by_sentence=name == "sentences")
        chosen &= weights > 0
        return WeightedTerms(words.terms.where(chosen), weights[chosen]).sorted()

    def _heaviest(self, words: Distinct, weights: Floats, by_sentence: bool) -> NDArray[np.bool_]:
        """Which distinct words are among the heaviest of their document, or of a sentence."""
        marked = np.zeros(len(weights), bool)
        if not by_sentence:
            marked[words.items.heaviest(weights, self.text_top).numbers.values] = True
            return marked
        tokens = words.tokens
        bounds = np.append(tokens.sentence_first, len(tokens.hashes)).astype(np.int64)
        first, _, offsets, _ = _kernels.distinct(tokens.hashes, bounds, False, tokens.threads)
        item, _ = _kernels.heaviest(
            tokens.bytes,
            tokens.starts[first],
            tokens.ends[first],
            offsets,
            np.ascontiguousarray(weights[words.entry[first]]),
            np.empty(0, np.uint64),
            self.sentence_top,
            tokens.threads,
        )
        marked[words.entry[first[item]]] = True
        return marked

    def _plain(self, name: str, tokens: Tokens) -> WeightedTerms:
        """A view whose features are not weighed by their df."""
        if name == "shingles":
            shingles = tokens.shingles(self.shingle)
            return WeightedTerms(shingles, np.ones(len(shingles.values)))
        if name == "length":
            there = tokens.lengths > 0
            only = one_key(np.zeros(len(tokens), np.uint64), there)
            return WeightedTerms(only, tokens.lengths[there].astype(float))
        words = tokens.distinct()
        numbers = words.terms.where(tokens.with_digit()[words.first])
        return WeightedTerms(numbers, np.ones(len(numbers.values))).sorted()


Known = dict[Kind, Frequencies]
SIGNALS = "signals"
_AT_ONCE = 1 << 18  # pairs whose parts are in memory


@dataclass(frozen=True, slots=True)
class ViewedDocuments:
    """One view of all documents with the sums over each."""

    terms: WeightedTerms
    sizes: Ints
    sums: Floats
    squares: Floats

    @classmethod
    def of(cls, terms: WeightedTerms) -> ViewedDocuments:
        """From the weighted terms of the view."""
        return cls(terms, terms.terms.lengths, terms.sums(), terms.sums(power=2))

    def common(self, left: Numbers, right: Numbers, threads: int) -> Common:
        """What the documents of each pair have in common."""
        terms = self.terms
        overlaps = _kernels.overlaps(
            terms.features, terms.weights, terms.offsets, left, right, threads
        )
        return Common(
            *overlaps,
            (self.sizes[left], self.sizes[right]),
            (self.sums[left], self.sums[right]),
            (self.squares[left], self.squares[right]),
        )


@dataclass
class ViewProfiles:
    """The documents in every view, gathered batch by batch; with ``signals`` also for these."""

    views: Views
    known: Known
    rewriter: Rewriter | None = None
    signals: bool = False
    _profiles: Profiles = field(default_factory=Profiles)
    _parts: dict[str, list[WeightedTerms]] = field(default_factory=dict)
    _seen: dict[str, ViewedDocuments] = field(default_factory=dict)

    def add(self, texts: Texts, threads: int) -> Tokens:
        """Take in a batch and return its words."""
        texts = reworded(texts, self.rewriter, threads)
        views, tokens = self.views.of(texts, self.known, threads)
        for name, terms in views.items():
            self._parts.setdefault(name, []).append(terms)
        self._seen.clear()
        if self.signals:
            self._profiles.threads = threads
            self._profiles.add(texts)
        return tokens

    def seen(self, view: str) -> ViewedDocuments:
        """All documents in one view."""
        if view not in self._seen:
            joined = WeightedTerms.concatenate(self._parts.get(view, []))
            self._parts[view] = [joined]
            self._seen[view] = ViewedDocuments.of(joined)
        return self._seen[view]

    def vectors(
        self, features: Sequence[str], left: Numbers, right: Numbers, threads: int
    ) -> Floats:
        """One row per pair with the features as columns."""
        vectors = np.empty((len(left), len(features)))
        for begin in range(0, len(left), _AT_ONCE):
            rows = slice(begin, begin + _AT_ONCE)
            common = {
                view: self.seen(view).common(left[rows], right[rows], threads)
                for view in views_of(features)
            }
            for column, feature in enumerate(features):
                view, _, measure = feature.partition(".")
                if view != SIGNALS:
                    vectors[rows, column] = MEASURES[measure](common[view])
        signals = signals_of(features)
        if signals:
            places, names = list(signals), list(signals.values())
            ends = left.astype(np.int64), right.astype(np.int64)
            vectors[:, places] = signal_table(self._profiles, *ends, names, threads)
        return vectors

    def near(self, least: float, documents: Numbers, threads: int) -> tuple[Numbers, Numbers]:
        """Pairs of these documents whose heaviest words are alike: none is missed.

        The vectors are those of the view ``words`` with their idf alone as weights, since counts
        of words differ more than the words do; their cosine must reach ``least``.
        """
        vectors, dimensions = self.rarity().scaled().numbered()
        left, right = near_vectors(vectors.take(documents), dimensions, least, threads)
        return documents[left], documents[right]

    def nearness(self, left: Numbers, right: Numbers, threads: int) -> Floats:
        """What `near` compares with its level, for each of these pairs."""
        return cosine(ViewedDocuments.of(self.rarity()).common(left, right, threads))

    def rarity(self) -> WeightedTerms:
        """The view ``words`` weighed by idf alone."""
        terms = self.seen("words").terms.terms
        return WeightedTerms(terms, self.known["word"].idf(terms.values))


def views_of(features: Sequence[str]) -> tuple[str, ...]:
    """The views that these features look at, in the order of `VIEWS`."""
    needed = {feature.partition(".")[0] for feature in features}
    return tuple(name for name in VIEWS if name in needed)


def signals_of(features: Sequence[str]) -> dict[int, str]:
    """The names of signals among these features, by their places."""
    parts = [feature.partition(".") for feature in features]
    return {place: name for place, (view, _, name) in enumerate(parts) if view == SIGNALS}


def faults_of(features: Sequence[str]) -> list[str]:
    """What is wrong with the names of features, as sentences."""
    unknown = [f for f in features if not _is_feature(f)]
    relative = {f"{SIGNALS}.{name}" for name in NAMES}
    faults = [
        f"there is no feature '{name}': write VIEW.MEASURE, as words.cosine; views are "
        f"{', '.join(VIEWS)}; measures are {', '.join(MEASURES)}; or signals.NAME, with "
        f"{', '.join(OF_DOCUMENTS)}"
        for name in unknown
        if name not in relative
    ]
    faults += [
        f"'{name}' depends on the other documents of a collection, and a model gives a pair the "
        f"same score in any; choose from {', '.join(OF_DOCUMENTS)}"
        for name in unknown
        if name in relative
    ]
    if not features:
        faults.append("a model needs at least one feature, as words.cosine")
    twice = sorted({f for f in features if list(features).count(f) > 1})
    return faults + [f"the feature '{name}' is given twice" for name in twice]


def _is_feature(name: str) -> bool:
    view, _, measure = name.partition(".")
    known = measure in (OF_DOCUMENTS if view == SIGNALS else MEASURES)
    return known and (view in VIEWS or view == SIGNALS)
