"""Profiles: documents in several views, and the similarity vectors of pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from twinset import _kernels
from twinset.candidates.base import Numbers
from twinset.images.views import VIEWS, Lists, Views
from twinset.model import Floats, Ints
from twinset.text.arrow import Texts
from twinset.text.terms import Frequencies, Kind
from twinset.text.tokens import Tokens
from twinset.verify.vector import MEASURES, Common, cosine

Known = dict[Kind, Frequencies]
_AT_ONCE = 1 << 18  # pairs whose parts are in memory


@dataclass(frozen=True, slots=True)
class Seen:
    """One view of all documents with the sums over each."""

    lists: Lists
    sizes: Ints
    sums: Floats
    squares: Floats

    @classmethod
    def of(cls, lists: Lists) -> Seen:
        """From the lists."""
        weights = lists.weights
        sums, squares = lists.sums(weights), lists.sums(weights * weights)
        return cls(lists, np.diff(lists.offsets), sums, squares)

    def common(self, left: Numbers, right: Numbers, threads: int) -> Common:
        """What the documents of each pair have in common."""
        lists = self.lists
        found = _kernels.overlaps(
            lists.features, lists.weights, lists.offsets, left, right, threads
        )
        return Common(
            *found,
            (self.sizes[left], self.sizes[right]),
            (self.sums[left], self.sums[right]),
            (self.squares[left], self.squares[right]),
        )


@dataclass
class Profiles:
    """The documents in every view, gathered batch by batch."""

    views: Views
    known: Known
    _parts: dict[str, list[Lists]] = field(default_factory=dict)
    _seen: dict[str, Seen] = field(default_factory=dict)

    def add(self, texts: Texts, threads: int) -> Tokens:
        """Take in a batch; gives its words back."""
        made, tokens = self.views.of(texts, self.known, threads)
        for name, lists in made.items():
            self._parts.setdefault(name, []).append(lists)
        self._seen.clear()
        return tokens

    def seen(self, view: str) -> Seen:
        """All documents in one view."""
        if view not in self._seen:
            joined = Lists.joined(self._parts.get(view, []))
            self._parts[view] = [joined]
            self._seen[view] = Seen.of(joined)
        return self._seen[view]

    def vectors(
        self, features: Sequence[str], left: Numbers, right: Numbers, threads: int
    ) -> Floats:
        """One row a pair with the features as columns."""
        made = np.empty((len(left), len(features)))
        for begin in range(0, len(left), _AT_ONCE):
            rows = slice(begin, begin + _AT_ONCE)
            common = {
                view: self.seen(view).common(left[rows], right[rows], threads)
                for view in views_of(features)
            }
            for column, feature in enumerate(features):
                view, _, measure = feature.partition(".")
                made[rows, column] = MEASURES[measure](common[view])
        return made

    def near(self, least: float, documents: Numbers, threads: int) -> tuple[Numbers, Numbers]:
        """Pairs of these documents whose heaviest words are alike: none is missed.

        The vectors are those of the view ``words`` with their idf alone as weights, since counts
        of words differ more than the words do; their cosine must reach ``least``.
        """
        lists = self._marked()
        names, terms = np.unique(lists.features, return_inverse=True)
        norm = np.repeat(np.sqrt(lists.sums(lists.weights**2)), np.diff(lists.offsets))
        unit = Lists(terms.reshape(-1).astype(np.uint64), lists.weights / norm, lists.offsets)
        chosen = unit.of(documents)
        left, right, _ = _kernels.cosine_pairs(
            chosen.features.astype(np.uint32),
            chosen.weights,
            chosen.offsets,
            len(names),
            least,
            threads,
        )
        return documents[left], documents[right]

    def nearness(self, left: Numbers, right: Numbers, threads: int) -> Floats:
        """What `near` compares with its level, for each of these pairs."""
        return cosine(Seen.of(self._marked()).common(left, right, threads))

    def _marked(self) -> Lists:
        lists = self.seen("words").lists
        return Lists(lists.features, self.known["word"].idf(lists.features), lists.offsets)


def views_of(features: Sequence[str]) -> tuple[str, ...]:
    """The views that these features look at, in the order of `VIEWS`."""
    wanted = {feature.partition(".")[0] for feature in features}
    return tuple(name for name in VIEWS if name in wanted)


def faults_of(features: Sequence[str]) -> list[str]:
    """What is wrong with the names of features, as sentences."""
    wrong = [f for f in features if not _is_feature(f)]
    found = [
        f"there is no feature '{name}': write VIEW.MEASURE, as words.cosine; views are "
        f"{', '.join(VIEWS)}; measures are {', '.join(MEASURES)}"
        for name in wrong
    ]
    if not features:
        found.append("a model needs at least one feature, as words.cosine")
    twice = sorted({f for f in features if list(features).count(f) > 1})
    return found + [f"the feature '{name}' is given twice" for name in twice]


def _is_feature(name: str) -> bool:
    view, _, measure = name.partition(".")
    return view in VIEWS and measure in MEASURES
