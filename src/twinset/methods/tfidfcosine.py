"""Cosine of tf-idf vectors, joined exactly.

Salton, Buckley: Term-weighting approaches in automatic text retrieval (1988); the join is of
Bayardo, Ma, Srikant: Scaling up all pairs similarity search (WWW 2007), with the bound of
Anastasiu, Karypis: L2AP (ICDE 2014). Raveena, Nandini 2014 use it as a feature of their classifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.candidates.base import Goal, Near
from twinset.errors import PlanError
from twinset.methods.base import About, Cleaned, Plain, checked
from twinset.model import FeatureLists, Ints
from twinset.plan import Resources, Unit, shared
from twinset.spec import option
from twinset.text.statistics import Statistics
from twinset.text.terms import TermCounts, runs
from twinset.text.tokens import sorted_set
from twinset.text.vectors import tfidf_vectors

TIMES = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class TfidfCosine(Cleaned):
    """Finds every pair whose tf-idf vectors have a cosine at or above the threshold.

    Terms are sequences of ``length`` words, characters or sentences (``unit``). The weight of a
    term is tf, or 1+log(tf) if ``sublinear``, times log((1+N)/(1+df))+1; vectors have length one.
    """

    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    stop: str = option("none", shared.STOP)
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    length: int = option(1, "Number of units in a term.", least=1, most=1000)
    unit: Unit = option("word", "Units of a term: words, characters or sentences.")
    sublinear: bool = option(False, "Weigh a term by 1+log(tf) instead of tf.")
    about: ClassVar[About] = About(
        paper="Salton, Buckley 1988; Bayardo, Ma, Srikant 2007; Raveena, Nandini 2014",
        needs="collection statistics (df), taken in the same pass; all vectors in memory",
        cost="linear in practice, quadratic at worst; characters take about ten times as long",
        use="the best single method at one fixed setting in our runs on labelled collections",
        avoid="collections larger than memory (12 bytes per distinct term of each document)",
    )

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> CosineSearch:
        """Begin a run."""
        if known is not None and (self.length, self.unit) != (1, "word"):
            raise PlanError(["statistics are of single words: they fit length=1,unit=word alone"])
        return CosineSearch(self, goal, resources, checked(known, self.cleaning()))


class CosineSearch(Plain):
    """Term counts are kept, weighted and joined at the end."""

    def __init__(
        self, method: TfidfCosine, goal: Goal, resources: Resources, known: Statistics | None
    ) -> None:
        self.method, self.goal, self.resources = method, goal, resources
        if goal.threshold > 1:
            raise PlanError([f"a cosine is at most 1: the threshold {goal.threshold:g} is not"])
        self.decides = f"have a tf-idf cosine of {goal.threshold:g} or more"
        self.statistics = known
        self._counts: list[TermCounts] = []

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted hashes of (term, count): documents with equal lists have equal vectors."""
        by_sentence = self.method.unit == "sentence"
        tokens = self.method.cleaning().tokens(texts, threads, sentences=by_sentence)
        counts = TermCounts.of(runs(tokens, self.method.length, self.method.unit), threads)
        self._counts.append(counts)
        terms = counts.terms
        with_count = terms.like(terms.values ^ (counts.tf.astype(np.uint64) * TIMES))
        return sorted_set(with_count, threads), tokens.lengths

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The weighted join."""
        documents = np.flatnonzero(use).astype(np.uint32)
        counts = TermCounts.concatenate(self._counts)
        vectors, dimensions = tfidf_vectors(
            counts, self.statistics, sublinear=self.method.sublinear
        )
        chosen = vectors.take(documents)
        left, right, score = _kernels.cosine_pairs(
            chosen.features,
            chosen.weights,
            chosen.offsets,
            dimensions,
            self.goal.threshold,
            self.resources.threads,
        )
        return Near(documents[left], documents[right], score, len(left))

    def describe(self) -> dict[str, Any]:
        """The kind alone: there is nothing to solve for."""
        return {"kind": "cosine", "threshold": self.goal.threshold}
