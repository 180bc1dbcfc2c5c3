"""Features that another run or tool has made: the values of images that were read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from twinset.finding.candidates.base import Goal
from twinset.finding.candidates.join import JoinCandidates
from twinset.finding.features.shingles import Shingles
from twinset.finding.methods.base import MEASURED, About, SetSearch
from twinset.plan import Resources, shared
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Given:
    """Compares values that are given: every word of a document is a feature.

    It is the method of images that ``twinset lab images`` has written: the values of a document
    stand in place of its text.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    image: Any = shared.image(usual="full")
    about: ClassVar[About] = About(
        paper="none",
        cost="linear in practice, quadratic at worst",
        use="images of a file (shingles.fps), from twinset or another tool",
        avoid="texts: single words say little of their order",
    )

    def features(self) -> Shingles:
        """The words."""
        return Shingles(1)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), JoinCandidates(goal, resources), goal)
