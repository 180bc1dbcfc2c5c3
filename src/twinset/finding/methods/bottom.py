"""The n minimal elements of a document's shingles in one permutation.

Broder: On the resemblance and containment of documents (1997); Kuznetsov et al., who compare it
with minimal elements in n permutations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from twinset.finding.candidates.base import Goal
from twinset.finding.candidates.sampled import SampledCandidates
from twinset.finding.features.shingles import Shingles
from twinset.finding.images.base import Permutations, permuted
from twinset.finding.images.bottom import Bottom as BottomImage
from twinset.finding.methods.base import MEASURED, About, SetSearch
from twinset.plan import Resources, Shingling, shared
from twinset.plan.spec import option
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Bottom(Shingling):
    """Compares samples of the smallest shingle hashes; every pair is verified on all shingles."""

    uses: ClassVar[tuple[str, ...]] = (*MEASURED, "recall")
    size: int = option(
        100, "Number of smallest shingle hashes to keep per document.", least=1, most=65536
    )
    permutations: Permutations = permuted()
    seed: int = shared.seed()
    about: ClassVar[About] = About(
        paper="Broder 1997; Kuznetsov et al. 2005",
        cost="linear in practice",
        use="the image of the papers; samples are sets, as closed sets need them",
        avoid="large collections: minhash finds the same pairs faster",
    )

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
