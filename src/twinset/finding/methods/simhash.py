"""SimHash: fingerprints of 64 bits that differ in few places.

Charikar: Similarity estimation techniques from rounding algorithms (STOC 2002); Manku, Jain, Das
Sarma: Detecting near-duplicates for web crawling (WWW 2007), whose permuted tables find every pair.

What a distance means, measured on 13,500 pairs of real texts over 5-word shingles (median and 90th
percentile of the distance): Jaccard similarity .9: 4 and 10 bits; .8: 8 and 13; .7: 10 and 15. So 3
bits, the published choice, miss most pairs at .8 and .9; they were meant for copies of pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.finding.candidates.base import Goal, Near, Numbers
from twinset.finding.methods.base import About, Evidence, LinkedSearch
from twinset.finding.methods.keys import Cleaned
from twinset.model import FeatureLists, Features, Ints, Ragged
from twinset.plan import Resources, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics

BLOCK = 0x9E3779B97F4A7C15  # times its number, what keeps equal bits of two blocks apart


@dataclass(frozen=True, slots=True)
class SimHash(Cleaned):
    """Finds all pairs whose 64-bit fingerprints differ in at most ``distance`` bits.

    Features are runs of ``shingle`` words, each counted ``once`` or as often as it occurs (``tf``)
    by ``weight``. At distance 3 expect copies with a few changed words, at 8 about half of the
    pairs at Jaccard similarity .8 over 5-word shingles.
    """

    stop: str = option("none", shared.STOP)
    letters: int = option(0, "Drop words with fewer letters than this.", least=0, most=100)
    shingle: int = option(5, "Number of words in a shingle.", least=1, most=1000)
    distance: int = option(
        3, "Maximum number of bits in which two fingerprints differ.", least=0, most=16
    )
    weight: Literal["once", "tf"] = option(
        "once", "Count each shingle once, or as often as it occurs (tf)."
    )
    about: ClassVar[About] = About(
        paper="Charikar 2002; Manku, Jain, Das Sarma 2007",
        cost="linear, one pass; tables grow with the distance",
        use="pages that differ in a banner, a date or a counter; 8 bytes per document",
        avoid="similarity below .95 at distance 3; short documents: one word changes many bits",
        published="Manku et al.: precision and recall near .75 at distance 3 on 8 billion pages",
    )

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SimHashSearch:
        """Begin a run."""
        return SimHashSearch(self, goal, resources)


class SimHashSearch(LinkedSearch):
    """Fingerprints are kept, and compared at the end."""

    def __init__(self, method: SimHash, goal: Goal, resources: Resources) -> None:
        self.method, self.goal, self.resources = method, goal, resources
        self.decides = f"differ in at most {method.distance} of 64 bits"
        self._parts: list[Features] = []

    def extract(self, texts: pa.Array, threads: int) -> tuple[FeatureLists, Ints]:
        """Sorted shingles; the fingerprints are put aside."""
        tokens = self.method.cleaning().tokens(texts, threads)
        shingles = tokens.shingles(self.method.shingle)
        counted, weights = shingles, np.empty(0, np.int32)
        if self.method.weight == "tf":
            counted = tokens.shingles(self.method.shingle, unique=False)
        prints = _kernels.simhashes(counted.values, counted.offsets, weights, threads)
        self._parts.append(prints)
        return shingles, tokens.lengths

    def fingerprints(self) -> Features:
        """All of them, by document number."""
        if len(self._parts) != 1:
            self._parts = [np.concatenate([np.empty(0, np.uint64), *self._parts])]
        return self._parts[0]

    def links(self, features: FeatureLists, threads: int) -> FeatureLists:
        """The blocks of the fingerprints, of which two that are near agree in one at least.

        They are short, so that many agree that are not near: hence the prints.
        """
        prints, blocks = self._parts[-1], self.method.distance + 1
        first = 64 * np.arange(blocks + 1) // blocks
        masks = [(1 << int(end)) - (1 << int(begin)) for begin, end in pairwise(first)]
        numbers = np.arange(blocks, dtype=np.uint64) * np.uint64(BLOCK)
        there = features.lengths > 0
        keys = (prints[there, None] & np.array(masks, np.uint64)) ^ numbers
        return Ragged.from_lengths(keys.ravel(), np.where(there, blocks, 0))

    def prints(self) -> Features:
        """The fingerprints of the last batch."""
        return self._parts[-1]

    def near(self, prints: Features, threads: int) -> tuple[Numbers, Numbers]:
        """Those within the distance; of equal ones the first stands for all."""
        values, first, place = np.unique(prints, return_index=True, return_inverse=True)
        left, right, _ = _kernels.hamming_pairs(values, self.method.distance, threads)
        rows = np.arange(len(prints))
        again = rows != first[place.reshape(-1)]
        ends = (
            np.concatenate([first[left], first[place.reshape(-1)][again]]),
            np.concatenate([first[right], rows[again]]),
        )
        return ends[0].astype(np.uint32), ends[1].astype(np.uint32)

    def find(self, store: _kernels.FeatureStore, use: NDArray[np.uint8]) -> Near:
        """Every pair within the distance."""
        documents: Numbers = np.flatnonzero(use & (store.sizes > 0)).astype(np.uint32)
        left, right, distance = _kernels.hamming_pairs(
            self.fingerprints()[documents], self.method.distance, self.resources.threads
        )
        return Near(documents[left], documents[right], 1 - distance / 64, len(left))

    def evidence(self, left: Ints, right: Ints) -> Evidence:
        """The number of bits that differ."""
        prints = self.fingerprints()
        differ = prints[left] ^ prints[right]
        bits = np.unpackbits(differ.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1)
        return {"distance": bits.astype(np.int64)}

    def describe(self) -> dict[str, Any]:
        """The distance."""
        return {"kind": "hamming", "distance": self.method.distance}
