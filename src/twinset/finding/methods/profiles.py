"""Profiles: documents in several views, and the similarity vectors of pairs of them.

A component of a vector is a measure of a view, as ``words.cosine``, or a signal, as
``signals.lcs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from twinset import _kernels
from twinset.finding.candidates.base import Numbers
from twinset.finding.candidates.cosine import near_vectors
from twinset.finding.methods.views import VIEWS, Views
from twinset.finding.signals import NAMES, OF_DOCUMENTS, Profiles, signal_table
from twinset.finding.verify.vector import MEASURES, Common, cosine
from twinset.model import Floats, Ints
from twinset.text.arrow import Texts
from twinset.text.terms import Frequencies, Kind
from twinset.text.tokens import Tokens
from twinset.text.vectors import WeightedTerms
from twinset.text.wording import Rewriter, reworded

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
        vectors, dimensions = self._rarity().scaled().numbered()
        chosen = vectors.take(documents)
        left, right = near_vectors(chosen, dimensions, least, threads)
        return documents[left], documents[right]

    def nearness(self, left: Numbers, right: Numbers, threads: int) -> Floats:
        """What `near` compares with its level, for each of these pairs."""
        return cosine(ViewedDocuments.of(self._rarity()).common(left, right, threads))

    def _rarity(self) -> WeightedTerms:
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
