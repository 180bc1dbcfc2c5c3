"""Progress: lines for logs, a bar for terminals, silence where it is wanted."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from twinset.cli.progress import Lines, duration, progress, rate


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_at_most_every_so_often() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, every=10, clock=clock)
    lines.stage("reading", 100e6)
    for _ in range(50):
        clock.now += 1
        lines.advance(1e6)
    lines.stage("comparing", None)
    lines.close()
    told = stream.getvalue().splitlines()
    assert told[0] == "reading: 10%, 1 MB/s, 1:30 min left"
    assert told[4] == "reading: 50%, 1 MB/s, 50 s left"
    assert told[5] == "reading: done in 50 s"
    assert told[6] == "comparing: done in 0.0 s"
    assert len(told) == 7


def test_unknown_totals_tell_the_rate_only() -> None:
    stream, clock = io.StringIO(), Clock()
    lines = Lines(stream, every=1, clock=clock)
    lines.stage("comparing", None)
    clock.now = 2
    lines.advance(5000)
    assert stream.getvalue() == "comparing: 2.5 k/s\n"


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.25, "0.2 s"), (42, "42 s"), (75, "1:15 min"), (3700, "1:01:40")]
)
def test_durations(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_rates() -> None:
    assert rate("reading", 5e9, 2) == "2.5 GB/s"
    assert rate("comparing", 30, 2) == "15/s"


def test_quiet_is_silent() -> None:
    assert progress(quiet=True) is None


def test_a_bar_on_a_terminal(tmp_path: Path, corpus: Path) -> None:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [*COMMAND, "find", str(corpus), "-o", "out"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    told = b""
    try:
        while piece := os.read(ours, 4096):
            told += piece
    except OSError:  # the terminal is gone with its last user
        pass
    finally:
        os.close(ours)
    assert run.wait(timeout=60) == 0
    assert b"reading" in told
    assert b"Traceback" not in told
