"""Without labels: the evidence of a collection, and the plan that the rules choose by it."""

from __future__ import annotations

from dataclasses import dataclass

from twinset.lab.tuning import situations
from twinset.lab.tuning.decision import LIMITS, Facts, PlanDecision, decide
from twinset.lab.tuning.edits import light_share
from twinset.lab.tuning.estimate import Estimate
from twinset.lab.tuning.expectation import expected_precision, expected_recall
from twinset.lab.tuning.looks import Looks
from twinset.lab.tuning.noise import noise
from twinset.lab.tuning.plans import CHARACTERS_VIEW, DEFAULT, PRESET, STRICT, PlanChoice
from twinset.lab.tuning.relation import PairLevel, Relation
from twinset.lab.tuning.situations import Situation
from twinset.lab.tuning.views import TermView
from twinset.lab.tuning.workshop import Workshop

VIEWS = 3  # at most, for progress


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
        words, passages = self.relation(PRESET.view), self.relation(STRICT.view)
        characters = self.relation(CHARACTERS_VIEW) if self.garbled else None
        apart = self._told_apart()
        self.facts = Facts(words, passages, self.names("numbers"), apart, characters)

    def names(self, kind: str) -> bool:
        """Whether the collection is of this kind."""
        return any(each.kind == kind and each.holds for each in self.situations)

    def relation(self, view: TermView) -> Relation:
        """How the pairs of a view agree with each other."""
        if view not in self._relations:
            own = [each.threshold for each in (PRESET, STRICT, DEFAULT) if each.view == view]
            self._relations[view] = self.workshop.relation(view, *(own or [PRESET.threshold]))
        return self._relations[view]

    def _situations(self, looks: Looks) -> tuple[Situation, ...]:
        workshop, view = self.workshop, PRESET.view
        near, texts, seed = workshop.near(view), workshop.sample.texts, workshop.seed
        groups = situations.groups_at(near, PRESET.threshold, len(texts))
        words = self.relation(view).at(PRESET.threshold)
        forms = situations.forms(words, self.relation(STRICT.view).at(situations.MOSTLY))
        site = situations.site(situations.repeated_share(texts, groups), forms=forms.holds)
        pairs = near.reaching(PRESET.threshold)
        gap = situations.number_gap(texts, pairs.left, pairs.right, seed)
        inside = situations.excerpt_share(workshop.terms(view), near, seed)
        garbled = noise(texts)
        self.garbled = situations.certainly_scans(garbled)
        return (
            situations.scans(garbled),
            forms,
            situations.numbers(gap),
            situations.excerpts(inside, site.holds or forms.holds),
            situations.short(looks.words[1]),
            site,
        )

    def _told_apart(self) -> bool:
        workshop = self.workshop
        pairs = workshop.near(PRESET.view).reaching(PRESET.threshold)
        kept = situations.also_in(pairs, workshop.near(DEFAULT.view), DEFAULT.threshold)
        return situations.told_apart(workshop.sample.texts, pairs, kept, workshop.seed)

    def decision(self) -> PlanDecision:
        """What the rules choose."""
        return decide(self.facts, self._light)

    def candidates(self, decision: PlanDecision) -> list[Expected]:
        """The choice first, then the preset and the other plans that were looked at."""
        others = [PRESET, STRICT, DEFAULT]
        if (level := self.facts.legible) is not None:
            others.append(PlanChoice("characters", CHARACTERS_VIEW, level.threshold))
        choices = [decision.choice, *(each for each in others if each != decision.choice)]
        return [self.expected(choice) for choice in choices]

    def expected(self, choice: PlanChoice) -> Expected:
        """What to expect of a plan, as far as there is evidence."""
        level = self.level(choice)
        precision = expected_precision(level, numbers=self.names("numbers"))
        lowest = self.relation(PRESET.view).at(LIMITS.lowest)
        return Expected(choice, level, precision, expected_recall(level, lowest))

    def level(self, choice: PlanChoice) -> PairLevel:
        """The pairs of a choice."""
        return self.relation(choice.view).at(choice.threshold)

    def _light(self, choice: PlanChoice) -> float:
        return light_share(self.workshop.edited(choice.view, choice.threshold))
