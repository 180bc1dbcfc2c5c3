"""Our miners beside pyfim's fpgrowth, eclat and ista on the public FIMI sets, in one run.

    python benchmarks/mine_speed.py FOLDER [--json results/mine_speed.json]

FOLDER holds mushroom.dat.gz, chess.dat.gz and retail.dat.gz. Two times, CPU seconds, best of three:
the whole process (read, mine, write: ``twinset lab mine`` against a script with pyfim that writes
the same lines), and the mining alone. A miner that takes longer than the limit has no time.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from twinset.finding.clusters.mine import ALGORITHMS
from twinset.finding.clusters.mine.fimi import read_fimi
from twinset.finding.clusters.mine.miners import choose, load

CASES = [("mushroom", 82), ("chess", 1598), ("retail", 18)]
PEERS = ("fpgrowth", "eclat", "ista")
BEST_OF = 3
LIMIT = 15
"""Seconds on the clock that a miner may take."""
READING = """
import gzip, sys, time, fim
with gzip.open(sys.argv[1], "rt") as lines:
    rows = [[int(word) for word in line.split()] for line in lines]
begin = time.process_time()
sets = getattr(fim, sys.argv[2])(
    rows, target=sys.argv[3], supp=-int(sys.argv[4]), zmin=1, report="a"
)
"""
MINING = READING + "print(time.process_time() - begin)"
SCRIPT = (
    READING
    + """
sys.stdout.writelines(" ".join(map(str, [*sorted(items), n])) + "\\n" for items, n in sets)
"""
)


def process_seconds(command: list[str]) -> float | None:
    """CPU seconds of a process and its children, best of several; None above the limit."""
    best = float("inf")
    for _ in range(BEST_OF):
        before = os.times()
        try:
            subprocess.run(
                command,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            return None
        after = os.times()
        spent = after.children_user + after.children_system
        best = min(best, spent - before.children_user - before.children_system)
    return round(best, 3)


def seconds_of(work: Any) -> float | None:
    """CPU seconds of a call, best of several; None if it takes longer than the limit."""
    best = float("inf")
    for _ in range(BEST_OF):
        begin = time.process_time()
        signal.alarm(LIMIT)
        try:
            work()
        except TimeoutError:
            return None
        finally:
            signal.alarm(0)
        best = min(best, time.process_time() - begin)
        if best > 2:
            break
    return round(best, 3)


def peer_seconds(path: Path, name: str, target: str, support: int) -> float | None:
    """Those of a miner of pyfim, in a process of its own: it cannot be interrupted."""
    command = [sys.executable, "-c", MINING, str(path), name, target, str(support)]
    best = float("inf")
    for _ in range(BEST_OF):
        try:
            run = subprocess.run(command, check=True, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None
        best = min(best, float(run.stdout))
    return round(best, 3)


def _give_up(number: int, frame: Any) -> None:
    raise TimeoutError


def measure(path: Path, support: int, kind: Any) -> dict[str, Any]:
    """All times of one file, support and kind."""
    table = read_fimi(path).table
    target = kind[0]
    chosen, _ = choose(table, support, kind)
    figures: dict[str, Any] = {"file": path.name, "support": support, "kind": kind, "auto": chosen}
    figures["sets"] = len(load(chosen, kind)(table, support, kind))
    mining: dict[str, float | None] = {}
    for name, algorithm in ALGORITHMS.items():
        if kind in algorithm.kinds and not algorithm.needs_pyfim:
            miner = load(name, kind)
            mining[name] = seconds_of(lambda: miner(table, support, kind))  # noqa: B023
    for name in PEERS:
        mining[f"pyfim {name}"] = peer_seconds(path, name, target, support)
    ours = [sys.executable, "-m", "twinset", "lab", "mine", str(path), "--support", str(support)]
    ours += ["--least-items", "1", "--quiet", *(["--closed"] if kind == "closed" else [])]
    whole = {"twinset lab mine": process_seconds(ours)}
    for name in PEERS:
        command = [sys.executable, "-c", SCRIPT, str(path), name, target, str(support)]
        whole[f"pyfim {name}"] = process_seconds(command)
    return {**figures, "mining": mining, "process": whole}


def main() -> None:
    """Measure all cases and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, _give_up)
    rows = []
    for name, support in CASES:
        for kind in ("closed", "maximal"):
            rows.append(measure(arguments.folder / f"{name}.dat.gz", support, kind))
            print(json.dumps(rows[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
