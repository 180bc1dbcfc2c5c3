"""Presets beside methods in a comparison."""

from __future__ import annotations

import pytest

import twinset
from twinset.lab.pool import method_rows

pytestmark = pytest.mark.usefixtures("runs_here")


def test_presets_are_compared_beside_methods() -> None:
    presets = "preset:text,minhash,preset:training,preset:copies"
    plans = {planned.name: planned.plan for planned in method_rows(presets, {})}
    assert list(plans) == ["preset:text", "minhash", "preset:copies"]  # training is minhash
    text = twinset.Plan.make(preset="text")
    assert (plans["preset:text"].method, plans["preset:text"].threshold) == (text.method, 0.54)
    (higher,) = method_rows(["preset:text"], {"threshold": 0.7, "shingle": 3})
    assert (higher.plan.method, higher.plan.threshold) == (text.method, 0.7)
    with pytest.raises(twinset.PlanError, match="no preset 'txt'; did you mean 'text'"):
        method_rows("preset:txt", {})
