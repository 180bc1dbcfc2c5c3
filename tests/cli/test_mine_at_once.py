"""The plainest ``twinset mine``: what the command prints, without loading the command line."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from twinset.cli import app
from twinset.cli.mine import command
from twinset.mine_at_once import FLAGS, NUMBERS, PlainOptions, mined_at_once, plain_options


@pytest.fixture
def table(tmp_path: Path) -> Path:
    draw = random.Random(3)
    path = tmp_path / "table.dat"
    rows = (sorted(draw.sample(range(5, 30), draw.randint(1, 12))) for _ in range(200))
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("kind", [[], ["--closed"]], ids=["maximal", "closed"])
@pytest.mark.parametrize(
    "more",
    [[], ["--quiet"], ["--least", "1"], ["--least-items", "1"], ["--least-items", "3", "-q"]],
)
def test_it_prints_what_the_command_prints(table: Path, kind: list[str], more: list[str]) -> None:
    arguments = [str(table), "--support", "9", *kind, *more]
    lines = mined_at_once(arguments)
    assert lines is not None
    process = subprocess.run(
        [sys.executable, "-m", "twinset", "mine", *arguments], capture_output=True, check=True
    )
    result = CliRunner().invoke(app, ["mine", *arguments])
    assert process.stdout == result.stdout_bytes == b"".join(lines)
    assert process.stdout.count(b"\n") > 20
    assert process.stderr.decode() == result.stderr


def test_it_loads_neither_the_command_line_nor_numpy(table: Path) -> None:
    code = (
        "import sys\nfrom twinset.__main__ import main\nmain()\n"
        "heavy = {'click', 'numpy', 'pyarrow', 'twinset.plan', 'twinset.cli'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code, "mine", str(table), "--support", "9"], check=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["t.dat"],
        ["--support", "9"],
        ["t.dat", "--support"],
        ["t.dat", "--support", "0"],
        ["t.dat", "--support", "-3"],
        ["t.dat", "--support", "٣"],
        ["t.dat", "--support", "9", "--least-items", "0"],
        ["t.dat", "u.dat", "--support", "9"],
        ["-", "--support", "9"],
        ["t.dat", "--support=9"],
        ["t.dat", "--support", "9", "--json"],
        ["t.dat", "--support", "9", "--help"],
    ],
)
def test_everything_else_is_left_to_the_command(arguments: list[str]) -> None:
    assert plain_options(arguments) is None


@pytest.mark.parametrize(
    "text",
    ["", "1 2 x\n", "1 2\n\n1 2\n", "1 1 2\n1 2\n", "1 2\n3 4\n", "# a\n1 2\n1 2\n", f"{2**63}\n"],
)
def test_a_file_to_speak_about_is_left_to_the_command(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.dat").write_text(text, "utf-8")
    assert mined_at_once([str(tmp_path / "t.dat"), "--support", "2"]) is None
    assert mined_at_once([str(tmp_path / "missing.dat"), "--support", "2"]) is None


def test_its_options_are_options_of_the_command() -> None:
    group: Any = app
    with group.make_context("twinset", ["mine"], resilient_parsing=True) as context:
        parameters = group.get_command(context, "mine").params
    by_flag = {flag: parameter.name for parameter in parameters for flag in parameter.opts}
    assert {flag: by_flag[flag] for flag in FLAGS | NUMBERS} == FLAGS | NUMBERS
    defaults = inspect.signature(command).parameters
    for name in ("least_items", "closed", "quiet"):
        assert getattr(PlainOptions(), name) == defaults[name].default


def test_a_closed_pipe_is_no_fault(table: Path) -> None:
    call = f"{sys.executable} -m twinset mine {table} --support 1 --closed -q | head -n 1"
    result = subprocess.run(["bash", "-c", f"set -o pipefail; {call}"], capture_output=True)
    assert (result.returncode, result.stderr) == (0, b"")


def test_a_full_disk_is_a_sentence(table: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb") as full:
        call = [sys.executable, "-m", "twinset", "mine", str(table), "--support", "9", "-q"]
        result = subprocess.run(call, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1
    assert result.stderr.startswith(b"twinset: the disk is full")
