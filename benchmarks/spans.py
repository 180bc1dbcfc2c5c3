"""Repeated stretches beside a suffix array: ``python benchmarks/spans.py --large OTHER``.

On c20k (90 MB) the CPU time and memory of the search for spans of 50 words, and of suffix array and
LCP by pydivsufsort on the same bytes, each in a process of its own and without reading. With
``--large`` on c200k (828 MB) whole commands, in turns: ``spans --memory 1GB``, ``find``, and
``find`` of the program of another version. ``benchmarks/run.py`` makes both corpora. CPU seconds
are user and system time, the best of ``--reps``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import Cost, measure

RESULTS = Path(__file__).parent / "results" / "spans.json"
READ = """
import json, resource, sys, time
lines = open(sys.argv[1], encoding="utf-8")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def told(begun, before, size):
    print(json.dumps({"cpu": time.process_time() - begun, "mb": peak() - before, "bytes": size}))
"""
OURS = f"""{READ}
import os
import pyarrow as pa
from twinset.run.progress import Silent
from twinset.run.passages.searching import numbered
from twinset.run.passages.searching import Grams
from twinset.run.passages.searching import RunSearch
from twinset.plan import Resources
import numpy as np
class Held:
    total_bytes = 0
    def __init__(self, batches): self.held = batches
    def batches(self): return iter(self.held)
from twinset.model import Batch
batches, size = [], 0
while part := lines.readlines(8 << 20):
    texts = pa.array([json.loads(line)["text"] for line in part], pa.large_string())
    ids = pa.array([str(i) for i in range(len(part))])
    batches.append(Batch(ids, texts, "held", np.arange(1, len(part) + 1)))
    size += texts.nbytes
search = RunSearch(Held(batches), Grams.of("word", 50), Resources.make(), Silent())
before, begun = peak(), time.process_time()
read = search.read()
rows = numbered(search.runs(), 50, np.asarray(read.reference), by_length=False)
told(begun, before, size)
"""
SUFFIXES = f"""{READ}
import pydivsufsort
data = "\\0".join(json.loads(line)["text"] for line in lines).encode()
before, begun = peak(), time.process_time()
suffixes = pydivsufsort.divsufsort(data)
common = pydivsufsort.kasai(data, suffixes)
told(begun, before, len(data))
"""


def algorithm(program: str, corpus: Path, reps: int) -> dict[str, float]:
    """The best account that a program gives of itself."""
    accounts = []
    for _ in range(reps):
        cost = measure([sys.executable, "-c", program, corpus])
        if not cost.finished:
            raise SystemExit(cost.errors)
        accounts.append(json.loads(cost.output))
    return min(accounts, key=lambda account: account["cpu"])


def commands(wanted: dict[str, list[str]], reps: int) -> dict[str, dict[str, float]]:
    """The least CPU time of whole commands, which take turns, with time and memory."""
    costs: dict[str, list[Cost]] = {name: [] for name in wanted}
    for _ in range(reps):
        for name, words in wanted.items():
            with tempfile.TemporaryDirectory() as folder:
                cost = measure([*words, "-o", f"{folder}/out", "-q"])
            if not cost.finished:
                raise SystemExit(cost.errors)
            print(f"{name}: {cost.cpu:.2f} CPU s, {cost.wall:.2f} s, {cost.peak_mb:.0f} MB")
            costs[name].append(cost)
    best = {name: min(each, key=lambda cost: cost.cpu) for name, each in costs.items()}
    return {
        name: {"cpu": round(one.cpu, 2), "wall": round(one.wall, 2), "mb": round(one.peak_mb)}
        for name, one in best.items()
    }


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default=str(Path(tempfile.gettempdir()) / "bench"), type=Path)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--large", type=Path, help="c200k, too, beside this other version")
    asked = parser.parse_args()
    small, large = asked.work / "c20k.jsonl", asked.work / "c200k.jsonl"
    ours = algorithm(OURS, small, asked.reps)
    theirs = algorithm(SUFFIXES, small, 1)
    results = {
        "c20k": {
            "bytes": ours["bytes"],
            "spans": {"cpu": round(ours["cpu"], 2), "mb": round(ours["mb"])},
            "suffix array and LCP": {"cpu": round(theirs["cpu"], 2), "mb": round(theirs["mb"])},
            "share of its CPU time": round(ours["cpu"] / theirs["cpu"], 3),
            "bytes of memory per byte": round(ours["mb"] * (1 << 20) / ours["bytes"], 2),
        }
    }
    if asked.large:
        own = [sys.executable, "-m", "twinset"]
        wanted = {
            "spans --memory 1GB": [*own, "spans", str(large), "--memory", "1GB"],
            "find": [*own, "find", str(large)],
            "find of the other version": [str(asked.large), "find", str(large)],
        }
        costs = commands(wanted, asked.reps)
        spans, _, before = (cost["cpu"] for cost in costs.values())
        results["c200k"] = {
            "bytes": large.stat().st_size,
            **costs,
            "times the CPU time of the other version's find": round(spans / before, 2),
        }
    text = json.dumps(results, indent=1) + "\n"
    sys.stdout.write(text)
    RESULTS.write_text(text)


if __name__ == "__main__":
    main()
