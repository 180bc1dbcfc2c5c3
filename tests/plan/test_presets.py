"""Presets: plans with a name."""

from __future__ import annotations

from typing import Any

import pytest

import twinset
from twinset.plan import Plan, presets

TEXTS = ["the same words here again", "The same words, here again!", "others"]


@pytest.mark.parametrize("name", presets())
def test_every_preset_runs_and_leaves_its_name_in_the_manifest(name: str) -> None:
    findings = twinset.find(TEXTS, preset=name)
    assert [(row["left"], row["right"]) for row in findings.pairs.to_pylist()] == [("0", "1")]
    plan = findings.manifest["plan"]
    assert plan["preset"] == name
    again = Plan.from_dict(plan)
    assert again == Plan.make(preset=name, keep=again.keep)
    assert again.preset == name


@pytest.mark.parametrize("name", presets())
def test_a_preset_is_the_plan_of_its_options(name: str) -> None:
    preset = presets()[name]
    assert Plan.make(preset=name) == Plan.make(**preset.options)
    assert Plan.make(preset=name).preset == name
    assert preset.use
    assert preset.avoid
    assert preset.reason.endswith(".")


def test_options_beside_a_preset_win() -> None:
    plan = Plan.make(preset="text", threshold=0.7, keep="first", clusters="components")
    assert (plan.threshold, plan.preset) == (0.7, "text")
    assert plan.method == Plan.make(preset="text").method
    assert plan.changes()["threshold"] == 0.7
    assert plan.changes()["keep"] == "first"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"method": "minhash"}, "the option method"),
        ({"plan": "plan.toml"}, "a plan file"),
        ({"exact": True}, "the option exact"),
    ],
)
def test_a_preset_beside_another_method_is_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(twinset.PlanError) as caught:
        Plan.make(preset="text", **given)
    assert caught.value.faults == [
        f"the preset text says which method to use, and so does {named}: leave one of them out"
    ]


def test_another_method_takes_the_name_away() -> None:
    named = Plan.make(preset="text")
    assert Plan.make(plan=named, threshold=0.6).preset == "text"
    assert Plan.make(plan=named, method="minhash").preset is None
    assert Plan.make(plan=named, exact=True).preset is None
