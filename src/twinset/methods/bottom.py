"""The n minimal elements of a document's shingles in one permutation.

Broder: On the resemblance and containment of documents (1997); Kuznetsov et al., who compare it
with minimal elements in n permutations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from twinset.candidates.base import Goal
from twinset.candidates.sampled import SampledCandidates
from twinset.features.shingles import Shingles
from twinset.images.base import Permutations
from twinset.images.bottom import Bottom as BottomImage
from twinset.methods.base import About, SetSearch
from twinset.plan import Resources, Unit
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Bottom:
    """Samples of the ``size`` least shingles, joined; every pair verified on the whole sets.

    A shingle has ``shingle`` units (``unit``: word or char), one starts every ``offset`` units;
    ``permutations`` are fast, or matrix as in the papers, drawn from ``seed``.
    """

    shingle: int = 5
    offset: int = 1
    unit: Unit = "word"
    size: int = 100
    permutations: Permutations = "fast"
    seed: int = 1
    about: ClassVar[About] = About(
        paper="Broder 1997; Kuznetsov et al. 2005",
        cost="linear in practice",
        use="the papers' image; samples that are sets, as closed sets need them",
        avoid="speed: minhash finds the same pairs sooner",
    )

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return self.features().faults() + self.image().faults()

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def image(self) -> BottomImage:
        """The sample."""
        return BottomImage(self.size, self.seed, self.permutations)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        image: Any = self.image()
        return SetSearch(self.features(), SampledCandidates(image, goal, resources), goal)
