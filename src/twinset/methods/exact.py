"""Exact set-similarity join over shingles [Chaudhuri, Ganti, Kaushik 2006; Xiao et al. 2008]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twinset.candidates.base import Candidates, Goal
from twinset.candidates.join import JoinCandidates
from twinset.features.shingles import Shingles
from twinset.plan import Resources, Unit


@dataclass(frozen=True, slots=True)
class Exact:
    """Every pair at or above the threshold; nothing is missed, at up to twice the time."""

    shingle: int = 5
    offset: int = 1
    unit: Unit = "word"
    cost: ClassVar[str] = "linear in practice, quadratic at worst"

    def faults(self) -> list[str]:
        """What is wrong with these options, as sentences."""
        return self.features().faults()

    def features(self) -> Shingles:
        """The shingles that stand for a document."""
        return Shingles(self.shingle, self.offset, self.unit)

    def candidates(self, goal: Goal, resources: Resources) -> Candidates:
        """The prefix join."""
        return JoinCandidates(goal, resources)
