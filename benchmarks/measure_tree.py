"""Wall time, CPU time and peak memory of a command with all processes that it leaves behind.

Spark starts a JVM, which starts a process of Python, which starts others; some of them outlive the
command that began it. The launcher is made the reaper of all of them (Linux), so that the kernel's
own account of its children is complete. Peaks are those that the kernel has noted for each process
(``VmHWM``), by what runs in it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl."""
EVERY = 0.2
"""Seconds between two looks at the memory."""


@dataclass(frozen=True)
class TreeCost:
    """What a command and all that it started took.

    ``peaks_mb`` has the largest process of each program, ``together_mb`` the most that all
    processes had at one time.
    """

    wall: float
    cpu: float
    peaks_mb: dict[str, float]
    together_mb: float
    code: int
    output: str
    errors: str

    @property
    def finished(self) -> bool:
        """Whether it came to its end without a fault."""
        return self.code == 0


def measure_tree(
    command: Sequence[str | Path],
    timeout: int = 1800,
    environment: Mapping[str, str] | None = None,
) -> TreeCost:
    """Run a command to its end or to the time limit (in seconds)."""
    from measure import account_of  # the launcher finds no modules

    return TreeCost(**account_of(__file__, command, timeout, environment))


def launch(account: str, timeout: int, command: list[str]) -> None:
    """Start the command, wait for it and for all that it leaves, write the account."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    begun = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    code, wall, together, peaks = None, 0.0, 0.0, dict[str, float]()
    while True:
        sizes = _look(peaks)
        together = max(together, sum(sizes.values()))
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == child:
            code, wall = os.waitstatus_to_exitcode(status), time.perf_counter() - begun
        if time.perf_counter() - begun > timeout:
            for pid in sizes:
                _kill(pid)
        if pid == 0:
            time.sleep(EVERY)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    numbers = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peaks_mb": {program: round(peak) for program, peak in peaks.items()},
        "together_mb": round(together),
        "code": code,
    }
    with open(account, "w", encoding="utf-8") as file:
        json.dump(numbers, file)


def _look(peaks: dict[str, float]) -> dict[int, float]:
    """The memory of every process below this one, in MB; their peaks so far are noted."""
    parents, facts = dict[int, int](), dict[int, dict[str, str]]()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue
        parents[int(name)], facts[int(name)] = int(lines["PPid"]), lines
    sizes = {}
    for pid, lines in facts.items():
        if pid != os.getpid() and _is_below(pid, parents) and "VmRSS" in lines:
            sizes[pid] = int(lines["VmRSS"].split()[0]) / 1024
            program, peak = lines["Name"].strip(), int(lines["VmHWM"].split()[0]) / 1024
            peaks[program] = max(peaks.get(program, 0.0), peak)
    return sizes


def _is_below(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != os.getpid():
        pid = parents[pid]
    return pid == os.getpid()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    launch(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
