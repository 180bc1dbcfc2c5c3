"""How the process of a command ends: all is written and done, and nothing is taken apart."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import atexit, sys, twinset.cli
from twinset.__main__ import main

class Loaded:
    def __del__(self):
        print("taken apart")

loaded = Loaded()
loaded.itself = loaded

def run():
    atexit.register(print, "done at the end")
    print("written", end=" ")
    {ending}

twinset.cli.main = run
main()
"""


@pytest.mark.parametrize(("ending", "status"), [("pass", 0), ("sys.exit(3)", 3)])
def test_a_command_ends_when_all_is_written_and_done(ending: str, status: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(ending=ending)], capture_output=True, text=True
    )
    assert (run.stdout, run.stderr, run.returncode) == ("written done at the end\n", "", status)


def test_a_fault_is_shown_and_ends_python_as_usual() -> None:
    code = CODE.format(ending="raise ValueError('a fault')")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "written done at the end\ntaken apart\n"
    assert run.stderr.rstrip().endswith("a fault")
    assert run.returncode == 1
