"""Wall time, CPU time and peak memory of one command, taken from the kernel's own accounts.

The command is started by a second, tiny Python: Linux counts the memory of the process that calls
``exec`` into the peak of the new one, so a launcher that holds tables would be charged to whatever
it starts. Run as a script, this file is that launcher.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cost:
    """What a command took; ``peak_mb`` is its largest single process."""

    wall: float
    cpu: float
    peak_mb: float
    code: int
    output: str
    errors: str

    @property
    def finished(self) -> bool:
        """Whether it came to its end without a fault."""
        return self.code == 0


def measure(command: Sequence[str | Path], timeout: int = 1800) -> Cost:
    """Run a command to its end or to the time limit (in seconds)."""
    return Cost(**account_of(__file__, command, timeout))


def account_of(
    launcher: str,
    command: Sequence[str | Path],
    timeout: int,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a launcher, a script, notes of a command, and what the command has printed."""
    with tempfile.TemporaryDirectory(prefix="measure-") as folder:
        account = Path(folder, "account.json")
        start = [sys.executable, "-I", "-S", launcher, str(account), str(timeout)]
        own = {**os.environ, **(environment or {})}
        done = subprocess.run([*start, *map(str, command)], capture_output=True, env=own)
        if not account.exists():
            raise SystemExit(f"cannot start {command[0]}: {done.stderr.decode()[-500:]}")
        numbers: dict[str, Any] = json.loads(account.read_text())
    told = {"output": done.stdout, "errors": done.stderr}
    return numbers | {name: text.decode(errors="replace") for name, text in told.items()}


def launch(account: str, timeout: int, command: list[str]) -> None:
    """Start the command in a process group of its own, wait for it, write its account."""
    begun = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(timeout)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - begun
    numbers = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024),
        "code": os.waitstatus_to_exitcode(status),
    }
    with open(account, "w", encoding="utf-8") as file:
        json.dump(numbers, file)


if __name__ == "__main__":
    launch(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
