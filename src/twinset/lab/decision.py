"""Which plan the evidence speaks for: a table of rules, of which the first that holds decides.

The preset needs no evidence, everything else does. Whatever a rule chooses must also find the light
edits that the preset finds, or the preset stays. Every number of the table is a field of `Limits`.

What to expect of a plan is said only where there is evidence for it.

*Precision.* A wrong pair contradicts others as soon as one of its documents has a true copy. So the
precision is about the cohesion; a tenth of the pairs may be wrong that no third document
contradicts. Nothing follows where pairs contradict each other, since copies that drift apart do so
as well, nor where similar documents differ in their numbers, which are wrong pairs that agree.

*Recall.* Down to the lowest threshold that is looked at, pairs that agree are gained. If they agree
all the way down, those at the threshold are compared with those there; a fifth of the copies may be
further apart still. If they do not, nobody knows where copies end, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twinset.finding.methods.tfidfcosine import TfidfCosine
from twinset.lab.pairs import wilson
from twinset.lab.views import Estimate, PairLevel, Relation, TermView
from twinset.plan import Keep, Plan

STRICT_VIEW = TermView("word", 5, "jaccard")
CHARACTERS_VIEW = TermView("char", 5, "cosine")


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A view at a threshold, under the name by which `tune` speaks of it."""

    name: str
    view: TermView
    threshold: float
    keep: tuple[Keep, ...] = ()

    def applied(self, plan: Plan, *, keeps: bool = True) -> Plan:
        """The plan with this way to compare documents; ``keeps`` leaves what it keeps as it is."""
        options = self.view.options(self.threshold)
        if not keeps and self.keep:
            options["keep"] = self.keep
        return Plan.make(plan=plan, **options)

    def at(self, threshold: float, name: str) -> PlanChoice:
        """The same view at another threshold."""
        return PlanChoice(name, self.view, threshold, self.keep)


def _preset() -> PlanChoice:
    """The preset for texts as a view, so that its pairs can be looked at."""
    plan = Plan.make(preset="text")
    method = plan.method
    assert isinstance(method, TfidfCosine)
    view = TermView(method.unit, method.length, "cosine", method.contained)
    return PlanChoice("preset", view, plan.threshold, plan.keep)


PRESET = _preset()
# Where documents that are no copies share most of their text.
STRICT = PlanChoice("strict", STRICT_VIEW, 0.75)
# What `find` goes by when nothing is said.
DEFAULT = PlanChoice("default", STRICT_VIEW, 0.8)


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of the rules. What each rests on is in the manual."""

    fewest_pairs: int = 30
    """Fewer of the preset show nothing: a share of them is known to .2 at best."""
    cohesive: float = 0.9
    """Pairs hardly contradict each other: of ten twos that chains join, one is no pair."""
    rise: float = 0.05
    """Cohesion that a stricter plan must bring, if it is chance that makes the chains."""
    weight: float = 2.0
    """Pairs that a contradiction weighs as much as."""
    near: float = 0.08
    """How far a threshold is raised to see whether cohesion rises, and the width of a range."""
    deviations: float = 1.0
    """Standard deviations by which pairs must lie more densely below for chance to have begun."""
    lowest: float = 0.4
    """What the threshold of the preset is lowered to at most."""
    highest: float = 0.9
    """What it is raised to at most: light edits are found up to there."""
    worth: float = 0.02
    """The share of pairs, or of their balance, for which it is worth leaving the preset."""
    crowd: float = 20.0
    """Look-alikes of a document; that many are forms or boilerplate if they are not alike."""
    strict: float = STRICT.threshold
    """The threshold for such a crowd."""
    tolerance: float = 0.05
    """The share of the light edits that a plan may find less than the preset."""


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a collection before a plan is chosen.

    ``words`` are the pairs of the preset at every threshold, ``passages`` those of the strict plan;
    ``numbers`` says that similar documents differ in their numbers more than in their words,
    ``told_apart`` that the default drops those pairs and keeps others. ``characters`` are the
    pairs of shingles of characters, looked at only where scanners have garbled words.
    """

    words: Relation
    passages: Relation
    numbers: bool = False
    told_apart: bool = False
    characters: Relation | None = None
    limits: Limits = LIMITS

    @property
    def preset(self) -> PairLevel:
        return self.words.at(PRESET.threshold)

    def calmer(self, level: PairLevel) -> bool:
        """Whether the pairs of a level contradict each other much less than those of the preset."""
        return level.cohesion >= self.preset.cohesion + self.limits.rise

    @property
    def raised(self) -> PairLevel | None:
        """The level above with the best balance; of such as are as good, the nearest."""
        limits = self.limits
        levels = [
            level
            for level in self.words.between(PRESET.threshold, limits.highest)
            if level.sampled >= limits.fewest_pairs
        ]
        best = max((level.balance(limits.weight) for level in levels), default=0.0)
        enough = (1 - limits.worth) * best
        return _unless_preset(
            next((each for each in levels if each.balance(limits.weight) >= enough > 0), None)
        )

    @property
    def lowered(self) -> PairLevel | None:
        """The lowest level of the preset to which its pairs show no sign of chance."""
        lowered, top = None, PRESET.threshold
        for level in reversed(self.words.between(self.limits.lowest, top)):
            if self._by_chance(self.words, level, min(self.limits.near, top - level.threshold)):
                break
            lowered = level
        return lowered if self._more(lowered) else None

    @property
    def legible(self) -> PairLevel | None:
        """The lowest level of characters without a sign of chance, if it has more pairs."""
        if self.characters is None:
            return None
        levels = [
            level
            for level in self.characters.between(self.limits.lowest, self.limits.highest)
            if level.sampled >= self.limits.fewest_pairs
            and not self._by_chance(self.characters, level, self.limits.near)
        ]
        return levels[0] if levels and self._more(levels[0]) else None

    def _by_chance(self, relation: Relation, level: PairLevel, width: float) -> bool:
        """Whether pairs contradict each other, or lie more densely than those above them."""
        limits = self.limits
        return level.cohesion < limits.cohesive or relation.thickens(
            level.threshold, width, limits.deviations
        )

    def _more(self, level: PairLevel | None) -> bool:
        return level is not None and level.pairs > (1 + self.limits.worth) * self.preset.pairs


def _unless_preset(level: PairLevel | None) -> PairLevel | None:
    return None if level is None or level.threshold == PRESET.threshold else level


@dataclass(frozen=True, slots=True)
class Rule:
    """When it holds, this is chosen, for this reason; ``ask`` where only the owner can tell."""

    name: str
    holds: Callable[[Facts], bool]
    choice: Callable[[Facts], PlanChoice]
    why: str
    ask: bool = False


def garbled(facts: Facts) -> bool:
    """Whether characters reach more copies than words, because scanners garble words."""
    return facts.legible is not None


def few(facts: Facts) -> bool:
    """Whether there is too little to learn from."""
    return facts.preset.sampled < facts.limits.fewest_pairs


def crowds(facts: Facts) -> bool:
    """Whether documents have scores of look-alikes, fewer of which are alike among themselves."""
    strict = facts.passages.at(facts.limits.strict)
    return torn(facts) and facts.preset.crowd >= facts.limits.crowd and facts.calmer(strict)


def chains(facts: Facts) -> bool:
    """Whether the pairs of the preset contradict each other, and much less so just above."""
    above = facts.words.at(PRESET.threshold + facts.limits.near)
    return torn(facts) and facts.calmer(above) and facts.raised is not None


def torn(facts: Facts) -> bool:
    """Whether the pairs of the preset contradict each other."""
    return facts.preset.cohesion < facts.limits.cohesive


def scattered(facts: Facts) -> bool:
    """Whether more pairs lie below the threshold of the preset, and no sign of chance."""
    return facts.lowered is not None


def _strict(facts: Facts) -> PlanChoice:
    return STRICT.at(facts.limits.strict, STRICT.name)


def _at_characters(facts: Facts) -> PlanChoice:
    assert facts.legible is not None
    return PlanChoice("characters", CHARACTERS_VIEW, facts.legible.threshold)


def _raised(facts: Facts) -> PlanChoice:
    assert facts.raised is not None
    return PRESET.at(facts.raised.threshold, "raised")


def _lowered(facts: Facts) -> PlanChoice:
    assert facts.lowered is not None
    return PRESET.at(facts.lowered.threshold, "lowered")


RULES = (
    Rule(
        "scans",
        garbled,
        _at_characters,
        "Words are garbled as scanners do it, and shingles of characters reach more pairs, which "
        "agree with each other and show no sign of chance.",
    ),
    Rule(
        "few",
        few,
        lambda facts: PRESET,
        "There are too few pairs to learn from, so the preset stays.",
        ask=True,
    ),
    Rule(
        "crowds",
        crowds,
        _strict,
        "Documents have crowds of look-alikes which are not alike among themselves, as forms "
        "and boilerplate do: only what agrees in nearly all of its text counts as a copy.",
        ask=True,
    ),
    Rule(
        "chains",
        chains,
        _raised,
        "At the threshold of the preset chains of pairs join documents that are not alike; at "
        "this one they hardly do.",
        ask=True,
    ),
    Rule(
        "torn",
        torn,
        lambda facts: PRESET,
        "Pairs contradict each other, as the versions of a text do that drift apart, and a higher "
        "threshold does not mend it: only you know where a copy ends, so the preset stays.",
        ask=True,
    ),
    Rule(
        "facts",
        lambda facts: facts.told_apart,
        lambda facts: DEFAULT,
        "Documents with nearly the same text have the same numbers too; those that are less alike "
        "have other numbers, as forms and versions with other facts have. Only the former count "
        "as copies.",
        ask=True,
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
        "scattered",
        scattered,
        _lowered,
        "Below the threshold of the preset there are more pairs; they agree with each other as "
        "copies do, and do not become ever more as pairs by chance do.",
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
        return f"{self.rule.why} {self.refused}".strip()


def decide(facts: Facts, light: Callable[[PlanChoice], float]) -> PlanDecision:
    """The choice of the first rule that holds, if it finds the light edits."""
    rule = next(rule for rule in RULES if rule.holds(facts))
    choice = rule.choice(facts)
    if choice == PRESET or light(choice) >= light(PRESET) - facts.limits.tolerance:
        return PlanDecision(rule, choice)
    refused = (
        f"But {choice.view.name} from {choice.threshold:g} on would miss light edits that the "
        "preset finds, so the preset stays."
    )
    return PlanDecision(rule, PRESET, refused)


UNSEEN = 0.1  # of the pairs may be wrong without being contradicted, or right in spite of it
FARTHER = 0.2  # of the copies may be further apart than anything that is looked at


def expected_precision(level: PairLevel, *, numbers: bool) -> Estimate | None:
    """From the cohesion of the pairs; None where it tells nothing."""
    if numbers or level.sampled < LIMITS.fewest_pairs or level.cohesion < LIMITS.cohesive:
        return None
    low, _ = wilson(level.cohesion - UNSEEN, level.sampled)
    _, high = wilson(min(level.cohesion + UNSEEN, 1.0), level.sampled)
    return Estimate(level.cohesion, low, high)


def expected_recall(level: PairLevel, lowest: PairLevel) -> Estimate | None:
    """From the pairs at the lowest threshold; None where these contradict each other."""
    if lowest.sampled < LIMITS.fewest_pairs or lowest.cohesion < LIMITS.cohesive:
        return None
    value = min(level.pairs / max(lowest.pairs, 1e-9), 1.0)
    low, _ = wilson(value, lowest.sampled)
    return Estimate(value, (1 - FARTHER) * low, 1.0)
