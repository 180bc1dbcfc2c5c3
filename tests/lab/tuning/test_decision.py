"""The table of rules: which evidence leads to which plan, and what stops a plan."""

from __future__ import annotations

import pytest

import twinset
from twinset.lab.decision import DEFAULT, PRESET, RULES, STRICT, Facts, decide
from twinset.lab.views import PairLevel, Relation
from twinset.pages.language import LANGUAGES, has_sentence


def words(pairs, cohesion, crowd=2.0):
    """Levels from 0.3 to 0.96; ``pairs`` and ``cohesion`` are functions of the threshold."""
    thresholds = [round(0.3 + 0.02 * step, 2) for step in range(34)]
    return Relation(
        tuple(
            PairLevel(each, float(pairs(each)), int(pairs(each)), cohesion(each), crowd)
            for each in thresholds
        )
    )


def falling(threshold):
    return round(500 - 10 * threshold)


def even(threshold):
    """Copies at every similarity, and none by chance."""
    return round(1000 * (1 - threshold))


def background(threshold):
    """Pairs by chance, ever fewer, below some copies."""
    return round(300 + 1_000_000 * 0.5 ** (threshold / 0.04))


PASSAGES = words(falling, lambda t: 0.6)
ALIKE = {"pairs": falling, "cohesion": lambda t: 0.97}
CASES = {
    "nothing to say": (ALIKE, {}, "preset", 0.54, False),
    "no pairs": ({**ALIKE, "pairs": lambda t: 29}, {}, "few", 0.54, True),
    "just enough pairs": ({**ALIKE, "pairs": lambda t: 30}, {}, "preset", 0.54, False),
    "forms": (
        {"pairs": even, "cohesion": lambda t: 0.1, "crowd": 20.0},
        {},
        "crowds",
        STRICT.threshold,
        True,
    ),
    "a crowd of copies that a strict plan tears apart": (
        {"pairs": even, "cohesion": lambda t: 0.58, "crowd": 40.0},
        {},
        "torn",
        0.54,
        True,
    ),
    "chance makes chains": (
        {"pairs": even, "cohesion": lambda t: 1.0 if t > 0.62 else 0.95 if t > 0.6 else 0.4},
        {},
        "chains",
        0.64,
        True,
    ),
    # The same cohesion, and every pair above is lost for nothing.
    "versions that drift apart": (
        {"pairs": even, "cohesion": lambda t: 0.7},
        {},
        "torn",
        0.54,
        True,
    ),
    "copies below": ({"pairs": even, "cohesion": lambda t: 0.95}, {}, "scattered", 0.4, False),
    "copies down to somewhere": (
        {"pairs": even, "cohesion": lambda t: 0.95 if t >= 0.46 else 0.89},
        {},
        "scattered",
        0.46,
        False,
    ),
    "chance below": ({"pairs": background, "cohesion": lambda t: 0.99}, {}, "preset", 0.54, False),
    "other numbers": (ALIKE, {"numbers": True}, "numbers", 0.54, True),
    "other numbers, told apart": (ALIKE, {"told_apart": True}, "facts", DEFAULT.threshold, True),
    "scans": (ALIKE, {"characters": words(even, lambda t: 0.95)}, "scans", 0.4, False),
    "scans that words reach as well": (
        ALIKE,
        {"characters": words(lambda t: 400 * (t < 0.6), lambda t: 0.95)},
        "preset",
        0.54,
        False,
    ),
    "scans of which words reach nothing": (
        {**ALIKE, "pairs": lambda t: 3},
        {"characters": words(even, lambda t: 0.95 if t >= 0.5 else 0.5)},
        "scans",
        0.5,
        False,
    ),
    "contradictions come first": (
        {"pairs": even, "cohesion": lambda t: 0.7},
        {"told_apart": True},
        "torn",
        0.54,
        True,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_first_rule_that_holds_decides(name):
    levels, facts, rule, threshold, ask = CASES[name]
    decision = decide(Facts(words(**levels), PASSAGES, **facts), lambda choice: 1.0)
    assert (decision.rule.name, decision.choice.threshold) == (rule, threshold)
    assert decision.ask is ask
    assert not decision.refused


@pytest.mark.parametrize(("light", "stays"), [(0.95, False), (0.949, True), (0.02, True)])
def test_what_misses_light_edits_is_never_chosen(light, stays):
    facts = Facts(words(even, lambda t: 0.1, 40.0), PASSAGES)
    shares = {"preset": 1.0, "strict": light}
    decision = decide(facts, lambda choice: shares[choice.name])
    assert (decision.choice == PRESET) is stays
    assert ("would miss light edits" in decision.why) is stays
    assert decision.ask


def test_the_preset_is_the_registered_one():
    plan = twinset.Plan.make(preset="text")
    assert PRESET.applied(twinset.Plan(), keeps=False) == plan
    assert PRESET.applied(twinset.Plan()).keep == twinset.Plan().keep
    assert DEFAULT.applied(twinset.Plan()) == twinset.Plan()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_a_sentence_for_every_rule(language):
    assert all(has_sentence(language, f"tuning.rule_{rule.name}") for rule in RULES)
