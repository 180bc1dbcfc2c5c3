"""Shingling, MinHash and locality-sensitive hashing [Broder 1997; Indyk, Motwani 1998].

Documents become sets of shingles, sets become images, images meet in bands (a sketch) or in a join
of samples (a set); every candidate is verified on the whole sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset import registry
from twinset.candidates.bands import BandCandidates, Bands
from twinset.candidates.base import Candidates, Goal
from twinset.candidates.sampled import SampledCandidates
from twinset.features.shingles import Shingles
from twinset.methods.base import About, SetSearch
from twinset.plan import Resources, Unit
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class MinHash:
    """Near-duplicates by shingles, with a stated recall: the default.

    A shingle has ``shingle`` units (``unit``: word or char), one starts every ``offset`` units;
    ``image`` is the sketch that candidates are sought with, drawn from ``seed``. It is cut into
    ``bands`` bands of ``rows`` rows; 0 of each means that they are solved for the recall, and with
    both given the recall follows from them.
    """

    shingle: int = 5
    offset: int = 1
    unit: Unit = "word"
    image: str = "oph:size=128"
    seed: int = 1
    bands: int = 0
    rows: int = 0
    about: ClassVar[About] = About(
        paper="Broder 1997; Indyk, Motwani 1998",
        cost="linear, one pass",
        use="nearly always: a threshold, a stated recall, and every pair verified",
        avoid="where nothing may be missed (exact), or for containment, which has no bands",
        published="P(found) = 1-(1-s^r)^b; b and r are solved for the recall, or given",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return self.features().faults() + self._cut_faults()

    def _cut_faults(self) -> list[str]:
        image = registry.make("image", self.image, seed=self.seed)
        if self.bands == self.rows == 0:
            return []
        given = f"bands={self.bands},rows={self.rows}"
        if self.bands < 1 or self.rows < 1:
            return [
                f"bands and rows are given together and are at least 1, not {given}: give both, "
                "as bands=20,rows=5, or neither to have them solved for the recall"
            ]
        if image.shape != "sketch":
            return [
                f"{given} cut a sketch, and the image {self.image.partition(':')[0]} is a sample: "
                "take the image oph or minwise, or leave out bands and rows"
            ]
        size = self.bands * self.rows
        if size > image.size:
            return [
                f"{given} need an image of {size} values, not of {image.size}: take a larger one, "
                f"as --image {self.image.partition(':')[0]}:size={size}, or fewer bands or rows"
            ]
        return []

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """Bands for a sketch, a join of samples for a set."""
        image = registry.make("image", self.image, seed=self.seed)
        if image.shape == "sketch":
            cut = Bands(self.bands, self.rows) if self.bands else None
            return BandCandidates(image, goal, resources, cut)
        return SampledCandidates(image, goal, resources)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), self.candidates(goal, resources), goal)
