"""A small collection and the command line as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from twinset.cli import GROUPS, app

WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty "
)
Twinset = Callable[..., subprocess.CompletedProcess[str]]
COMMAND = [sys.executable, "-c", "from twinset.cli import main; main()"]


def command_at(path: str) -> Any:
    """A command by the words that it is called with."""
    command: Any = app
    for name in path.split():
        command = command.get_command(None, name)
    return command


def command_paths(group: Any = app, before: str = "") -> list[str]:
    """The words of every command, those inside groups among them."""
    paths: list[str] = []
    for name in group.list_commands(None):
        inner = group.get_command(None, name) if name in GROUPS else None
        paths += [f"{before}{name}"] if inner is None else command_paths(inner, f"{before}{name} ")
    return paths


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two equal documents, one near them, one other, one hostile."""
    texts = {
        "a": WORDS * 3 + "end",
        "b": WORDS * 3 + "end",
        "c": WORDS * 3 + "finish",
        "d": "something else entirely that has nothing in common with the others at all",
        "e": "\x1b[31mred\x1b[0m " + WORDS[::-1],
    }
    path = tmp_path / "corpus.jsonl"
    lines = (json.dumps({"id": id, "text": text}) for id, text in texts.items())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def twinset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Twinset:
    """Runs the command line in the temporary folder, within this process: imports cost time."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        result = CliRunner().invoke(app, [*map(str, arguments)], prog_name="twinset")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(
            arguments, result.exit_code, result.stdout, result.stderr
        )

    return run


@pytest.fixture
def report(corpus: Path, twinset: Twinset, tmp_path: Path) -> Path:
    """A report over the collection."""
    done = twinset("find", corpus, "-o", "report", "-t", "0.5", "--exact", "-q")
    assert done.returncode == 0, done.stderr
    return tmp_path / "report"
