"""Which plan the evidence speaks for: a table of rules, of which the first that holds decides.

The preset needs no evidence, everything else does. Whatever a rule chooses must also pass two
tests, or the preset stays: it finds the light edits that the preset finds, and if it finds more
pairs than the preset, they agree with each other no worse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twinset.lab.tuning.plans import CHARACTERS_VIEW, PRESET, STRICT, PlanChoice
from twinset.lab.tuning.relation import PairLevel

FEWEST_DOCUMENTS = 100
FEWEST_PAIRS = 30
CROWD = 20.0  # look-alikes of a document: more are forms or boilerplate
COHESIVE = 0.75  # of pairs in crowds, and of those below the threshold of the preset
CONTRADICTS = 0.8  # below, a higher threshold is tried
CLEARED = 0.85  # the cohesion that a higher threshold has to reach
HIGHEST = 0.8  # what the threshold of the preset may be raised to
LOWEST = 0.4  # what it may be lowered to
RISE = 0.05  # of cohesion that a higher threshold has to bring
GROWTH = 1.25  # times the agreement of the preset: evidence for a lower threshold or another view
TOLERANCE = 0.05  # of the light edits that a plan may find less than the preset


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a collection before a plan is chosen.

    ``preset`` is the level of the preset, ``higher`` the one halfway to the highest threshold it
    may be raised to, ``cleared`` the first above it where pairs no longer contradict each other,
    and ``settled`` the threshold below where agreement is best. ``characters`` is the best level
    of shingles of characters, which are compared only in ``scans``; ``numbers`` says that similar
    documents differ in their numbers more than in their words.
    """

    documents: int
    preset: PairLevel
    higher: PairLevel
    cleared: PairLevel | None
    settled: PairLevel | None
    scans: bool = False
    numbers: bool = False
    characters: PairLevel | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """When it holds, this is chosen, for this reason; ``ask`` where only the owner can tell."""

    name: str
    holds: Callable[[Facts], bool]
    choice: Callable[[Facts], PlanChoice]
    why: str
    ask: bool = False


def few(facts: Facts) -> bool:
    """Whether there is too little to learn from."""
    levels = (facts.preset, facts.settled, facts.characters)
    pairs = max(level.sampled for level in levels if level is not None)
    return facts.documents < FEWEST_DOCUMENTS or pairs < FEWEST_PAIRS


def crowds(facts: Facts) -> bool:
    """Whether documents have scores of look-alikes that are not alike among themselves."""
    return facts.preset.crowd >= CROWD and facts.preset.cohesion < COHESIVE


def garbled(facts: Facts) -> bool:
    """Whether characters reach many more copies than words, because scanners garble words."""
    return facts.scans and _grows(facts.characters, facts.preset)


def chains(facts: Facts) -> bool:
    """Whether the pairs of the preset contradict each other, and less so above."""
    preset = facts.preset
    return preset.cohesion < CONTRADICTS and facts.higher.cohesion >= preset.cohesion + RISE


def scattered(facts: Facts) -> bool:
    """Whether many more pairs that agree lie below the threshold of the preset."""
    settled = facts.settled
    return settled is not None and settled.cohesion >= COHESIVE and _grows(settled, facts.preset)


def _grows(level: PairLevel | None, preset: PairLevel) -> bool:
    return level is not None and level.agreement >= GROWTH * max(preset.agreement, 1.0)


def _at_characters(facts: Facts) -> PlanChoice:
    assert facts.characters is not None
    return PlanChoice("characters", CHARACTERS_VIEW, facts.characters.threshold)


RULES = (
    Rule(
        "few",
        few,
        lambda facts: PRESET,
        "There are too few documents or too few pairs to learn from, so the preset stays.",
        ask=True,
    ),
    Rule(
        "crowds",
        crowds,
        lambda facts: STRICT,
        "Documents have crowds of look-alikes which are not all alike among themselves, as forms "
        "and boilerplate do: only what agrees in nearly all of its text counts as a copy.",
        ask=True,
    ),
    Rule(
        "scans",
        garbled,
        _at_characters,
        "Words are garbled as scanners do it, and shingles of characters reach many more pairs "
        "that agree with each other.",
    ),
    Rule(
        "chains",
        chains,
        lambda facts: PRESET.at(facts.cleared.threshold if facts.cleared else HIGHEST, "raised"),
        "At the threshold of the preset chains of pairs join documents that are not alike; at "
        "this one they hardly do.",
        ask=True,
    ),
    Rule(
        "scattered",
        scattered,
        lambda facts: PRESET.at(
            max(facts.settled.threshold, LOWEST) if facts.settled else PRESET.threshold, "lowered"
        ),
        "Below the threshold of the preset there are many more pairs, and they agree with each "
        "other as copies do.",
    ),
    Rule(
        "numbers",
        lambda facts: facts.numbers,
        lambda facts: PRESET,
        "Similar documents differ in their numbers more than in their words, as filled-in forms "
        "do, and later versions of a text too: nothing but you tells the two apart, so the preset "
        "stays.",
        ask=True,
    ),
    Rule(
        "preset",
        lambda facts: True,
        lambda facts: PRESET,
        "Nothing in the collection speaks for another plan than the preset.",
    ),
)


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """The chosen plan and the rule that chose it; ``refused`` says why its own choice was not."""

    rule: Rule
    choice: PlanChoice
    refused: str = ""

    @property
    def ask(self) -> bool:
        """Whether the owner should be asked."""
        return self.rule.ask or bool(self.refused)

    @property
    def why(self) -> str:
        """The reason in words."""
        return f"{self.rule.why} {self.refused}".strip()


def decide(
    facts: Facts, light: Callable[[PlanChoice], float], level: Callable[[PlanChoice], PairLevel]
) -> PlanDecision:
    """The choice of the first rule that holds, if it passes both tests."""
    rule = next(rule for rule in RULES if rule.holds(facts))
    choice = rule.choice(facts)
    if choice == PRESET:
        return PlanDecision(rule, PRESET)
    if light(choice) < light(PRESET) - TOLERANCE:
        refused = (
            f"But {choice.view.name} from {choice.threshold:g} on would miss light edits that the "
            "preset finds, so the preset stays."
        )
        return PlanDecision(rule, PRESET, refused)
    chosen, preset = level(choice), facts.preset
    if chosen.pairs > preset.pairs and chosen.agreement < preset.agreement:
        refused = (
            f"But the pairs of {choice.view.name} from {choice.threshold:g} on contradict each "
            "other more than those of the preset, so the preset stays."
        )
        return PlanDecision(rule, PRESET, refused)
    return PlanDecision(rule, choice)
