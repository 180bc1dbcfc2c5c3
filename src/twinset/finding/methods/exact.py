"""Exact set-similarity join over shingles.

Chaudhuri, Ganti, Kaushik: A primitive operator for similarity joins in data cleaning (ICDE 2006);
Xiao, Wang, Lin, Yu: Efficient similarity joins for near duplicate detection (WWW 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.finding.candidates.base import Candidates, Goal
from twinset.finding.candidates.join import JoinCandidates
from twinset.finding.features.shingles import Shingles
from twinset.finding.methods.base import MEASURED, About, SetSearch
from twinset.plan import Resources, Shingling
from twinset.text.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Exact(Shingling):
    """Finds every pair at or above the threshold, in up to twice the time of minhash.

    Among thousands of similar documents not every pair is listed; the manifest says so.
    """

    uses: ClassVar[tuple[str, ...]] = MEASURED
    about: ClassVar[About] = About(
        paper="Chaudhuri, Ganti, Kaushik 2006; Xiao et al. 2008",
        cost="linear in practice, quadratic at worst",
        use="nothing may be missed, or the measure is containment or overlap",
        avoid="very low thresholds on large collections",
        published="recall 1 by construction",
    )

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """The prefix join."""
        return JoinCandidates(goal, resources)

    def search(
        self, goal: Goal, resources: Resources, known: Statistics | None = None
    ) -> SetSearch:
        """Begin a run."""
        return SetSearch(self.features(), self.candidates(goal, resources), goal)
