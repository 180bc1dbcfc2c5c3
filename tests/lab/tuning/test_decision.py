"""The table of rules: which evidence leads to which plan, and what stops a plan."""

from __future__ import annotations

import dataclasses

import pytest

from twinset.lab.tuning.decision import Facts, decide
from twinset.lab.tuning.plans import DEFAULT, PRESET, STRICT
from twinset.lab.tuning.relation import PairLevel


def level(threshold=0.54, pairs=500, cohesion=0.95, crowd=2.0):
    return PairLevel(threshold, float(pairs), pairs, cohesion, crowd)


PLAIN = Facts(1000, preset=level(), higher=level(0.66, 450), cleared=level(), settled=level())
CROWDED = level(pairs=50_000, cohesion=0.12, crowd=140)
CHAINED = level(pairs=600, cohesion=0.7, crowd=8)
CHARACTERS = level(0.46, 900)


@pytest.mark.parametrize(
    ("changes", "rule", "name", "threshold", "ask"),
    [
        ({}, "preset", "preset", PRESET.threshold, False),
        ({"documents": 99}, "few", "preset", PRESET.threshold, True),
        ({"preset": level(pairs=29), "settled": None}, "few", "preset", PRESET.threshold, True),
        ({"preset": CROWDED}, "crowds", "strict", STRICT.threshold, True),
        ({"numbers": True}, "numbers", "preset", PRESET.threshold, True),
        ({"scans": True, "characters": CHARACTERS}, "scans", "characters", 0.46, False),
        # Not garbled enough for words to miss what characters find.
        (
            {"scans": True, "characters": level(0.46, 550)},
            "preset",
            "preset",
            PRESET.threshold,
            False,
        ),
        (
            {"preset": CHAINED, "higher": level(0.66), "cleared": level(0.7)},
            "chains",
            "raised",
            0.7,
            True,
        ),
        (
            {"preset": CHAINED, "higher": level(0.66), "cleared": None},
            "chains",
            "raised",
            0.8,
            True,
        ),
        # Copies that are far from each other: a higher threshold breaks them up still more.
        (
            {"preset": CHAINED, "higher": level(0.66, 300, 0.6), "settled": CHAINED},
            "preset",
            "preset",
            PRESET.threshold,
            False,
        ),
        ({"settled": level(0.46, 800)}, "scattered", "lowered", 0.46, False),
        ({"settled": level(0.26, 1400)}, "scattered", "lowered", 0.4, False),
        ({"settled": level(0.46, 600)}, "preset", "preset", PRESET.threshold, False),
        ({"settled": level(0.3, 9000, 0.7)}, "preset", "preset", PRESET.threshold, False),
    ],
)
def test_the_first_rule_that_holds_decides(changes, rule, name, threshold, ask):
    facts = dataclasses.replace(PLAIN, **changes)
    decision = decide(facts, lambda choice: 1.0, lambda choice: facts.settled or facts.preset)
    assert (decision.rule.name, decision.choice.name) == (rule, name)
    assert decision.choice.threshold == threshold
    assert decision.ask is ask
    assert not decision.refused


@pytest.mark.parametrize(("light", "stays"), [(0.95, False), (0.949, True), (0.02, True)])
def test_what_misses_light_edits_is_never_chosen(light, stays):
    facts = dataclasses.replace(PLAIN, preset=CROWDED)
    shares = {"preset": 1.0, "strict": light}
    decision = decide(facts, lambda choice: shares[choice.name], lambda choice: level(0.75))
    assert (decision.choice == PRESET) is stays
    assert ("would miss light edits" in decision.why) is stays
    assert decision.ask


def test_more_pairs_must_agree_as_well_as_those_of_the_preset():
    facts = dataclasses.replace(PLAIN, settled=level(0.3, 9000))
    worse = level(0.4, 5000, cohesion=0.5)
    decision = decide(facts, lambda choice: 1.0, lambda choice: worse)
    assert decision.choice == PRESET
    assert decision.ask
    assert "contradict each other" in decision.why


def test_the_preset_is_the_registered_one():
    import twinset

    plan = twinset.Plan.make(preset="text")
    assert PRESET.applied(twinset.Plan()).method == plan.method
    assert PRESET.threshold == plan.threshold
    assert DEFAULT.applied(twinset.Plan()) == twinset.Plan()
