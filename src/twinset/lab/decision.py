"""Which plan the evidence speaks for.

The preset bends by itself, to scans and to crowds of look-alikes; a table of rules says where
another threshold or the default is better, and the first that holds decides. The preset needs no
evidence, everything else does. Whatever a rule chooses must also find the light edits that the
preset finds, or the preset stays. Every number of the table is a field of `Limits`.

What to expect of a precision is said only where there is evidence for it. A wrong pair contradicts
others as soon as one of its documents has a true copy. So the precision is about the cohesion; a
tenth of the pairs may be wrong that no third document contradicts. Nothing follows where pairs
contradict each other, since copies that drift apart do so as well, nor where similar documents
differ in their numbers, which are wrong pairs that agree.
"""

from __future__ import annotations

import collections
import re
import unicodedata
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.finding.methods.tfidfcosine import TfidfCosine
from twinset.lab.pairs import wilson
from twinset.lab.views import Estimate, Neighbours, PairLevel, Relation, TermView
from twinset.model import Floats, Ints
from twinset.plan import Keep, Method, Plan
from twinset.text.boilerplate import (
    BoilerplateCutter,
    DigestedParagraphs,
    KeyedParagraphs,
    ParagraphCounter,
)


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A view at a threshold, under the name by which `tune` speaks of it.

    The preset's ``method`` is more than a view: what lies in another document, and what bends.
    """

    name: str
    view: TermView
    threshold: float
    keep: tuple[Keep, ...] = ()
    method: Method | None = None
    drop: int | None = None  # paragraphs of more documents play no part

    def applied(self, plan: Plan, *, keeps: bool = True) -> Plan:
        """The plan with this way to compare documents; ``keeps`` leaves what it keeps as it is."""
        options = self.view.options(self.threshold)
        if self.method is not None:
            options["method"] = self.method
        if not keeps and self.keep:
            options["keep"] = self.keep
        if self.drop is not None:
            options["drop_boilerplate"] = self.drop
        return Plan.make(plan=plan, **options)

    @property
    def described(self) -> str:
        """What documents are compared by."""
        contained = getattr(self.method, "contained", 0)
        part = f" or {contained:.0%} contained" if contained else ""
        less = f", without paragraphs of more than {self.drop} documents" if self.drop else ""
        return f"{self.view.name}{part}{less}"

    @property
    def uncalmed(self) -> PlanChoice:
        """Without what stands out: nothing but a threshold and what a crowd asks for decides."""
        if not isinstance(self.method, TfidfCosine):
            return self
        return replace(self, method=replace(self.method, outstanding=0.0))

    def raised(self, threshold: float) -> PlanChoice:
        """The preset at a higher threshold: where pairs contradict each other nothing is calm."""
        return replace(self.uncalmed, name="raised", threshold=threshold)


PRESET_PLAN = Plan.make(preset="text")


def _preset(plan: Plan) -> PlanChoice:
    """The preset for texts as a view, so that its pairs can be looked at."""
    method = plan.method
    assert isinstance(method, TfidfCosine)
    view = TermView(method.unit, method.length, "cosine")
    return PlanChoice("preset", view, plan.threshold, plan.keep, method)


PRESET = _preset(PRESET_PLAN)
# What `find` goes by when nothing is said.
DEFAULT = PlanChoice("default", TermView("word", 5, "jaccard"), 0.8)
# Sites, archives and editors put a frame around texts: from three documents on it is seen. Among
# 1,145 news in frames of 2 to 9 each, the F1 of the preset is .38, and .82, .70, .41 without the
# paragraphs of more than 2, 5, 10 documents.
OFTEN = 2
FRAMELESS = replace(PRESET, name="frameless", drop=OFTEN)


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of the rules. What each rests on is in the manual."""

    fewest_pairs: int = 30
    """Fewer of the preset show nothing: a share of them is known to .2 at best."""
    cohesive: float = 0.9
    """Pairs hardly contradict each other: of ten twos that chains join, one is no pair."""
    weight: float = 3.0
    """Pairs that a contradiction weighs as much as."""
    highest: float = 0.8
    """What the threshold is raised to at most: up to .9, two collections of sixty lose by it."""
    worth: float = 0.02
    """The share of the best balance for which a threshold is not raised further."""
    tolerance: float = 0.05
    """The share of the light edits that a plan may find less than the preset."""


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a collection before a plan is chosen.

    ``words`` are the pairs of the preset at every threshold, but for those that stand out;
    ``numbers`` says that similar documents differ in their numbers more than in their words,
    ``told_apart`` that the default drops those pairs and keeps others. ``frameless`` are the pairs
    without repeated paragraphs, looked at where documents have little else in common.
    """

    words: Relation
    numbers: bool = False
    told_apart: bool = False
    frameless: Relation | None = None
    limits: Limits = LIMITS

    @property
    def preset(self) -> PairLevel:
        return self.words.at(PRESET.threshold)

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
        """The preset at the level with the best balance of those whose pairs hardly contradict
        each other; of such as are as good, the nearest."""
        limits = self.limits
        levels = [
            level
            for level in self.words.between(PRESET.threshold, limits.highest)
            if level.sampled >= limits.fewest_pairs and level.cohesion >= limits.cohesive
        ]
        best = max((level.balance(limits.weight) for level in levels), default=0.0)
        enough = (1 - limits.worth) * best
        return next(
            (
                PRESET.raised(each.threshold)
                for each in levels
                if each.balance(limits.weight) >= enough
            ),
            None,
        )

    @property
    def framed(self) -> PlanChoice | None:
        """The preset without repeated paragraphs, where pairs hardly contradict each other then."""
        if self.frameless is None:
            return None
        level = self.frameless.at(PRESET.threshold)
        return FRAMELESS if level.cohesion >= self.limits.cohesive else None


@dataclass(frozen=True, slots=True)
class Rule:
    """What is chosen, None where the rule does not hold; ``ask`` where only the owner can tell."""

    name: str
    choice: Callable[[Facts], PlanChoice | None]
    why: str
    ask: bool = False


RULES = (
    Rule(
        "few",
        lambda facts: PRESET if facts.few else None,
        "There are too few pairs to learn from, so the preset stays.",
        ask=True,
    ),
    Rule(
        "frames",
        lambda facts: facts.framed,
        "Paragraphs that three documents and more share, as the frames of sites and archives, join "
        "texts with nothing else in common: they are left out.",
        ask=True,
    ),
    Rule(
        "chains",
        lambda facts: facts.raised if facts.torn else None,
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
        f"But {choice.described} from {choice.threshold:g} on would miss light edits that the "
        "preset finds, so the preset stays."
    )
    return PlanDecision(rule, PRESET, refused)


UNSEEN = 0.1  # of the pairs may be wrong without being contradicted, or right in spite of it


def expected_precision(level: PairLevel, *, numbers: bool) -> Estimate | None:
    """From the cohesion of the pairs; None where it tells nothing."""
    if numbers or level.sampled < LIMITS.fewest_pairs or level.cohesion < LIMITS.cohesive:
        return None
    low, _ = wilson(level.cohesion - UNSEEN, level.sampled)
    _, high = wilson(min(level.cohesion + UNSEEN, 1.0), level.sampled)
    return Estimate(level.cohesion, low, high)


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
    some = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), MOST)).astype(int)]
    lengths = [len(WORD.findall(text)) for text in some]
    low, middle, high = np.percentile(lengths or [0], [5, 50, 95]).astype(int).tolist()
    return Looks(documents, (low, middle, high), _scripts(some))


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


NUMBERS = -0.05  # by how much numbers agree less than words
APART = 0.1  # by how much more where a stricter plan drops a pair,
MOSTLY = 0.75  # and of how many such pairs
FEWEST_NUMBERS, FEWEST_WITH_NUMBERS = 3, 20
MOST_PAIRS = 600


def number_gaps(texts: list[str], left: Ints, right: Ints, seed: int) -> Floats:
    """By how much the numbers of these pairs agree more than their words; none of too few pairs."""
    rows = _some(np.arange(len(left)), seed)
    ends = left[rows].tolist(), right[rows].tolist()
    parts = {row: _parts(texts[row]) for row in {*ends[0], *ends[1]}}
    gaps = []
    for one, other in zip(*ends, strict=True):
        (words, numbers), (others, other_numbers) = parts[one], parts[other]
        if min(len(numbers), len(other_numbers)) >= FEWEST_NUMBERS:
            gaps.append(_contained(numbers, other_numbers) - _contained(words, others))
    return np.array(gaps if len(gaps) >= FEWEST_WITH_NUMBERS else [])


def told_apart(texts: list[str], near: Neighbours, kept: NDArray[np.bool_], seed: int) -> bool:
    """Whether pairs that a stricter plan drops differ in their numbers, and those it keeps do not.

    Then it drops forms and versions with other facts. Copies that were edited more lose words and
    numbers alike; where there are some of them in the same folder, the preset is better.
    """
    stay, go = (
        number_gaps(texts, near.left[part], near.right[part], seed) for part in (kept, ~kept)
    )
    if not len(stay) or not len(go):
        return False
    return float((go <= stay.mean() - APART).mean()) >= MOSTLY


OWN = 0.2  # of a document's words, for what is outside of a frame to be its text
UNLIKE = 0.2  # of the twos of words of such a text, in common with another one
FRAMED = 0.2  # of all pairs, for frames to be worth leaving out,
FRAMES = 0.5  # and of those that share repeated paragraphs: copies in one frame do as well
# Of such pairs .61 to .74 are unlike in made frames, and at most .09 in seventeen collections.


def in_frames(texts: list[str], near: Neighbours, seed: int) -> bool:
    """Whether many pairs share repeated paragraphs, and what else they say has nothing in common.

    Versions of a text repeat paragraphs as well; but an edited paragraph resembles the other one,
    and a version with a paragraph more has few words of its own.
    """
    paragraphs = KeyedParagraphs.of(pa.array(texts, pa.large_string()), 1)
    with closing(ParagraphCounter()) as counter:
        counter.take(DigestedParagraphs.of(paragraphs, 1))
        cutter = BoilerplateCutter(counter.frequent(OFTEN))
    rows = _some(np.arange(len(near.left)), seed)
    if not len(cutter) or not len(rows):
        return False
    ends = near.left[rows].tolist(), near.right[rows].tolist()
    words = {row: WORD.findall(texts[row].lower()) for row in {*ends[0], *ends[1]}}
    own = {row: WORD.findall(cutter.without(texts[row]).lower()) for row in words}
    unlike = cut = 0
    for pair in zip(*ends, strict=True):
        if any(len(own[row]) == len(words[row]) for row in pair):
            continue
        cut += 1
        first, second = (set(map(" ".join, pairwise(own[row]))) for row in pair)
        unlike += _contained(first, second) <= UNLIKE and all(
            len(own[row]) > OWN * len(words[row]) for row in pair
        )
    return unlike >= max(FRAMES * cut, FRAMED * len(rows))


def also_in(near: Neighbours, other: Neighbours, threshold: float) -> NDArray[np.bool_]:
    """Which pairs reach a threshold in another view as well."""
    reach = other.score >= threshold
    keys = near.left << 32 | near.right
    return np.isin(keys, (other.left << 32 | other.right)[reach])


def _some(rows: Ints, seed: int) -> Ints:
    if len(rows) <= MOST_PAIRS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, MOST_PAIRS, replace=False))


def _parts(text: str) -> tuple[set[str], set[str]]:
    words = set(WORD.findall(text.lower()))
    return {word for word in words if word.isalpha()}, {word for word in words if word.isdigit()}


def _contained(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(min(len(a), len(b)), 1)
