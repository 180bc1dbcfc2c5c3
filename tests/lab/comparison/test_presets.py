"""Presets beside methods in a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

import twinset
from tests.lab.comparison.test_compare import collection
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


def test_a_preset_finds_in_a_comparison_what_it_finds_alone(tmp_path: Path) -> None:
    texts = dict(list(collection().items())[:40])
    result = twinset.compare(texts, "preset:text,md5", folder=tmp_path / "out")
    rows = {row["name"]: row["pairs"] for row in result.table.to_pylist()}
    assert rows == {
        "preset:text": twinset.find(texts, preset="text").pairs.num_rows,
        "md5": twinset.find(texts, method="md5").pairs.num_rows,
    }
    assert "preset:text" in (tmp_path / "out" / "experiment.html").read_text(encoding="utf-8")
