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
from twinset.candidates.cosine import CosineJoin
from twinset.errors import PlanError
from twinset.methods.base import About, Cleaned, Evidence, Plain, checked
from twinset.model import FeatureLists, Ints
from twinset.model.columns import words
from twinset.plan import Resources, Unit, shared
from twinset.spec import option
from twinset.text.statistics import Statistics
from twinset.text.terms import TermCounts, runs
from twinset.text.tokens import sorted_set
from twinset.text.vectors import NumberedTerms

TIMES = np.uint64(0x9E3779B97F4A7C15)
ROUNDING = 1e-12  # of the join: a pair at the threshold reaches it


@dataclass(frozen=True, slots=True)
class TfidfCosine(Cleaned):
    """Finds every pair whose tf-idf vectors have a cosine at or above the threshold.

    Terms are sequences of ``length`` words, characters or sentences (``unit``). The weight of a
    term is tf, or 1+log(tf) if ``sublinear``, times log((1+N)/(1+df))+1; vectors have length one.
    With ``contained``, a pair also holds if the terms of one document have at least this share of
    their idf in common with the other, whatever else that one says: an excerpt and its source. The
    score stays the cosine; the column ``rule`` says which of the two held, ``contained`` the share.
    """

    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    stop: str = option("none", shared.STOP)
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    length: int = option(1, "Number of units in a term.", least=1, most=1000)
    unit: Unit = option("word", "Units of a term: words, characters or sentences.")
    sublinear: bool = option(False, "Weigh a term by 1+log(tf) instead of tf.")
    contained: float = option(
        0.0,
        "Least share of a document's terms, by idf, that another one must have to hold it; 0: off.",
        least=0,
        most=1,
    )
    least_terms: int = option(
        20, "Number of terms that a document must have to be contained in another.", least=1
    )
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
        if method.contained:
            self.decides += f", or {method.contained:g} of the idf of one in common"
        self.statistics = known
        self._counts: list[TermCounts] = []
        self._join: CosineJoin | None = None
        self._row = np.empty(0, np.uint32)

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
        numbered = NumberedTerms.of(TermCounts.concatenate(self._counts), self.statistics)
        vectors = numbered.vectors(sublinear=self.method.sublinear).take(documents)
        join = CosineJoin(vectors, numbered.rarity, self.resources.threads)
        method = self.method
        pairs = join.pairs(self.goal.threshold, method.contained, method.least_terms)
        if method.contained:  # documents of one class have equal vectors
            rows = np.empty(len(use), np.uint32)
            rows[store.classes[documents]] = np.arange(len(documents), dtype=np.uint32)
            self._join, self._row = join, rows[store.classes]
        return Near(documents[pairs.left], documents[pairs.right], pairs.cosine, len(pairs.left))

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """Which rule held, and how much of one document is in the other."""
        if self._join is None:
            return {}
        first, second = self._row[left], self._row[right]
        cosine, share = self._join.cosines(first, second), self._join.shares(first, second)
        by_share = cosine < self.goal.threshold - ROUNDING
        return {"rule": words(by_share, ["cosine", "contained"]), "contained": share}

    def describe(self) -> dict[str, Any]:
        """The kind, and both rules; there is nothing to solve for."""
        both = {"contained": self.method.contained} if self.method.contained else {}
        return {"kind": "cosine", "threshold": self.goal.threshold, **both}
