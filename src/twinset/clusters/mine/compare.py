"""Runs several miners on one context, each in a process of its own with a time limit.

The process is this module: ``python -m twinset.clusters.mine.compare``.
The papers' Table 4: who finishes, in what time and memory. All that finish must agree.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np

from twinset.clusters.closed_sets import SetKind
from twinset.clusters.context import Context
from twinset.clusters.mine import able, check
from twinset.clusters.mine.mining import mine
from twinset.clusters.mine.sets import MinedSets
from twinset.errors import TwinsetError
from twinset.system.children import follow_parent, run_child
from twinset.system.temporary import temporary_folder

Outcome = Literal["finished", "time limit", "failed"]


@dataclass(frozen=True, slots=True)
class Run:
    """How one miner did: CPU seconds from images to sets, and its process's peak memory."""

    algorithm: str
    outcome: Outcome
    sets: int | None = None
    seconds: float | None = None
    megabytes: float | None = None
    digest: str | None = None
    fault: str = ""


def compare(
    context: Context,
    support: int,
    algorithms: Iterable[str] | None = None,
    seconds: float = 60.0,
    kind: SetKind = "maximal",
) -> list[Run]:
    """One row per miner; an error if two that finish differ."""
    names = able(kind) if algorithms is None else list(algorithms)
    for name in names:
        check(name, kind)
    with temporary_folder() as folder:
        path = folder / "context.npz"
        np.savez(path, values=context.values, offsets=context.offsets)
        runs = [_run(name, path, support, kind, seconds) for name in names]
    check_agreement(runs)
    return runs


def check_agreement(runs: Iterable[Run]) -> None:
    """An error that names the miners whose sets differ from the first one's."""
    finished = [run for run in runs if run.outcome == "finished"]
    odd = [run for run in finished if run.digest != finished[0].digest]
    if odd:
        counts = ", ".join(f"{run.algorithm} {run.sets:,}" for run in [finished[0], *odd])
        raise TwinsetError(f"the miners do not agree, one of them is wrong (sets: {counts})")


def _run(name: str, path: Path, support: int, kind: SetKind, seconds: float) -> Run:
    command = [sys.executable, "-m", "twinset.clusters.mine.compare", str(path)]
    command += [name, str(support), kind]
    try:
        process = run_child(command, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Run(name, "time limit", fault=f"not finished after {seconds:g} s")
    if process.returncode != 0:
        last = process.stderr.strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
        return Run(name, "failed", fault=last[0])
    return Run(name, "finished", **json.loads(process.stdout))


def digest_of(sets: MinedSets) -> str:
    """Equal for equal collections of sets, supports included; the sets must be sorted."""
    digest = hashlib.sha256()
    for values in (sets.items.offsets, sets.items.flat, sets.supports):
        digest.update(values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def table(runs: Iterable[Run], support: int) -> Iterator[str]:
    """The papers' Table 4 for this machine, as lines of text."""
    yield f"{'algorithm':<12}{'threshold':>10}{'sets':>12}{'CPU s':>10}{'MB':>8}  outcome"
    for run in runs:
        sets = "" if run.sets is None else f"{run.sets:,}"
        seconds = "" if run.seconds is None else f"{run.seconds:.2f}"
        memory = "" if run.megabytes is None else f"{run.megabytes:,.0f}"
        outcome = f"{run.outcome}: {run.fault}" if run.fault else run.outcome
        yield f"{run.algorithm:<12}{support:>10}{sets:>12}{seconds:>10}{memory:>8}  {outcome}"


def _mine_here(path: str, name: str, support: str, kind: str) -> None:
    """Run one miner in this process and print the figures of its run as JSON."""
    with np.load(path) as arrays:
        context = Context(arrays["values"], arrays["offsets"])
    begin = time.process_time()
    sets = mine(name, context, int(support), cast(SetKind, kind))
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1e6 if sys.platform == "darwin" else 1e3)
    figures = {"sets": len(sets), "seconds": seconds, "megabytes": megabytes}
    print(json.dumps({**figures, "digest": digest_of(sets)}))


if __name__ == "__main__":
    follow_parent()
    try:
        _mine_here(*sys.argv[1:])
    except TwinsetError as fault:
        sys.exit(str(fault))
