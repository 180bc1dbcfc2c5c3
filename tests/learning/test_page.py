"""The page on learning shows what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from twinset.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "learn.md"
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def printed(command: str) -> str:
    done = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="twinset")
    assert done.exit_code == 0, done.output
    return done.stdout


def replayed(block: str) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{printed(line[2:])}" for line in commands)


def test_the_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        assert replayed(block) == block
