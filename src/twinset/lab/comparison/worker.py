"""One method in a process of its own, so that its time and memory are its own.

Run as ``python -c "from twinset.lab.comparison.worker import main; main()"`` with a job as one
line of JSON on stdin; ends with the process that has started it. The found pairs are written
compactly: the class of each document and pairs of classes.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from twinset.errors import TwinsetError
from twinset.system.children import follow_parent

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Job:
    """What to run on what, and where the result goes."""

    texts: str
    plan: dict[str, Any]
    threads: int
    memory: int
    folder: str
    result: str

    def spelt(self) -> str:
        """As JSON."""
        return json.dumps(dataclasses.asdict(self))


def main() -> None:
    """Run the job on stdin; a fault is one line of JSON on stdout."""
    job = Job(**json.loads(follow_parent()))
    try:
        told = work(job)
    except TwinsetError as fault:
        told = {"fault": str(fault)}
    except MemoryError:
        told = {"fault": "out of memory"}
    print(json.dumps(told))


def work(job: Job) -> dict[str, Any]:
    """Run the method, write its pairs, tell what it took."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from twinset.engine import run
    from twinset.engine.manifest import peak_memory
    from twinset.lab.comparison.documents import KeptTexts
    from twinset.plan import Plan, Resources
    from twinset.reading import from_memory
    from twinset.report.tables import write_parquet

    plan = Plan.from_dict(job.plan)
    resources = Resources(job.threads, job.memory, job.folder)
    # Rehearsed, so that modules loaded at first use are charged to no method.
    run(from_memory(["a few words", "some other words"], plan.read), plan, resources=resources)
    before, begun, cpu = resident(), time.perf_counter(), time.process_time()
    found = run(KeptTexts(job.texts), plan, resources=resources)
    facts = {
        "seconds": round(time.perf_counter() - begun, 4),
        "cpu_seconds": round(time.process_time() - cpu, 4),
        "memory_mb": round(max(0.0, peak_memory() - before), 1),
        "candidates": found.manifest["counts"]["candidates"],
        "not_enumerated_pairs": found.manifest["not_enumerated_pairs"],
        "spec": found.manifest["plan"]["method"],
    }
    rows = found.documents
    classes = pc.cast(pc.coalesce(rows["same_as"], rows["id"]), pa.int64())
    sides = [pc.cast(found.pairs[side], pa.int64()).combine_chunks() for side in ("left", "right")]
    # Two lists in one file: rows of documents, and rows of pairs.
    table = pa.table(
        {
            "classes": one_list(classes.combine_chunks()),
            "left": one_list(sides[0]),
            "right": one_list(sides[1]),
        }
    )
    write_parquet(table, job.result)  # type: ignore[arg-type]
    return facts


def one_list(values: pa.Array) -> pa.Array:
    """A column of one row that holds all values."""
    from pyarrow import LargeListArray

    from twinset.model.columns import column

    return LargeListArray.from_arrays(column(np.array([0, len(values)])), values)


def resident() -> float:
    """Memory of this process now, in MB."""
    from twinset.engine.manifest import peak_memory

    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:  # elsewhere than on Linux
        return peak_memory()
