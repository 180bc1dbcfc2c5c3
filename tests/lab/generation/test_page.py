"""The page about generating: its output and its table are those of the program."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import pytest

from tests.lab.generation.test_collection import rows
from twinset.lab.recipe import Recipe
from twinset.plan import spec as parts

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how-to" / "generate.md").read_text(encoding="utf-8")


def test_the_page_names_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from twinset.cli import app

    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    command = re.search(r"^\$ twinset (generate .*)$", PAGE, re.MULTILINE)
    assert command is not None
    done = CliRunner().invoke(app, shlex.split(command[1]), prog_name="twinset")
    assert done.exit_code == 0, done.output
    files = {path.name for path in (tmp_path / "made").iterdir()}
    assert all(f"`{name}`" in PAGE for name in files)
    assert len(rows(tmp_path / "made" / "truth.csv")) == 120


def test_the_table_names_every_operation_with_its_parameters() -> None:
    lines = {match[1]: match[0] for match in re.finditer(r"^\| `([a-z-]+):.*$", PAGE, re.MULTILINE)}
    assert set(lines) == set(parts.names("operation"))
    for name, line in lines.items():
        fields = dataclasses.fields(parts.load("operation", name))
        assert all(f"`{field.name}`" in line for field in fields), name
        spec = re.search(r"`([^`]*)`", line)
        assert spec is not None
        (shown,) = Recipe.parse([spec[1]]).operations
        assert shown == Recipe.parse([name]).operations[0], "the page shows the defaults"


def test_the_recipe_on_the_page_is_one(tmp_path: Path) -> None:
    recipe = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert recipe is not None
    (tmp_path / "edits.toml").write_text(recipe[1], encoding="utf-8")
    assert Recipe.load(tmp_path / "edits.toml").names == (
        "delete-paragraphs",
        "replace-characters",
    )
