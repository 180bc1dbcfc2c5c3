"""Presets beside methods in a comparison."""

from __future__ import annotations

import pytest

import twinset
from twinset.lab.description import Description, ExperimentRow, rows_of
from twinset.lab.experiment import method_blocks

pytestmark = pytest.mark.usefixtures("runs_here")


def rows(methods: str, **plan: object) -> dict[str, ExperimentRow]:
    described = Description("methods", plan=plan, blocks=method_blocks(methods), ranked=True)
    return {row.name: row for row in rows_of(described, {})}


def test_presets_are_compared_beside_methods() -> None:
    plans = {name: row.plan for name, row in rows("preset:text,minhash,preset:copies").items()}
    assert list(plans) == ["preset:text", "minhash", "preset:copies"]
    text = twinset.Plan.make(preset="text")
    assert plans["preset:text"] == text
    higher = rows("preset:text", threshold=0.7, shingle=3)["preset:text"].plan
    assert higher is not None
    assert (higher.method, higher.threshold) == (text.method, 0.7)
    with pytest.raises(twinset.PlanError, match="no preset 'txt'; did you mean 'text'"):
        rows("minhash,preset:txt")
