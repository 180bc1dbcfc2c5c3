"""Cosine of tf-idf vectors, joined exactly.

Salton, Buckley: Term-weighting approaches in automatic text retrieval (1988); the join is of
Bayardo, Ma, Srikant: Scaling up all pairs similarity search (WWW 2007), with the bound of
Anastasiu, Karypis: L2AP (ICDE 2014). Raveena, Nandini 2014 use it as a feature of their classifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.candidates.base import Goal, Near, Numbers
from twinset.finding.candidates.cosine import (
    NO_MARKS,
    ROUNDING,
    CosineJoin,
    CosinePairs,
    TermLinks,
    rarest,
    rarities,
)
from twinset.finding.candidates.nearest import NEIGHBOURS
from twinset.finding.methods.base import About, Evidence, Search
from twinset.finding.methods.bending import CalmPairs, ReadAlong, Sides, TwoSides
from twinset.finding.methods.keys import Cleaned, checked
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged
from twinset.model.columns import words
from twinset.plan import Resources, Unit, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics, named_terms
from twinset.text.terms import TermCounts, runs
from twinset.text.tokens import sorted_set
from twinset.text.vectors import CollectedTerms, TermCollector

TIMES = np.uint64(0x9E3779B97F4A7C15)
_WHOLE, _EXCERPT = np.uint64(0xA24BAED4963EE407), np.uint64(0x9FB21C651E98DF25)


@dataclass(frozen=True, slots=True)
class TfidfCosine(Cleaned):
    """Finds every pair whose tf-idf vectors have a cosine at or above the threshold.

    Terms are sequences of ``length`` words, characters or sentences (``unit``). The weight of a
    term is tf, or 1+log(tf) if ``sublinear``, times log((1+N)/(1+df))+1; vectors have length one.
    With ``contained``, a pair also holds if the terms of one document have at least this share of
    their idf in common with the other, whatever else that one says: an excerpt and its source.
    ``crowd`` and ``outstanding`` bend the rule, see `twinset.finding.methods.bending`. The score
    stays the cosine, and is that of folded characters where a pair stands out; the column ``rule``
    says which rule held, the others its figures.
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
    crowd: int = option(
        0,
        "Pairs of a document from which on its copies must have its order of words; 0: off.",
        least=0,
    )
    order: float = option(
        0.9, "Least share of the words in the same order, for a pair in a crowd.", least=0, most=1
    )
    outstanding: float = option(
        0.0,
        "Deviations above other neighbours that make a pair below the threshold hold; 0: off.",
        least=0,
        most=100,
    )
    about: ClassVar[About] = About(
        paper="Salton, Buckley 1988; Bayardo, Ma, Srikant 2007; Raveena, Nandini 2014",
        needs="collection statistics (df), taken in the same pass; all vectors in memory",
        cost="linear in practice, quadratic at worst; characters take about ten times as long",
        use="revised texts, at 0.5 to 0.7; not for those that share most of their wording",
        avoid="collections larger than memory (12 bytes per distinct term of each document; a rule "
        "that bends needs up to 9 KB of each besides)",
    )

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> CosineSearch:
        """Begin a run."""
        terms = named_terms(self.length, self.unit)
        return CosineSearch(self, goal, resources, checked(known, self.cleaning(), terms))


class CosineSearch(Search, TermLinks):
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
        sides = Sides(method.crowd, method.order, method.outstanding)
        self.read_along = ReadAlong(sides) if method.crowd or method.outstanding else None
        if method.crowd:
            self.decides += f" (in a crowd with {method.order:g} of the words in one order)"
        if method.outstanding:
            self.decides += f", or stand out by {method.outstanding:g} deviations"
        self.statistics = known
        self._known = known and known.of_terms()
        self._terms = TermCollector()
        self._rules: HeldRules | None = None
        self._order: Numbers | None = None
        self._kept = NO_MARKS

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted hashes of (term, count): documents with equal lists have equal vectors."""
        by_sentence = self.method.unit == "sentence"
        tokens = self.method.cleaning().tokens(texts, threads, sentences=by_sentence)
        counts = TermCounts.of(runs(tokens, self.method.length, self.method.unit), threads)
        self._terms.add(counts, threads)
        if self.read_along is not None:
            self.read_along.add(tokens, threads)
        terms = counts.terms
        with_count = counts.tf.astype(np.uint64)
        with_count *= TIMES
        with_count ^= terms.values
        return sorted_set(terms.like(with_count), threads), tokens.lengths

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """What pairs by cosine share, and what an excerpt and its source do, from either side."""
        return self._links(_WHOLE, _EXCERPT)

    def asked_links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The same from the other side."""
        return self._links(_EXCERPT, _WHOLE)

    def _links(self, whole: np.uint64, excerpt: np.uint64) -> FeatureLists:
        method = self.method
        collected, weights = self._weighed()
        terms = collected.terms.like(collected.names[collected.terms.values])
        rarity = collected.idf[collected.terms.values]
        near = rarest(terms, rarity, weights * weights, self.goal.threshold**2)
        if not method.contained:
            return near
        inside = rarest(terms, rarity, rarity, method.contained)
        inside = inside.where((terms.lengths >= method.least_terms)[inside.owners()])
        rows = near, terms.like(terms.values ^ whole), inside.like(inside.values ^ excerpt)
        owners = np.concatenate([each.owners() for each in rows])
        keys = np.concatenate([each.flat for each in rows])
        lengths = np.bincount(owners, minlength=len(terms))
        return Ragged.from_lengths(keys[np.argsort(owners, kind="stable")], lengths)

    def _weighed(self) -> tuple[CollectedTerms, Floats]:
        """All terms, and their weights before these are scaled."""
        terms = self._terms.finish(self._known)
        weights = terms.by_tf(sublinear=self.method.sublinear)[terms.tf]
        return terms, weights * terms.idf[terms.terms.values]

    def decided(self, left: Ints, right: Ints, least: float | None) -> Floats:
        """The cosine of what reaches the threshold, or is contained."""
        method, (collected, weights) = self.method, self._weighed()
        terms = collected.terms
        rarity = rarities(collected.idf)[terms.values].astype(float)
        squares, whole = (terms.like(each).sums() for each in (weights * weights, rarity))
        product, part = np.empty(len(left)), np.empty(len(left))
        own = np.zeros(len(collected.names))  # the weights of one document
        begins = np.flatnonzero(np.diff(left, prepend=-1))
        for begin, end in pairwise([*begins.tolist(), len(left)]):
            numbers = terms[int(left[begin])]
            own[numbers] = weights[terms.offsets[left[begin]] :][: len(numbers)]
            others = terms.places(right[begin:end])
            of_left = own[terms.values[others.values]]
            product[begin:end] = others.like(weights[others.values] * of_left).sums()
            part[begin:end] = others.like(rarity[others.values] * (of_left > 0)).sums()
            own[numbers] = 0
        cosine: Floats = np.minimum(product / np.sqrt(squares[left] * squares[right]), 1.0)
        good = cosine >= (self.goal.threshold if least is None else least) - ROUNDING
        if method.contained:
            eligible, lighter = (
                terms.lengths >= method.least_terms,
                np.minimum(whole[left], whole[right]),
            )
            may = [eligible[end] & (whole[end] == lighter) for end in (left, right)]
            good |= (part / lighter >= method.contained) & (may[0] | may[1])
        return np.where(good, cosine, np.nan)

    def prefer(self, leaders: Ints, kept: NDArray[np.uint8], positions: Features) -> None:
        """In a crowd the documents that are preferred are the ones that others are held against."""
        self._order, self._kept = leaders.astype(np.uint32), kept

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The weighted join."""
        method, threads = self.method, self.resources.threads
        documents = self._order
        if documents is None:
            documents = np.flatnonzero(use).astype(np.uint32)
        rules = self.goal.threshold, method.contained, method.least_terms
        # The terms are let go as soon as they are joined: what bends the rule needs memory, too.
        pairs = CosineJoin.of(self._terms.finish(self._known), documents, threads=threads).pairs(
            *rules, self._kept, self.goal.dense, sublinear=method.sublinear
        )
        held = Held.of(pairs, self.goal.threshold, contained=bool(method.contained))
        if self.read_along is not None:
            held = held.bent(self.read_along.finish(documents, threads), self.goal.dense)
        ends = documents[held.left], documents[held.right]
        figures = pairs.compared, pairs.absorbed, pairs.not_enumerated
        near = Near(np.minimum(*ends), np.maximum(*ends), held.score, *figures)
        if method.contained or self.read_along is not None:
            self._rules = HeldRules.of(near, held, store.classes)
        return near

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """Which rule held, and how much of one document is in the other."""
        return {} if self._rules is None else self._rules.evidence(left, right)

    def describe(self) -> dict[str, Any]:
        """The kind, and all rules: the join misses nothing, the nearest ones may."""
        method = self.method
        both = {"contained": method.contained, "recall": 1.0} if method.contained else {}
        bends = {"crowd": method.crowd, "order": method.order} if method.crowd else {}
        if method.outstanding:
            bends |= {"outstanding": method.outstanding, "neighbours": NEIGHBOURS}
        return {"kind": "cosine", "threshold": self.goal.threshold, **both, **bends}


RULES = ["cosine", "contained", "stands out"]


@dataclass(frozen=True, slots=True)
class Held:
    """The pairs of rows that hold, the rule of each as its place in `RULES`, and its figures."""

    left: Ints
    right: Ints
    score: Floats
    rule: NDArray[np.int8]
    figures: dict[str, Floats]

    @classmethod
    def of(cls, pairs: CosinePairs, threshold: float, *, contained: bool) -> Held:
        """Those of a join."""
        left, right = pairs.left.astype(np.int64), pairs.right.astype(np.int64)
        rule = (pairs.cosine < threshold - ROUNDING).astype(np.int8)
        figures = {"contained": pairs.share} if contained else {}
        return cls(left, right, pairs.cosine, rule, figures)

    def bent(self, sides: TwoSides, dense: int) -> Held:
        """Less those that are too little alike in a crowd, and with those that stand out."""
        held = self
        order = np.full(len(self.left), np.nan)
        if sides.sides.crowd:
            good, order = sides.strict(self.left, self.right, dense)
            held, order = self._where(good), order[good]
        nowhere = np.full(len(held.left), np.nan)
        figures = held.figures | {"order": order, "outstanding": nowhere}
        held = Held(held.left, held.right, held.score, held.rule, figures)
        return held._with(sides.calm(self.left, self.right)) if sides.sides.outstanding else held

    def _where(self, good: NDArray[np.bool_]) -> Held:
        figures = {name: column[good] for name, column in self.figures.items()}
        return Held(self.left[good], self.right[good], self.score[good], self.rule[good], figures)

    def _with(self, calm: CalmPairs) -> Held:
        number = len(calm.left)
        more = {"order": calm.order, "outstanding": calm.outstanding}
        figures = {
            name: np.append(column, more.get(name, np.full(number, np.nan)))
            for name, column in self.figures.items()
        }
        return Held(
            np.append(self.left, calm.left),
            np.append(self.right, calm.right),
            np.append(self.score, calm.cosine),
            np.append(self.rule, np.full(number, RULES.index("stands out"), np.int8)),
            figures,
        )


@dataclass(frozen=True, slots=True)
class HeldRules:
    """For every pair of classes of equal documents which rule held, and its figures."""

    classes: Ints
    keys: Ints
    rule: NDArray[np.int8]
    figures: dict[str, Floats]

    @classmethod
    def of(cls, near: Near, held: Held, classes: Ints) -> HeldRules:
        """From the pairs that hold, by rows and by documents."""
        keys = _key(classes, near.left.astype(np.int64), near.right.astype(np.int64))
        order = np.argsort(keys, kind="stable")
        figures = {name: column[order] for name, column in held.figures.items()}
        return cls(classes, keys[order], held.rule[order], figures)

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """The columns of these pairs; copies hold by their cosine, and are in each other."""
        key = _key(self.classes, left, right)
        copies = self.classes[left] == self.classes[right]
        figures, rule = {}, np.zeros(len(left), np.int8)
        place = np.minimum(np.searchsorted(self.keys, key), max(len(self.keys) - 1, 0))
        if len(self.keys):
            rule = np.where(copies, rule, self.rule[place])
        for name, column in self.figures.items():
            of_copies = 1.0 if name == "contained" else np.nan
            found = column[place] if len(column) else np.full(len(left), np.nan)
            figures[name] = np.where(copies, of_copies, found)
        # What a rule did not ask for is empty: words in order outside of crowds, for instance.
        known = {name: pa.array(column, mask=np.isnan(column)) for name, column in figures.items()}
        return {"rule": words(rule, RULES), **known}


def _key(classes: Ints, left: Ints, right: Ints) -> Ints:
    first, second = classes[left].astype(np.int64), classes[right].astype(np.int64)
    keys: Ints = np.minimum(first, second) * len(classes) + np.maximum(first, second)
    return keys
