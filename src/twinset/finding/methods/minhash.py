"""Shingling, MinHash and locality-sensitive hashing [Broder 1997; Indyk, Motwani 1998].

Documents become sets of shingles, sets become images, images meet in bands (a sketch) or in a join
of samples (a set); every candidate is verified on the whole sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from twinset.finding.candidates.bands import OVERLAPPING, BandCandidates, Bands, overlapping
from twinset.finding.candidates.base import Candidates, Goal
from twinset.finding.methods.base import MEASURED, About, ShingleSets
from twinset.plan import Resources, shared
from twinset.plan.spec import name_of, option


@dataclass(frozen=True, slots=True)
class MinHash(ShingleSets):
    """Compares shingles by sketches, with a stated recall: the default.

    Candidates are found with a sketch of the shingles and verified on the shingles themselves.
    The sketch is divided into bands of rows. Their numbers are computed from the recall; if both
    are given, the recall follows from them.
    """

    image: Any = shared.image()
    bands: int = option(0, "Number of bands of the sketch; 0 computes it from the recall.")
    rows: int = option(0, "Number of rows in a band; 0 computes it from the recall.")
    overlap: bool = option(
        False, "Make each band of any rows values of the image, which other bands may take, too."
    )
    about: ClassVar[About] = About(
        paper="Broder 1997; Indyk, Motwani 1998",
        cost="linear, one pass",
        use="nearly always: a threshold, a stated recall, and every pair verified",
        avoid="if nothing may be missed (use exact), or for containment, which has no bands",
        published="P(found) = 1-(1-s^r)^b; b and r are computed from the recall, or given",
    )

    @property
    def uses(self) -> tuple[str, ...]:
        """The recall follows from the bands, where they are given."""
        return MEASURED if self.bands else (*MEASURED, "recall")

    def faults(self) -> list[str]:
        """What is wrong with these options beyond their bounds, as sentences."""
        if self.bands == self.rows == 0:
            said = "overlap=yes is about bands that are given: add them, as bands=2,rows=3"
            return [said] if self.overlap else []
        cut, image = f"bands={self.bands},rows={self.rows}", name_of("image", self.image)
        if self.bands < 1 or self.rows < 1:
            return [
                f"bands and rows are given together and are at least 1, not {cut}: give both, "
                "as bands=20,rows=5, or neither to have them solved for the recall"
            ]
        if self.image.shape != "sketch":
            return [
                f"{cut} cut a sketch, and the image {image} is a sample: "
                "take the image oph or minwise, or leave out bands and rows"
            ]
        size = self.bands * self.rows
        if self.overlap:
            size = self.rows
            choices = math.comb(self.image.size, self.rows)
            most = min(choices, OVERLAPPING) if self.image.size > OVERLAPPING else choices
            if size <= self.image.size and self.bands > most:
                return [
                    f"bands={self.bands} is more than overlap=yes allows, {most} bands of "
                    f"{self.rows} of {self.image.size} values: take fewer, or leave overlap out"
                ]
        if size > self.image.size:
            return [
                f"{cut} need an image of {size} values, not of {self.image.size}: take a larger "
                f"one, as --image {image}:size={size}, or fewer bands or rows"
            ]
        return []

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """Bands for a sketch, a join of samples for a set."""
        if self.image.shape == "sketch":
            cut = Bands(self.bands, self.rows) if self.bands else None
            if self.overlap:
                cut = overlapping(self.bands, self.rows, self.image.size, self.image.seed)
            return BandCandidates(self.image, goal, resources, cut)
        from twinset.finding.candidates.joins import SampledCandidates

        return SampledCandidates(self.image, goal, resources)
