"""Which plan the evidence speaks for.

A word that scanners garbled is rare and, but for what they confuse, is a word that the collection
knows: ``frorn`` for ``from``, ``c1ose`` for ``close``. Rare words as such say nothing, since names
are rare.

The plan: a table of rules, of which the first that holds decides. The preset needs no evidence,
everything else does. Whatever a rule chooses must also find the light edits that the preset finds,
or the preset stays. Every number of the table is a field of `Limits`.

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

import collections
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twinset.finding.methods.tfidfcosine import TfidfCosine
from twinset.lab.pairs import wilson
from twinset.lab.views import Estimate, Neighbours, PairLevel, Relation, TermView
from twinset.model import Ints
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
    def few(self) -> bool:
        """Whether there is too little to learn from."""
        return self.preset.sampled < self.limits.fewest_pairs

    @property
    def torn(self) -> bool:
        """Whether the pairs of the preset contradict each other."""
        return self.preset.cohesion < self.limits.cohesive

    @property
    def raised(self) -> PlanChoice | None:
        """The preset at the level with the best balance; of such as are as good, the nearest."""
        limits = self.limits
        levels = [
            level
            for level in self.words.between(PRESET.threshold, limits.highest)
            if level.sampled >= limits.fewest_pairs
        ]
        best = max((level.balance(limits.weight) for level in levels), default=0.0)
        enough = (1 - limits.worth) * best
        threshold = next(
            (each.threshold for each in levels if each.balance(limits.weight) >= enough > 0),
            PRESET.threshold,
        )
        return None if threshold == PRESET.threshold else PRESET.at(threshold, "raised")

    @property
    def lowered(self) -> PlanChoice | None:
        """The preset at the lowest level to which its pairs show no sign of chance."""
        lowered, top = None, PRESET.threshold
        for level in reversed(self.words.between(self.limits.lowest, top)):
            if self._by_chance(self.words, level, min(self.limits.near, top - level.threshold)):
                break
            lowered = level
        if lowered is None or not self._more(lowered):
            return None
        return PRESET.at(lowered.threshold, "lowered")

    @property
    def legible(self) -> PlanChoice | None:
        """The lowest level of characters without a sign of chance, if it has more pairs."""
        if self.characters is None:
            return None
        levels = [
            level
            for level in self.characters.between(self.limits.lowest, self.limits.highest)
            if level.sampled >= self.limits.fewest_pairs
            and not self._by_chance(self.characters, level, self.limits.near)
        ]
        if not levels or not self._more(levels[0]):
            return None
        return PlanChoice("characters", CHARACTERS_VIEW, levels[0].threshold)

    def _by_chance(self, relation: Relation, level: PairLevel, width: float) -> bool:
        """Whether pairs contradict each other, or lie more densely than those above them."""
        limits = self.limits
        return level.cohesion < limits.cohesive or relation.thickens(
            level.threshold, width, limits.deviations
        )

    def _more(self, level: PairLevel) -> bool:
        return level.pairs > (1 + self.limits.worth) * self.preset.pairs


@dataclass(frozen=True, slots=True)
class Rule:
    """What is chosen, None where the rule does not hold; ``ask`` where only the owner can tell."""

    name: str
    choice: Callable[[Facts], PlanChoice | None]
    why: str
    ask: bool = False


def crowds(facts: Facts) -> PlanChoice | None:
    """Where documents have scores of look-alikes, fewer of which are alike among themselves."""
    strict = facts.passages.at(facts.limits.strict)
    holds = facts.torn and facts.preset.crowd >= facts.limits.crowd and facts.calmer(strict)
    return STRICT.at(facts.limits.strict, STRICT.name) if holds else None


def chains(facts: Facts) -> PlanChoice | None:
    """Where the pairs of the preset contradict each other, and much less so just above."""
    above = facts.words.at(PRESET.threshold + facts.limits.near)
    return facts.raised if facts.torn and facts.calmer(above) else None


RULES = (
    Rule(
        "scans",
        lambda facts: facts.legible,
        "Words are garbled as scanners do it, and shingles of characters reach more pairs, which "
        "agree with each other and show no sign of chance.",
    ),
    Rule(
        "few",
        lambda facts: PRESET if facts.few else None,
        "There are too few pairs to learn from, so the preset stays.",
        ask=True,
    ),
    Rule(
        "crowds",
        crowds,
        "Documents have crowds of look-alikes which are not alike among themselves, as forms "
        "and boilerplate do: only what agrees in nearly all of its text counts as a copy.",
        ask=True,
    ),
    Rule(
        "chains",
        chains,
        "At the threshold of the preset chains of pairs join documents that are not alike; at "
        "this one they hardly do.",
        ask=True,
    ),
    Rule(
        "torn",
        lambda facts: PRESET if facts.torn else None,
        "Pairs contradict each other, as the versions of a text do that drift apart, and a higher "
        "threshold does not mend it: only you know where a copy ends, so the preset stays.",
        ask=True,
    ),
    Rule(
        "facts",
        lambda facts: DEFAULT if facts.told_apart else None,
        "Documents with nearly the same text have the same numbers too; those that are less alike "
        "have other numbers, as forms and versions with other facts have. Only the former count "
        "as copies.",
        ask=True,
    ),
    Rule(
        "numbers",
        lambda facts: PRESET if facts.numbers else None,
        "Similar documents differ in their numbers more than in their words, as filled-in forms "
        "do, and later versions of a text too: nothing but you tells the two apart, so the preset "
        "stays.",
        ask=True,
    ),
    Rule(
        "scattered",
        lambda facts: facts.lowered,
        "Below the threshold of the preset there are more pairs; they agree with each other as "
        "copies do, and do not become ever more as pairs by chance do.",
    ),
    Rule(
        "preset",
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
    rule, choice = next((rule, it) for rule in RULES if (it := rule.choice(facts)) is not None)
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


WORD = re.compile(r"\w+")
HEAD = 2000  # characters of a document that are looked at
MOST = 500  # documents that are looked at
# Scripts that do not put spaces between words: words say little there.
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True, slots=True)
class Looks:
    """Lengths, and the shares of scripts among letters."""

    documents: int
    words: tuple[int, int, int]
    scripts: dict[str, float]

    @property
    def unspaced(self) -> float:
        """The share of letters in scripts without spaces between words."""
        return sum(part for name, part in self.scripts.items() if name in UNSPACED)

    def sentence(self) -> str:
        low, middle, high = self.words
        scripts = ", ".join(f"{name.lower()} {part:.0%}" for name, part in self.scripts.items())
        text = f"{self.documents:,} documents of {middle:,} words ({low:,} to {high:,} mostly)"
        if scripts:
            text += f", letters: {scripts}"
        return text


def looks(texts: list[str], documents: int) -> Looks:
    """Look at documents spread evenly over the sample."""
    some = _spread(texts)
    lengths = [len(WORD.findall(text)) for text in some]
    low, middle, high = np.percentile(lengths or [0], [5, 50, 95]).astype(int).tolist()
    return Looks(documents, (low, middle, high), _scripts(some))


def _spread(texts: list[str]) -> list[str]:
    return [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)]


def worth_trying(looks: Looks) -> list[TermView]:
    """The views to try; without spaces between words only characters count."""
    characters = [TermView("char", 5), TermView("char", 5, "cosine")]
    if looks.unspaced > 0.3:
        return [TermView("char", 3), *characters]
    words = [TermView("word", 2), TermView("word", 2, "cosine"), TermView("word", 3)]
    longer = [TermView("char", 7), TermView("word", 5), TermView("word", 3, "containment")]
    return [*characters, *words, *(longer if looks.words[1] >= 12 else [])]


def _scripts(texts: list[str]) -> dict[str, float]:
    letters = collections.Counter(
        letter for text in texts for letter in text[:HEAD] if letter.isalpha()
    )
    counts: collections.Counter[str] = collections.Counter()
    for letter, times in letters.items():
        counts[unicodedata.name(letter, "OTHER").split()[0]] += times
    whole = sum(counts.values()) or 1
    return {name: n / whole for name, n in counts.most_common(4) if n >= 0.01 * whole}


HEAD_READ = 4000  # characters of each
SHORTEST = 4  # letters of a word that is looked at
CONFUSED = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("ii", "u"), ("ri", "n"))
LOOK_ALIKES = str.maketrans("0158|l", "oisbii")


def garbled_share(texts: list[str]) -> float:
    """The share of rare words that scanners may have made of a known word, among all words."""
    some = _spread(texts)
    counts: collections.Counter[str] = collections.Counter()
    documents: collections.Counter[str] = collections.Counter()
    for text in some:
        words = WORD.findall(text[:HEAD_READ].lower())
        counts.update(words)
        documents.update(set(words))
    least = max(3, len(some) // 100)
    look_alikes: dict[str, set[str]] = {}
    for word, n in documents.items():
        if n >= least and len(word) >= SHORTEST:
            look_alikes.setdefault(folded(word), set()).add(word)
    rare = [word for word, n in documents.items() if n <= 2 and len(word) >= SHORTEST]
    garbled = sum(counts[word] for word in rare if look_alikes.get(folded(word), set()) - {word})
    return garbled / max(sum(counts.values()), 1)


def folded(word: str) -> str:
    """The word with everything that scanners confuse made one."""
    for pair, letter in CONFUSED:
        word = word.replace(pair, letter)
    return word.translate(LOOK_ALIKES)


GARBLED = 0.003  # the share of such words from which on texts are scans
NUMBERS = -0.05  # by how much numbers agree less than words
APART = 0.1  # by how much more where a stricter plan drops a pair
FEWEST_NUMBERS, FEWEST_WITH_NUMBERS = 3, 30
MOST_PAIRS = 600


def number_gap(texts: list[str], left: Ints, right: Ints, seed: int) -> float | None:
    """By how much the numbers of these pairs agree more than their words, on average."""
    rows = np.arange(len(left))
    if len(rows) > MOST_PAIRS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_PAIRS, replace=False))
    gaps = []
    for one, other in zip(left[rows].tolist(), right[rows].tolist(), strict=True):
        (words, numbers), (others, other_numbers) = (_parts(texts[d]) for d in (one, other))
        if min(len(numbers), len(other_numbers)) >= FEWEST_NUMBERS:
            gaps.append(_contained(numbers, other_numbers) - _contained(words, others))
    return float(np.mean(gaps)) if len(gaps) >= FEWEST_WITH_NUMBERS else None


def told_apart(texts: list[str], near: Neighbours, kept: NDArray[np.bool_], seed: int) -> bool:
    """Whether pairs that a stricter plan drops differ in their numbers, and those it keeps do not.

    Then it drops forms and versions with other facts. Copies that were edited more lose words and
    numbers alike.
    """
    gaps = [number_gap(texts, near.left[part], near.right[part], seed) for part in (kept, ~kept)]
    if gaps[0] is None or gaps[1] is None:
        return False
    return gaps[0] - gaps[1] >= APART


def also_in(near: Neighbours, other: Neighbours, threshold: float) -> NDArray[np.bool_]:
    """Which pairs reach a threshold in another view as well."""
    reach = other.score >= threshold
    keys = near.left << 32 | near.right
    return np.isin(keys, (other.left << 32 | other.right)[reach])


def _parts(text: str) -> tuple[set[str], set[str]]:
    words = set(WORD.findall(text.lower()))
    return {word for word in words if word.isalpha()}, {word for word in words if word.isdigit()}


def _contained(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(min(len(a), len(b)), 1)
