"""Jaccard similarity of terms weighted by their idf, joined exactly or found with sketches.

Weighted sets: Charikar: Similarity estimation techniques from rounding algorithms (STOC 2002); idf:
Spärck Jones 1972. With the roots of the weights as a vector, a similarity of at least t means a
cosine of at least 2t/(1+t), so that the cosine join of Bayardo, Ma, Srikant (WWW 2007) misses none.
Weighted min-wise samples (``weighted.hpp``) agree with the probability of the similarity itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.bands import BandGroups, solve
from twinset.finding.candidates.base import Chains, Goal, Near, Numbers
from twinset.finding.candidates.cosine import TermLinks, near_vectors, rarest
from twinset.finding.methods.base import About, Search
from twinset.finding.methods.keys import Cleaned, checked
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged
from twinset.plan import Resources, Unit, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics, named_terms
from twinset.text.terms import idf, runs
from twinset.text.tokens import sorted_set
from twinset.text.vectors import WeightedTerms

STEPS = 1024
"""Weights are whole numbers of 1/1024: their sums are exact in any order, on any machine."""
SLACK = 1e-9  # candidates come from rounded numbers; what decides is exact
AT_ONCE = 4096  # documents that are sketched before their sketches turn into band keys


@dataclass(frozen=True, slots=True)
class IdfJaccard(Cleaned):
    """Finds every pair whose common terms have enough of the idf of all terms of both.

    Terms are sequences of ``length`` words, characters or sentences (``unit``), each counted once.
    The similarity is the sum of the idf of the common terms divided by that of all terms of both.
    With ``sketch``, candidates are found by weighted min-wise samples with the recall of the plan;
    every one of them is still decided on by the similarity itself.
    """

    stop: str = option("none", shared.STOP)
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    length: int = option(1, "Number of units in a term.", least=1, most=1000)
    unit: Unit = option("word", "Units of a term: words, characters or sentences.")
    idf: Literal["smooth", "plain", "normalised"] = option(
        "smooth", "Formula of the idf: log((1+N)/(1+df))+1, log(N/df), or log(N/df)/log(N)."
    )
    sketch: int = option(
        0,
        "Size of the weighted min-wise sketch that finds candidates, such as 128; 0 joins exactly.",
        least=0,
        most=65536,
    )
    seed: int = shared.seed()
    about: ClassVar[About] = About(
        paper="Spärck Jones 1972; Charikar 2002; Bayardo, Ma, Srikant 2007",
        needs="collection statistics (df), taken in the same pass; all terms in memory",
        cost="linear with a sketch; the exact join is quadratic in frequent terms at worst",
        use="documents that share a template or frequent phrases: what is rare weighs more",
        avoid="collections larger than memory (20 bytes per distinct term of each document)",
    )

    @property
    def uses(self) -> tuple[str, ...]:  # type: ignore[override]
        """The recall counts where sketches find the candidates."""
        return ("threshold", "recall") if self.sketch else ("threshold",)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> IdfJaccardSearch:
        """Begin a run."""
        terms = named_terms(self.length, self.unit)
        return IdfJaccardSearch(self, goal, resources, checked(known, self.cleaning(), terms))


class IdfJaccardSearch(Search, TermLinks):
    """Sets of terms are kept, weighed and compared at the end."""

    def __init__(
        self, method: IdfJaccard, goal: Goal, resources: Resources, known: Statistics | None
    ) -> None:
        if goal.threshold > 1:
            raise PlanError([f"this share is at most 1: the threshold {goal.threshold:g} is not"])
        self.method, self.goal, self.resources = method, goal, resources
        self.decides = f"have common terms with {goal.threshold:g} or more of the idf of all"
        self.statistics = known
        self._known = known and known.of_terms().mixed
        self._bands: BandGroups | None = None
        if method.sketch:
            cut = solve(goal.threshold, goal.recall, method.sketch, exact="sketch=0")
            self._bands = BandGroups(cut, goal, resources)
        self._sets: list[FeatureLists] = []

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted hashes of the terms of each document."""
        method = self.method
        tokens = method.cleaning().tokens(texts, threads, sentences=method.unit == "sentence")
        terms = sorted_set(runs(tokens, method.length, method.unit), threads)
        self._sets.append(terms)
        return terms, tokens.lengths

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The candidates, as far as their similarity is enough."""
        documents = np.flatnonzero(use).astype(np.uint32)
        weighed, names = self._weighed()
        chosen = weighed.take(documents)
        if self._bands is None:
            left, right = self._joined(chosen, len(names))
        else:
            left, right = self._banded(self._bands, chosen, names)
        score = self._scores(chosen, left, right)
        good = score >= self.goal.threshold
        return Near(documents[left[good]], documents[right[good]], score[good], len(left))

    def _scores(self, terms: WeightedTerms, left: Numbers, right: Numbers) -> Floats:
        features, threads = terms.features.astype(np.uint64), self.resources.threads
        common = features, terms.weights, terms.offsets, left, right, threads
        _, _, shared_weight = _kernels.overlaps(*common)
        sums = terms.sums()
        score: Floats = shared_weight / (sums[left] + sums[right] - shared_weight)
        return score

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The rarest terms: the common ones of a pair have the threshold's share of either."""
        weighed, names = self._weighed()
        terms, weights = weighed.terms.like(names[weighed.features]), weighed.weights
        return rarest(terms, weights, weights, self.goal.threshold)

    def decided(self, left: Ints, right: Ints, least: float | None) -> Floats:
        """The similarity of what reaches the threshold."""
        ends = left.astype(np.uint32), right.astype(np.uint32)
        score = self._scores(self._weighed()[0], *ends)
        return np.where(score >= (least or self.goal.threshold), score, np.nan)

    def _joined(self, terms: WeightedTerms, dimensions: int) -> tuple[Numbers, Numbers]:
        """Every pair that may be similar enough, by the cosine of the roots of the weights."""
        roots = WeightedTerms(terms.terms, np.sqrt(terms.weights)).scaled()
        least, threads = self._least_cosine() - SLACK, self.resources.threads
        return near_vectors(roots, dimensions, least, threads)

    def _banded(
        self, bands: BandGroups, terms: WeightedTerms, names: Features
    ) -> tuple[Numbers, Numbers]:
        """The pairs that agree in a band; those inside overlarge groups are joined exactly."""
        numbers = np.arange(len(terms.terms), dtype=np.uint32)
        for begin in range(0, len(numbers), AT_ONCE):
            part = numbers[begin : begin + AT_ONCE]
            some = terms.take(part)
            lists = names[some.features], some.weights.astype(np.uint32), some.offsets
            options = bands.width, self.method.seed, self.resources.threads
            sketches = _kernels.weighted_minwise(*lists, *options)
            bands.add(_kernels.KeyBlock(bands.keys(sketches)), part)
        groups, linked = bands.apart(np.ones(len(numbers), np.uint8))
        crowded = np.sort(linked.values)
        # The weight of the lighter document is at least this share of that of the heavier one.
        ratio = (1 + SLACK) / self.goal.threshold
        pairs = [Chains.of(groups, terms.sums().astype(np.int64), ratio).pairs()]
        if len(crowded):
            among = self._joined(terms.take(crowded), len(names))
            pairs.append((crowded[among[0]], crowded[among[1]]))
        ends = [np.concatenate(side).astype(np.uint64) for side in zip(*pairs, strict=True)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        both = _kernels.sorted_unique(low << np.uint64(32) | high)
        return (both >> np.uint64(32)).astype(np.uint32), both.astype(np.uint32)

    def _weighed(self) -> tuple[WeightedTerms, Features]:
        """The terms of all documents, numbered, with their weights; and their hashes by number."""
        sets = Ragged.concatenate(self._sets, np.uint64)
        names, number, df = np.unique(sets.values, return_inverse=True, return_counts=True)
        n = int((sets.lengths > 0).sum())
        if self._known is not None:
            df, n = self._known.counts(names)[0], self._known.documents
        # A term of every document may have no idf; it still weighs a little, so that none is lost.
        rarity = idf(df, max(n, 2), self.method.idf)
        weights = np.maximum(np.rint(rarity * STEPS), 1.0)[number.reshape(-1)]
        terms = sets.like(number.reshape(-1).astype(np.uint32))
        return WeightedTerms(terms, weights), names

    def _least_cosine(self) -> float:
        return 2 * self.goal.threshold / (1 + self.goal.threshold)

    def describe(self) -> dict[str, Any]:
        """The kind, and what candidates are joined by."""
        if self._bands is None:
            return {"kind": "cosine", "threshold": self._least_cosine()}
        return self._bands.describe() | {"similarity": "idf-weighted Jaccard similarity"}

    def probability(self, similarity: float) -> float | None:
        """The S-curve of the bands over the weighted similarity; a join has none."""
        return None if self._bands is None else self._bands.probability(similarity)
