"""Our search of maximal sets against pyfim's miners on the same images, one process each.

    python benchmarks/closed_sets.py --documents 200000 --kind bottom --k 85

Everything from images to sets counts: for the miners also turning the images into transactions
(features of a single document left out beforehand, which helps them). CPU seconds and peak memory
are the process's own; all that finish must find the same sets. Results are added to
``benchmarks/results/closed_sets.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from twinset.finding.clusters.closed import Closed
from twinset.finding.clusters.context import Context
from twinset.finding.clusters.mine.compare import digest_of
from twinset.finding.clusters.mine.mining import mine
from twinset.finding.clusters.mine.search import UNBOUNDED
from twinset.finding.clusters.mine.sets import MinedSets
from twinset.finding.clusters.mine.table4 import make_context

RESULTS = Path(__file__).parent / "results" / "closed_sets.json"
MINERS = ("fpgrowth", "ista", "eclat", "carpenter")


def run_ours(context: Context, k: int, threads: int, capped: bool) -> tuple[Any, dict[str, Any]]:
    bounds = {} if capped else dict.fromkeys(("max_sets", "max_work", "max_members"), UNBOUNDED)
    found = Closed(k=k, **bounds).find(context, threads)
    figures = {
        "components": len(found.components),
        "truncated": int(found.components.truncated.sum()),
        "members": len(found.members),
    }
    return MinedSets(found.members, found.support), figures


def make(folder: str, documents: str, kind: str, seed: str, longest: str) -> None:
    made = make_context(int(documents), kind, int(seed), int(longest))  # type: ignore[arg-type]
    values, offsets = made
    np.save(f"{folder}/values.npy", values)
    np.save(f"{folder}/offsets.npy", offsets)


def child(path: str, name: str, k: int, threads: int) -> None:
    """Runs one contender and prints its figures."""
    values, offsets = (np.load(f"{path}/{part}.npy") for part in ("values", "offsets"))
    context = Context(values, offsets)
    wall, cpu = time.perf_counter(), time.process_time()
    figures: dict[str, Any] = {}
    if name.startswith("twinset"):
        sets, figures = run_ours(context, k, threads, capped="capped" in name)
    else:
        sets = mine(name, context, k)
    figures["cpu"] = round(time.process_time() - cpu, 3)
    figures["wall"] = round(time.perf_counter() - wall, 3)
    figures["megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
    figures["sets"] = len(sets)
    if "capped" not in name:
        figures["digest"] = digest_of(sets.in_order(2))[:16]
    print(json.dumps(figures))


def measure(folder: str, name: str, k: int, threads: int, seconds: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", folder, name, str(k), str(threads)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"outcome": f"not finished after {seconds:g} s"}
    if done.returncode:
        return {"outcome": f"failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}"}
    return {"outcome": "finished", **json.loads(done.stdout)}


def race(options: argparse.Namespace) -> dict[str, Any]:
    runs: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: Linux counts the peak of the one that starts another into it.
        made = [
            folder,
            str(options.documents),
            options.kind,
            str(options.seed),
            str(options.longest),
        ]
        subprocess.run([sys.executable, __file__, "--make", *made], check=True)
        ours = "twinset, capped" if options.capped else "twinset"
        contenders = [(ours, 1), (f"{ours}, {os.cpu_count()} threads", os.cpu_count() or 1)]
        contenders += [(name, 1) for name in options.miners]
        for name, threads in contenders:
            every = [
                measure(folder, name, options.k, threads, options.seconds)
                for _ in range(options.times if name in (ours, contenders[1][0]) else 1)
            ]
            runs[name] = min(every, key=lambda run: run.get("cpu", 1e9))
            print(f"{name:<24}", {k: v for k, v in runs[name].items() if k != "digest"}, flush=True)
    return {**context_of(options), "runs": runs, **ratios(runs, ours)}


def context_of(options: argparse.Namespace) -> dict[str, Any]:
    told = ("documents", "kind", "k", "longest", "seed", "seconds")
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    load_now = round(os.getloadavg()[0], 1)
    return {**{key: getattr(options, key) for key in told}, "machine": machine, "load": load_now}


def ratios(runs: dict[str, dict[str, Any]], ours: str) -> dict[str, Any]:
    finished = {n: r for n, r in runs.items() if r["outcome"] == "finished"}
    digests = {r["digest"] for r in finished.values() if "digest" in r}
    if len(digests) > 1:
        sys.exit("the miners do not agree")
    others = {n: r for n, r in finished.items() if not n.startswith("twinset")}
    if not others or ours not in finished:
        return {}
    best = min(others, key=lambda name: others[name]["cpu"])
    parallel = next(r for n, r in finished.items() if n.startswith(ours) and n != ours)
    return {
        "best": best,
        "times_faster_cpu": round(others[best]["cpu"] / runs[ours]["cpu"], 1),
        "times_faster_wall": round(others[best]["wall"] / parallel["wall"], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--kind", choices=("bottom", "minwise"), default="bottom")
    parser.add_argument("--k", type=int, default=85)
    parser.add_argument("--longest", type=int, default=15, help="longest run that an edit replaces")
    parser.add_argument("--times", type=int, default=1, help="runs of each; the best CPU counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--miners", nargs="*", default=MINERS)
    parser.add_argument("--capped", action="store_true", help="ours with its default bounds")
    options = parser.parse_args()
    result = race(options)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    RESULTS.write_text(json.dumps([*kept, result], indent=1) + "\n")
    print({key: value for key, value in result.items() if key.startswith(("best", "times"))})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1:2] == ["--make"]:
        make(*sys.argv[2:])
    else:
        main()
