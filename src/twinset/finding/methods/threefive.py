"""3+5: three sentences propose, five words confirm (A12).

Zelenkov, Segalovich 2007, section 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Chains, Goal, Near, feature_groups
from twinset.finding.methods.base import About, Evidence, LinkedSearch
from twinset.finding.methods.keys import Cleaned, sorted_lists
from twinset.model import FeatureLists, Features, Floats, Ints, Ragged, spread
from twinset.plan import Resources, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import Cleaning, Items

SENTENCES, WORDS = 3, 5


@dataclass(frozen=True, slots=True)
class ThreeFive(Cleaned):
    """A12: the 3 longest sentences as keys, confirmed by lengths and by the 5 longest words.

    Documents that share one of their three longest sentences make a chain in order of length, cut
    where the next is more than ``ratio`` times as long. Two of a chain are compared if their
    lengths are within ``ratio``, their numbers of sentences within ``sentence_ratio``, and
    ``words`` of the signatures of their five longest words agree (all, if a document has fewer).
    They are duplicates if their longest sentences agree or, both having more than ``many``
    sentences, two of three do. The length of a document counts words of ``long`` letters and more.
    """

    stop: str = option("en+ru", shared.STOP)
    letters: int = option(4, "Drop words with fewer letters than this.", least=0, most=100)
    ratio: float = option(1.15, "Maximum ratio of the lengths of a pair.", least=1)
    sentence_ratio: float = option(
        1.2,
        "Maximum ratio of the numbers of sentences of a pair.",
        least=1,
    )
    words: int = option(
        2, "Number of signatures of the longest words that must agree.", least=0, most=WORDS
    )
    many: int = option(
        5,
        "In documents with more sentences than this, two of the three longest must agree.",
        least=0,
    )
    long: int = option(
        3, "Minimum number of letters of a word that counts for the length.", least=0
    )
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A12",
        named="3+5",
        needs="sentences",
        cost="linear, one pass",
        use="recall close to that of comparing texts, at the cost of a signature method",
        avoid="texts without sentence ends: a single long sentence must then agree in every word",
        published="ROMIP: recall .96, precision .95, F .95",
    )

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> ThreeFiveSearch:
        """Begin a run."""
        return ThreeFiveSearch(self, goal, resources)


@dataclass(frozen=True)
class Records:
    """One row per document: words left, length, sentences, and signatures; 0 fills up."""

    left: Ints
    length: Ints
    number: Ints
    sentences: Features
    words: Features

    @classmethod
    def of(cls, method: ThreeFive, texts: pa.Array, threads: int) -> Records:
        """The records of a batch."""
        tokens = method.cleaning().tokens(texts, threads, sentences=True)
        length = Cleaning("none", method.long).tokens(texts, threads).lengths
        distinct = tokens.distinct()
        letters = tokens.letters[distinct.first].astype(float)
        return cls(
            tokens.lengths,
            length,
            np.diff(tokens.sentence_offsets),
            longest(tokens.sentences, tokens.sentence_words.astype(float), SENTENCES),
            longest(distinct.items, letters, WORDS),
        )


def longest(items: Items, lengths: Floats, most: int) -> Features:
    """Signatures of the longest items, longest first, ties by signature; 0 fills up."""
    signatures = items.hashes()
    chosen = items.heaviest(lengths, most, signatures)
    table = np.zeros((len(items.offsets) - 1, most), np.uint64)
    table[spread(chosen.numbers.lengths)] = signatures[chosen.numbers.values]
    return table


def agreeing(a: Features, b: Features) -> Ints:
    """How many signatures of each row of ``a`` are in the same row of ``b``, in any order."""
    equal = (a[:, :, None] == b[:, None, :]) & (a[:, :, None] != 0)
    count: Ints = equal.any(axis=2).sum(axis=1)
    return count


class ThreeFiveSearch(LinkedSearch):
    """Records are kept, and chained at the end."""

    by_text = True
    decides = "agree in their longest sentences and words"

    def __init__(self, method: ThreeFive, goal: Goal, resources: Resources) -> None:
        self.method, self.goal, self.resources = method, goal, resources
        self._parts: list[Records] = []
        self._chains = 0

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """The keys, sorted; the records are put aside."""
        records = Records.of(self.method, texts, threads)
        self._parts.append(records)
        there = records.sentences != 0
        keys = Ragged.from_lengths(records.sentences[there], there.sum(axis=1))
        return sorted_lists(keys), records.left

    def records(self) -> Records:
        """All of them, by document number."""
        if len(self._parts) != 1:
            parts = [*self._parts, Records.of(self.method, pa.array([], pa.large_string()), 1)]
            columns = ("left", "length", "number", "sentences", "words")
            whole = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
            self._parts = [Records(*whole)]
        return self._parts[0]

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The pairs of the chains that the rules admit."""
        groups = feature_groups(store, np.flatnonzero(use).astype(np.uint32), self.resources)
        chains = Chains.of(groups, self.records().length, self.method.ratio)
        self._chains = len(chains.groups)
        left, right = chains.pairs()
        good, score = self._judged(left, right)
        return Near(left[good], right[good], score[good], len(left))

    def _judged(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[np.bool_], Floats]:
        """Which pairs are duplicates, and the share of their sentence signatures that agree."""
        records, method = self.records(), self.method
        fewer = np.minimum(records.number[left], records.number[right])
        more = np.maximum(records.number[left], records.number[right])
        sentences, words = self._agreement(left, right)
        known = (records.words != 0).sum(axis=1)
        enough = np.minimum(method.words, np.minimum(known[left], known[right]))
        first = records.sentences[left, 0] == records.sentences[right, 0]
        two = (fewer > method.many) & (sentences >= 2)
        comparable = (more <= method.sentence_ratio * fewer) & (words >= enough)
        return comparable & (first | two), sentences / np.minimum(fewer, SENTENCES)

    def _agreement(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[Ints, Ints]:
        records = self.records()
        return (
            agreeing(records.sentences[left], records.sentences[right]),
            agreeing(records.words[left], records.words[right]),
        )

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """Sentences and words that agree."""
        sentences, words = self._agreement(left, right)
        return {"sentences": sentences, "words": words}

    def describe(self) -> dict[str, Any]:
        """The chains that were looked through."""
        return {"kind": "chains", "ratio": self.method.ratio, "chains": self._chains}
