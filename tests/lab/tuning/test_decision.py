"""The table of rules: which evidence leads to which plan, and what stops a plan."""

from __future__ import annotations

import pytest

import twinset
from twinset.lab.decision import DEFAULT, PRESET, PRESET_PLAN, RULES, Facts, decide
from twinset.lab.views import PairLevel, Relation
from twinset.pages.language import LANGUAGES, has_sentence


def words(pairs, cohesion):
    """Levels from 0.3 to 0.96; ``pairs`` and ``cohesion`` are functions of the threshold."""
    thresholds = [round(0.3 + 0.02 * step, 2) for step in range(34)]
    return Relation(
        tuple(
            PairLevel(each, float(pairs(each)), int(pairs(each)), cohesion(each))
            for each in thresholds
        )
    )


def falling(threshold):
    return round(500 - 10 * threshold)


def even(threshold):
    """Copies at every similarity, and none by chance."""
    return round(1000 * (1 - threshold))


ALIKE = {"pairs": falling, "cohesion": lambda t: 0.97}
CASES = {
    "nothing to say": (ALIKE, {}, "preset", 0.54, False),
    "no pairs": ({**ALIKE, "pairs": lambda t: 29}, {}, "few", 0.54, True),
    "just enough pairs": ({**ALIKE, "pairs": lambda t: 30}, {}, "preset", 0.54, False),
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
    "frames": (
        {"pairs": even, "cohesion": lambda t: 0.7},
        {"frameless": words(**ALIKE)},
        "frames",
        0.54,
        True,
    ),
    "as torn without repeated paragraphs": (
        {"pairs": even, "cohesion": lambda t: 0.7},
        {"frameless": words(pairs=even, cohesion=lambda t: 0.89)},
        "torn",
        0.54,
        True,
    ),
    "other numbers": (ALIKE, {"numbers": True}, "numbers", 0.54, True),
    "other numbers, told apart": (ALIKE, {"told_apart": True}, "facts", DEFAULT.threshold, True),
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
    decision = decide(Facts(words(**levels), **facts), lambda choice: 1.0)
    assert (decision.rule.name, decision.choice.threshold) == (rule, threshold)
    assert decision.ask is ask
    assert not decision.refused


@pytest.mark.parametrize(("light", "stays"), [(0.95, False), (0.949, True), (0.02, True)])
def test_what_misses_light_edits_is_never_chosen(light, stays):
    shares = {"preset": 1.0, "default": light}
    decision = decide(Facts(words(**ALIKE), told_apart=True), lambda choice: shares[choice.name])
    assert (decision.choice == PRESET) is stays
    assert ("would miss light edits" in decision.why) is stays
    assert decision.ask


def test_the_preset_is_the_registered_one():
    plain = twinset.Plan.make(forms=PRESET_PLAN.forms)
    assert PRESET.applied(plain, keeps=False) == twinset.Plan.make(preset="text")
    assert PRESET.applied(twinset.Plan()).keep == twinset.Plan().keep
    assert DEFAULT.applied(twinset.Plan()) == twinset.Plan()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_a_sentence_for_every_rule(language):
    assert all(has_sentence(language, f"tuning.rule_{rule.name}") for rule in RULES)
