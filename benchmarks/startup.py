"""What it costs to start: CPU seconds of short commands, the best of several runs each.

    python benchmarks/startup.py [RUNS]

Python and the two libraries that every run loads stand beside the commands: the rest is ours.
Bytecode is written and used, as in an ordinary installation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LINE = {"id": "a", "text": "the quick brown fox jumps over the lazy dog and runs away again"}
TWINSET = [sys.executable, "-m", "twinset"]


def cost(command: list[str], runs: int) -> tuple[float, float]:
    """CPU seconds (user and system) and megabytes at most, the least of several runs."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds, memory = [], []
    for _ in range(runs + 1):  # the first one writes the bytecode
        child = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        seconds.append(used.ru_utime + used.ru_stime)
        memory.append(used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))
    return min(seconds), min(memory)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        small, out = Path(folder) / "small.jsonl", Path(folder) / "report"
        small.write_text(json.dumps(LINE) + "\n", encoding="utf-8")
        commands = {
            "python": [sys.executable, "-c", "pass"],
            "numpy": [sys.executable, "-c", "import numpy"],
            "pyarrow": [sys.executable, "-c", "import pyarrow.compute, pyarrow.parquet"],
            "--help": [*TWINSET, "--help"],
            "find": [*TWINSET, "find", str(small), "-o", str(out), "--force"],
            "dedup": [*TWINSET, "dedup", str(small), "-o", str(out), "--force"],
            "show": [*TWINSET, "show", str(out)],
        }
        for name, command in commands.items():
            seconds, megabytes = cost(command, runs)
            print(f"{name:8} {seconds:6.3f} s {megabytes:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
