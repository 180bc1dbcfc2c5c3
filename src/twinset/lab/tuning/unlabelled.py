"""Without labels: the evidence of a collection, and the plan that the rules choose by it."""

from __future__ import annotations

from dataclasses import dataclass

from twinset.lab.tuning import situations
from twinset.lab.tuning.decision import (
    CLEARED,
    CROWD,
    HIGHEST,
    Facts,
    PlanDecision,
    decide,
)
from twinset.lab.tuning.edits import light_share
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.expectation import expected_precision, expected_recall
from twinset.lab.tuning.looks import Looks
from twinset.lab.tuning.noise import noise
from twinset.lab.tuning.plans import (
    CHARACTERS_VIEW,
    DEFAULT,
    PRESET,
    STRICT,
    PlanChoice,
)
from twinset.lab.tuning.relation import PairLevel, Relation
from twinset.lab.tuning.situations import Situation
from twinset.lab.tuning.views import TermView
from twinset.lab.tuning.workshop import Workshop

VIEWS = 3  # at most, for progress
LEAST = 0.2  # cosine of words down to which agreement is looked for
CHARACTERS = (0.3, 0.8)  # thresholds of shingles of characters


@dataclass(frozen=True)
class Expected:
    """A choice with what is known of it; None where there is no evidence."""

    choice: PlanChoice
    level: PairLevel
    precision: Estimate | None
    recall: Estimate | None


class Evidence:
    """What a collection shows without labels."""

    def __init__(self, workshop: Workshop, looks: Looks) -> None:
        self.workshop = workshop
        workshop.progress.stage("looking for evidence", VIEWS)
        self._relations: dict[TermView, Relation] = {}
        self.situations = self._situations(looks)
        self.facts = self._facts()

    def names(self, kind: str) -> bool:
        """Whether the collection is of this kind."""
        return any(each.kind == kind and each.holds for each in self.situations)

    def relation(self, view: TermView) -> Relation:
        """How the pairs of a view agree with each other."""
        if view not in self._relations:
            around = next(
                (each.threshold for each in (PRESET, STRICT) if each.view == view), PRESET.threshold
            )
            self._relations[view] = self.workshop.relation(view, around)
        return self._relations[view]

    def _situations(self, looks: Looks) -> tuple[Situation, ...]:
        workshop, view = self.workshop, PRESET.view
        near, texts, seed = workshop.near(view), workshop.sample.texts, workshop.seed
        groups = situations.groups_at(near, PRESET.threshold, len(texts))
        site = situations.site(situations.repeated_share(texts, groups))
        gap = situations.number_gap(texts, near, PRESET.threshold, seed)
        inside = situations.excerpt_share(workshop.terms(view), near, seed)
        return (
            situations.scans(noise(texts)),
            situations.forms(self.relation(view).at(PRESET.threshold)),
            situations.numbers(gap),
            situations.excerpts(inside, site.holds),
            situations.short(looks.words[1]),
            site,
        )

    def _facts(self) -> Facts:
        words = self.relation(PRESET.view)
        above = [level for level in words.levels if PRESET.threshold <= level.threshold <= HIGHEST]
        characters = None
        if self.names("scans"):
            characters = self.relation(CHARACTERS_VIEW).settled(*CHARACTERS, CROWD)
        return Facts(
            documents=len(self.workshop.sample),
            preset=words.at(PRESET.threshold),
            higher=words.at((PRESET.threshold + HIGHEST) / 2),
            cleared=next((level for level in above if level.cohesion >= CLEARED), None),
            settled=words.settled(LEAST, PRESET.threshold, CROWD),
            scans=self.names("scans"),
            numbers=self.names("numbers"),
            characters=characters,
        )

    def decision(self) -> PlanDecision:
        """What the rules choose."""
        return decide(self.facts, self._light, self.level)

    def candidates(self, decision: PlanDecision) -> list[Expected]:
        """The choice first, then the preset and the other plans that were looked at."""
        others = [PRESET, STRICT, DEFAULT]
        if self.facts.characters is not None:
            threshold = self.facts.characters.threshold
            others.append(PlanChoice("characters", CHARACTERS_VIEW, threshold))
        choices = [decision.choice, *(each for each in others if each != decision.choice)]
        return [self.expected(choice) for choice in choices]

    def expected(self, choice: PlanChoice) -> Expected:
        """What to expect of a plan, as far as there is evidence."""
        level = self.level(choice)
        agreed = [each for each in (self.facts.settled, self.facts.characters) if each is not None]
        most = max(agreed, key=lambda each: each.pairs, default=None)
        forms = self.names("forms") or self.names("numbers")
        below = max(0.0, PRESET.threshold - choice.threshold) if choice.view == PRESET.view else 0.0
        precision = expected_precision(level, forms=forms, below=below)
        return Expected(choice, level, precision, expected_recall(level, most))

    def level(self, choice: PlanChoice) -> PairLevel:
        """The pairs of a choice."""
        return self.relation(choice.view).at(choice.threshold)

    def _light(self, choice: PlanChoice) -> float:
        return light_share(self.workshop.edited(choice.view, choice.threshold))
