"""Runs several miners on one context, each in a process of its own with a limit of CPU time.

The papers' Table 4: who finishes, in what time and memory. All that finish must agree.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from twinset.errors import TwinsetError
from twinset.finding.clusters.closed_sets import Context, SetKind
from twinset.finding.clusters.mine import able, check
from twinset.finding.clusters.mine.miners import MinedSets, mine
from twinset.system.children import Child, LostError
from twinset.system.temporary import TemporaryFolder

Outcome = Literal["finished", "time limit", "failed"]


SECONDS = 20.0
"""CPU seconds of a row: not to finish in them is a result, too."""


@dataclass(frozen=True, slots=True)
class Run:
    """How one miner did: CPU seconds from images to sets, and its process's peak memory."""

    algorithm: str
    outcome: Outcome
    sets: int | None = None
    seconds: float | None = None
    megabytes: float | None = None
    digest: str | None = None
    steps: int | None = None
    kind: SetKind = "maximal"
    support: int = 0
    fault: str = ""


def compare(
    context: Context,
    support: int,
    algorithms: Iterable[str] | None = None,
    seconds: float = SECONDS,
    kind: SetKind = "maximal",
) -> list[Run]:
    """One row per miner; an error if two that finish differ."""
    return list(compare_rows(context, [support], [kind], algorithms, seconds))


def compare_rows(
    context: Context,
    supports: Iterable[int],
    kinds: Iterable[SetKind],
    algorithms: Iterable[str] | None = None,
    seconds: float = SECONDS,
) -> Iterator[Run]:
    """A row per miner, kind and support, each when it is there; supports should fall.

    A miner that meets the time limit is not tried with a smaller support. Where no algorithms are
    named, all run that can find the kind, and one that needs pyfim fails where it is missing. It is
    an error if two that finish differ.
    """
    named = None if algorithms is None else list(algorithms)
    with TemporaryFolder() as folder:
        path = folder / "context.npz"
        np.savez(path, values=context.values, offsets=context.offsets)
        for kind in kinds:
            names = able(kind) if named is None else named
            for name in names:
                check(name, kind)
            late: dict[str, int] = {}
            for support in supports:
                runs = []
                for name in names:
                    if name in late:
                        fault = f"not tried, since it did not finish at {late[name]}"
                        run = Run(name, "time limit", kind=kind, support=support, fault=fault)
                    else:
                        run = _run(name, path, support, kind, seconds)
                    if run.outcome == "time limit":
                        late.setdefault(name, support)
                    runs.append(run)
                    yield run
                check_agreement(runs)


def check_agreement(runs: Iterable[Run]) -> None:
    """An error that names the miners whose sets differ from the first one's."""
    finished = [run for run in runs if run.outcome == "finished"]
    odd = [run for run in finished if run.digest != finished[0].digest]
    if odd:
        counts = ", ".join(f"{run.algorithm} {run.sets:,}" for run in [finished[0], *odd])
        raise TwinsetError(f"the miners do not agree, one of them is wrong (sets: {counts})")


def _run(name: str, path: Path, support: int, kind: SetKind, seconds: float) -> Run:
    child = Child()
    try:
        figures = child.call(run_here, (name, path, support, kind), seconds, None)
    except TwinsetError as fault:
        return Run(name, "failed", kind=kind, support=support, fault=str(fault))
    except LostError:
        figures = None
    finally:
        child.close()
    if figures is None or figures["seconds"] > seconds:
        late = f"not finished after {seconds:g} s"
        return Run(name, "time limit", kind=kind, support=support, fault=late)
    return Run(name, "finished", kind=kind, support=support, **figures)


def digest_of(sets: MinedSets) -> str:
    """Equal for equal collections of sets, supports included; the sets must be sorted."""
    digest = hashlib.sha256()
    for values in (sets.items.offsets, sets.items.flat, sets.supports):
        digest.update(values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def run_here(name: str, path: str | Path, support: int, kind: SetKind) -> dict[str, Any]:
    """Run one miner in this process; the figures of its run."""
    with np.load(path) as arrays:
        context = Context(arrays["values"], arrays["offsets"])
    begin = time.process_time()
    sets = mine(name, context, support, kind)
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1e6 if sys.platform == "darwin" else 1e3)
    figures = {"sets": len(sets), "steps": sets.steps, "seconds": seconds, "megabytes": megabytes}
    return {**figures, "digest": digest_of(sets)}
