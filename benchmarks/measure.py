"""Wall time, CPU time and peak memory of a command, with all processes that it leaves behind.

The command is started by a second, tiny Python: Linux counts the memory of the process that calls
``exec`` into the peak of the new one, so a launcher that holds tables would be charged to whatever
it starts. Run as a script, this file is that launcher. Some processes outlive the command that
began them (Spark's do): the launcher is made the reaper of all (Linux), so that the kernel's own
account of its children is complete.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl
EVERY = 0.2  # seconds between two looks at the memory


@dataclass(frozen=True)
class Cost:
    """What a command and all that it started took.

    ``peak_mb`` is the largest single process. With a look at the whole tree ``peaks_mb`` has the
    largest process of each program, ``together_mb`` the most that all had at one time.
    """

    wall: float
    cpu: float
    peak_mb: float
    peaks_mb: dict[str, float]
    together_mb: float
    code: int
    output: str
    errors: str

    @property
    def finished(self) -> bool:
        return self.code == 0


def measure(
    command: Sequence[str | Path],
    timeout: int = 1800,
    environment: Mapping[str, str] | None = None,
    *,
    tree: bool = False,
) -> Cost:
    """Run a command to its end or to the time limit (in seconds)."""
    with tempfile.TemporaryDirectory(prefix="measure-") as folder:
        account = Path(folder, "account.json")
        start = [sys.executable, "-I", "-S", __file__, str(account), str(timeout), str(int(tree))]
        own = {**os.environ, **(environment or {})}
        done = subprocess.run([*start, *map(str, command)], capture_output=True, env=own)
        if not account.exists():
            raise SystemExit(f"cannot start {command[0]}: {done.stderr.decode()[-500:]}")
        told = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        output, errors = told
        return Cost(**json.loads(account.read_text()), output=output, errors=errors)


def launch(account: str, timeout: int, tree: bool, command: list[str]) -> None:
    """Start the command, wait for it and for all that it leaves, write the account."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    peaks, together = dict[str, float](), [0.0]
    begun = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
    if tree:
        threading.Thread(target=_watch, args=(peaks, together), daemon=True).start()
    signal.signal(signal.SIGALRM, lambda *_: _end(child))
    signal.alarm(timeout)
    code, wall = 0, 0.0
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.wait()
            if pid == child:
                code, wall = os.waitstatus_to_exitcode(status), time.perf_counter() - begun
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    numbers = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024),
        "peaks_mb": {program: round(peak) for program, peak in peaks.items()},
        "together_mb": round(together[0]),
        "code": code,
    }
    with open(account, "w", encoding="utf-8") as file:
        json.dump(numbers, file)


def _end(child: int) -> None:
    """End the command's group and whatever has left it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    for pid in _look({}) if sys.platform == "linux" else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _watch(peaks: dict[str, float], together: list[float]) -> None:
    while True:
        together[0] = max(together[0], sum(_look(peaks).values()))
        time.sleep(EVERY)


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


if __name__ == "__main__":
    launch(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4:])
