"""Shingling, MinHash and locality-sensitive hashing [Broder 1997; Indyk, Motwani 1998].

Documents become sets of shingles, sets become images, images meet in bands (a sketch) or in a join
of samples (a set); every candidate is verified on the whole sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from twinset.candidates.bands import BandCandidates
from twinset.candidates.base import Candidates, Goal
from twinset.candidates.sampled import SampledCandidates
from twinset.features.shingles import Shingles
from twinset.methods.base import About, SetSearch
from twinset.plan import Resources, Shingling, shared
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class MinHash(Shingling):
    """Near-duplicates by shingles, with a stated recall: the default.

    Candidates are sought with a sketch of the shingles, and verified on the shingles themselves.
    """

    image: Any = shared.image()
    about: ClassVar[About] = About(
        paper="Broder 1997; Indyk, Motwani 1998",
        cost="linear, one pass",
        use="nearly always: a threshold, a stated recall, and every pair verified",
        avoid="where nothing may be missed (exact), or for containment, which has no bands",
        published="P(found) = 1-(1-s^r)^b; b and r are solved for the recall",
    )

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """Bands for a sketch, a join of samples for a set."""
        if self.image.shape == "sketch":
            return BandCandidates(self.image, goal, resources)
        return SampledCandidates(self.image, goal, resources)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), self.candidates(goal, resources), goal)
