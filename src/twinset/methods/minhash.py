"""Shingling, MinHash and locality-sensitive hashing [Broder 1997; Indyk, Motwani 1998].

Documents become sets of shingles, sets become images, images meet in bands (a sketch) or in a join
of samples (a set); every candidate is verified on the whole sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import registry
from twinset.candidates.bands import BandCandidates
from twinset.candidates.base import Candidates, Goal
from twinset.candidates.sampled import SampledCandidates
from twinset.features.shingles import Shingles
from twinset.plan import Resources, Unit


@dataclass(frozen=True, slots=True)
class MinHash:
    """Near-duplicates by shingles, with a stated recall: the default."""

    shingle: int = 5
    offset: int = 1
    unit: Unit = "word"
    image: str = "oph:size=128"
    seed: int = 1
    cost: ClassVar[str] = "linear"

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        registry.make("image", self.image, seed=self.seed)
        return self.features().faults()

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """Bands for a sketch, a join of samples for a set."""
        image = registry.make("image", self.image, seed=self.seed)
        if image.shape == "sketch":
            return BandCandidates(image, goal, resources)
        return SampledCandidates(image, goal, resources)
