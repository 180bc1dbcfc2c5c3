"""Our miners beside pyfim's fpgrowth and eclat on the public FIMI sets, in one run.

    python benchmarks/mine_speed.py FOLDER [--json results/mine_speed.json]

FOLDER holds mushroom.dat.gz, chess.dat.gz and retail.dat.gz. Two times, CPU seconds, best of three:
the whole process (read, mine, write: ``twinset mine`` against a script with pyfim that writes the
same lines), and the mining alone. pyfim's ista had not finished mushroom after 9 s and is left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from twinset.clusters.mine import ALGORITHMS
from twinset.clusters.mine.auto import choose
from twinset.clusters.mine.fimi import read_fimi
from twinset.clusters.mine.mining import load

CASES = [("mushroom", 82), ("chess", 1598), ("retail", 18)]
PEERS = ("fpgrowth", "eclat")
BEST_OF = 3
LIMIT = 15
"""Seconds on the clock that a miner may take."""
SCRIPT = """
import gzip, sys, fim
with gzip.open(sys.argv[1], "rt") as lines:
    rows = [[int(word) for word in line.split()] for line in lines]
sets = getattr(fim, sys.argv[2])(
    rows, target=sys.argv[3], supp=-int(sys.argv[4]), zmin=1, report="a"
)
sys.stdout.writelines(" ".join(map(str, [*sorted(items), n])) + "\\n" for items, n in sets)
"""


def process_seconds(command: list[str]) -> float:
    """CPU seconds of a process and its children, best of several."""
    best = float("inf")
    for _ in range(BEST_OF):
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


def _give_up(number: int, frame: Any) -> None:
    raise TimeoutError


def measure(path: Path, support: int, kind: Any) -> dict[str, Any]:
    """All times of one file, support and kind."""
    import fim

    table = read_fimi(path).table
    with gzip.open(path, "rt") as lines:
        rows = [[int(word) for word in line.split()] for line in lines]
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
        peer = getattr(fim, name)
        options = {"target": target, "supp": -support, "zmin": 1, "report": "a"}
        mining[f"pyfim {name}"] = seconds_of(lambda: peer(rows, **options))  # noqa: B023
    ours = [sys.executable, "-m", "twinset", "mine", str(path), "--support", str(support)]
    ours += ["--least-items", "1", "--quiet", *(["--closed"] if kind == "closed" else [])]
    whole = {"twinset mine": process_seconds(ours)}
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
