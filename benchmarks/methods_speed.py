"""CPU time of every method on one collection, raw decisions, as multiples of the default run.

Each run is a process of its own; the least of the repetitions counts, because other work on
the machine can only add.

    python benchmarks/methods_speed.py corpus.jsonl --threads 2 --reps 3
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from twinset.plan import spec as parts

CHILD = """
import json, resource, sys
from pathlib import Path
import twinset
found = twinset.find(Path(sys.argv[1]), method=sys.argv[2], threads=int(sys.argv[3]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "pairs": len(found.pairs),
                  "wall": sum(found.manifest["timings"].values()),
                  "peak_mb": found.manifest["peak_memory_mb"]}))
"""


def methods() -> list[str]:
    names = [name for name in parts.names("method") if not name[1:].isdigit()]
    return [name for name in names if not parts.load("method", name).about.asks]


def one_run(corpus: Path, method: str, threads: int) -> dict[str, float]:
    command = [sys.executable, "-c", CHILD, str(corpus), method, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reps", type=int, default=2)
    parser.add_argument("--methods", nargs="*", default=methods())
    options = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}
    for method in ["minhash", *(m for m in options.methods if m != "minhash")]:
        runs = [one_run(options.corpus, method, options.threads) for _ in range(options.reps)]
        rows[method] = min(runs, key=lambda run: run["cpu"])
        times = rows[method]["cpu"] / rows["minhash"]["cpu"]
        rows[method]["times"] = round(times, 2)
        row = rows[method]
        print(
            f"{method:<14} {row['cpu']:6.2f} s CPU {times:6.2f} x {row['wall']:6.2f} s wall "
            f"{row['pairs']:>9,.0f} pairs {row['peak_mb']:6.0f} MB",
            flush=True,
        )
    file = Path(__file__).parent / "results" / "methods_speed.json"
    file.write_text(json.dumps({options.corpus.name: rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
