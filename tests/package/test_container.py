"""The container is made of what is here, and starts what there is."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.package.conftest import ROOT
from twinset.cli import app

Instruction = tuple[str, str]


@pytest.fixture(scope="module")
def instructions() -> list[Instruction]:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pairs = [line.partition(" ") for line in lines]
    return [(name, rest) for name, _, rest in pairs]


def copied(instructions: list[Instruction]) -> list[tuple[list[str], str]]:
    """What is taken from the clone, and where it goes."""
    words = [shlex.split(rest) for name, rest in instructions if name == "COPY"]
    return [(names[:-1], names[-1]) for names in words if not names[0].startswith("--from")]


def test_the_files_that_are_copied_make_the_package(
    instructions: list[Instruction], tmp_path: Path
) -> None:
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for names, place in copied(instructions):
        for name in names:
            assert f"!{name}" in allowed
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tmp_path / place)
            else:
                shutil.copy(ROOT / name, tmp_path / place)
    program = "from scikit_build_core.build import *; prepare_metadata_for_build_wheel('.')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (metadata,) = tmp_path.glob("twinset-*.dist-info/METADATA")
    assert "Provides-Extra: all" in metadata.read_text(encoding="utf-8")


def test_the_container_starts_a_command_that_there_is(instructions: list[Instruction]) -> None:
    last = dict(instructions)  # of several instructions of a kind, the last one counts
    assert json.loads(last["ENTRYPOINT"]) == ["twinset"]
    start = json.loads(last["CMD"])
    assert CliRunner().invoke(app, [*start, "--help"]).exit_code == 0
    assert CliRunner().invoke(app, [*start, "--no-such-option"]).exit_code == 2
    for option in (word for word in start if word.startswith("--")):
        assert option in CliRunner().invoke(app, [start[0], "--help"]).stdout


def test_what_runs_is_a_user_without_rights_and_has_no_compiler(
    instructions: list[Instruction],
) -> None:
    stages = [number for number, (name, _) in enumerate(instructions) if name == "FROM"]
    final = instructions[stages[-1] :]
    names = [name for name, _ in final]
    assert names.index("USER") > max(n for n, name in enumerate(names) if name in ("RUN", "COPY"))
    assert dict(final)["USER"] not in ("root", "0")
    assert not any("g++" in rest or "apt-get" in rest for _, rest in final)
