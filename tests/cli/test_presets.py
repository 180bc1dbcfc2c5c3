"""``twinset list presets`` and ``--preset``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Twinset
from twinset.plan import Plan, presets


def test_presets_are_listed_with_their_use(twinset: Twinset) -> None:
    shown = twinset("list", "presets").stdout
    for name, preset in presets().items():
        assert f"{name} " in shown
        assert preset.use in shown


@pytest.mark.parametrize("name", presets())
def test_one_preset_is_printed_as_a_plan_file(twinset: Twinset, name: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(twinset("list", "presets", name).stdout, encoding="utf-8")
    assert Plan.make(plan=file) == Plan.make(preset=name)


def test_presets_as_json(twinset: Twinset) -> None:
    described = json.loads(twinset("list", "presets", "text", "--json").stdout)["text"]
    assert described["plan"] == Plan.make(preset="text").as_dict()
