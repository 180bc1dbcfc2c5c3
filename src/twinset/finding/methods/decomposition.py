"""Decomposition: chains of documents by shared shingle and length, compared by a judge (A11).

Zelenkov, Segalovich 2007, section 6.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Chains, Goal, Near, Numbers, feature_groups
from twinset.finding.methods.base import About, LinkedSearch
from twinset.finding.methods.keys import Cleaned
from twinset.finding.verify.edit import edit_scores
from twinset.finding.verify.measures import Jaccard
from twinset.finding.verify.texts import TextStore
from twinset.model import FeatureLists, Floats, Ints, Ragged
from twinset.plan import Resources, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics
from twinset.text.tokens import WHOLE

LIKELY = 0.7  # a Jaccard similarity of shingles from which the edit similarity is mostly above .95


@dataclass(frozen=True, slots=True)
class Decomposition(Cleaned):
    """A11: compares the texts of documents that share a shingle and have similar lengths.

    Every ``sample``-th shingle of ``shingle`` words, by its hash, makes a chain of the documents
    that have it, in order of length. A chain is cut where the next document is more than ``ratio``
    times as long in words, and only documents within that ratio are compared; 0 stands for the
    ratio up to which a similarity of s can be reached, in the unit that the judge compares: (2-s)/s
    in characters, 1/s in shingles (the paper takes 1.15 for .85 and loses a little). The ``judge``
    is the edit similarity of the texts (edit) or the Jaccard similarity of their shingles
    (jaccard), and a pair must reach ``similarity``. Pairs that share less than ``least`` of the
    shorter document's shingles are not shown to the judge: raise it for speed.
    """

    stop: str = option("none", shared.STOP)
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    shingle: int = option(5, "Number of words in a shingle.", least=1, most=1000)
    sample: int = option(1, "Use every n-th shingle on average, chosen by its hash.", least=1)
    ratio: float = option(
        0.0,
        "Maximum ratio of the lengths of a pair; 0 allows every ratio that can be similar.",
        least=0,
    )
    judge: Literal["edit", "jaccard"] = option(
        "edit", "Compare texts by edit similarity, or shingles by Jaccard similarity."
    )
    similarity: float = option(0.8, "Minimum similarity of a pair.", least=0, most=1)
    least: float = option(
        0.2,
        "Minimum share of the shorter text's shingles in common; raise it for speed.",
        least=0,
        most=1,
    )
    about: ClassVar[About] = About(
        paper="Zelenkov, Segalovich 2007, A11",
        named="decomposition",
        cost="near-linear in shingles, plus one comparison of texts for each pair of a chain",
        use="recall and precision before speed; texts that share passages",
        avoid="very large collections of long documents: the judge reads every candidate pair",
        published="ROMIP: recall and precision 'practically 100 %'",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        faults = Cleaned.faults(self)
        if 0 < self.ratio < 1:
            faults.append(f"ratio must be at least 1, or 0, not {self.ratio:g}")
        if self.ratio == 0 and self.similarity == 0:
            faults.append("a similarity of 0 needs a ratio")
        return faults

    def length_ratio(self) -> float:
        """The ratio of lengths up to which documents are compared.

        Where it is not given: 2·LCS/(a+b) is at most 2a/(a+b) for a shorter text of a characters,
        which reaches s up to b/a = (2-s)/s; the Jaccard similarity of sets is at most a/b.
        """
        most = 2 - self.similarity if self.judge == "edit" else 1.0
        return self.ratio or most / self.similarity

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> DecompositionSearch:
        """Begin a run."""
        return DecompositionSearch(self, goal, resources)


class DecompositionSearch(LinkedSearch):
    """Shingles go to a grouper, texts are put aside for the judge."""

    by_text = True

    def __init__(self, method: Decomposition, goal: Goal, resources: Resources) -> None:
        self.method, self.goal, self.resources = method, goal, resources
        self.decides = f"have a {method.judge} similarity of {method.similarity:g} or more"
        self._texts = TextStore(resources.folder)
        self._lengths: list[Ints] = []
        self._chains = 0

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted shingles; lengths and texts are put aside."""
        tokens = self.method.cleaning().tokens(texts, threads)
        if self.method.judge == "edit" and self.method.cleaning() == WHOLE:
            self._texts.add_words(tokens)
        elif self.method.judge == "edit":
            self._texts.add(texts, threads)
        self._lengths.append(tokens.lengths)
        return tokens.shingles(self.method.shingle), tokens.lengths

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The shingles that make chains."""
        sample = np.uint64(self.method.sample)
        flat = Ragged.from_lengths(features.flat, features.lengths)
        return flat if sample == 1 else flat.where(flat.values % sample == 0)

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """The pairs of the chains that the judge admits."""
        documents = np.flatnonzero(use).astype(np.uint32)
        groups = feature_groups(store, documents, self.resources, self.method.sample)
        chains = Chains.of(groups, *self._lengths_and_ratio(store))
        self._chains = len(chains.groups)
        left, right = chains.pairs()
        threads = self.resources.threads
        enough = _kernels.sharing(store, left, right, self.method.least, threads) > 0
        left, right = left[enough], right[enough]
        score = self._score(store, left, right)
        good = score >= max(self.method.similarity, 1e-12)
        return Near(left[good], right[good], score[good], len(left))

    def _lengths_and_ratio(self, store: _kernels.FeatureStore) -> tuple[Ints, float]:
        """Words with a ratio that was given, else what the judge compares with its own bound."""
        ratio = self.method.length_ratio()
        if self.method.ratio:
            return np.concatenate([np.empty(0, np.int64), *self._lengths]), ratio
        ratio *= 1 + 1e-12  # 1.5 for .8 comes out below 1.5, and the threshold is inclusive
        if self.method.judge == "jaccard":
            return store.sizes.astype(np.int64), ratio
        self._texts.finish()
        return self._texts.characters, ratio

    def _score(self, store: _kernels.FeatureStore, left: Numbers, right: Numbers) -> Floats:
        threads, size = self.resources.threads, store.sizes
        jaccard = Jaccard().score(store.shared(left, right, threads), size[left], size[right])
        if self.method.judge == "jaccard":
            return jaccard
        self._texts.finish()
        first, second = left.astype(np.int64), right.astype(np.int64)
        likely = jaccard >= LIKELY
        return edit_scores(self._texts, first, second, self.method.similarity, threads, likely)

    def describe(self) -> dict[str, Any]:
        """The chains that were looked through."""
        return {"kind": "chains", "ratio": self.method.length_ratio(), "chains": self._chains}
