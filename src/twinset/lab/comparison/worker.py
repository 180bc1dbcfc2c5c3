"""One method in a process of its own, so that its time and memory are its own.

Run as ``python -c "from twinset.lab.comparison.worker import main; main()"`` with a job as one
line of JSON on stdin; ends with the process that has started it. The pairs are written compactly:
the class of each document, and pairs of classes.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from twinset.errors import TwinsetError
from twinset.system.children import follow_parent


@dataclass(frozen=True)
class MethodJob:
    """What to run on what, and where the result goes."""

    texts: str
    plan: dict[str, Any]
    threads: int
    memory: int
    folder: str
    result: str

    def as_json(self) -> str:
        """One line for `main`."""
        return json.dumps(dataclasses.asdict(self))


def main() -> None:
    """Run the job on stdin; a fault is one line of JSON on stdout."""
    job = MethodJob(**json.loads(follow_parent()))
    try:
        facts = run_job(job)
    except TwinsetError as fault:
        facts = {"fault": str(fault)}
    except MemoryError:
        facts = {"fault": "out of memory"}
    print(json.dumps(facts))


def run_job(job: MethodJob) -> dict[str, Any]:
    """Run the method, write its pairs, and return its cost."""
    from twinset.engine import run
    from twinset.engine.manifest import peak_memory
    from twinset.lab.comparison.documents import StoredTexts
    from twinset.plan import Plan, Resources
    from twinset.reading import from_memory

    plan = Plan.from_dict(job.plan)
    resources = Resources(job.threads, job.memory, job.folder)
    # A rehearsal, so that no method pays for modules that are loaded at first use.
    run(from_memory(["a few words", "some other words"], plan.read), plan, resources=resources)
    before, begun, cpu = resident_mb(), time.perf_counter(), time.process_time()
    findings = run(StoredTexts(job.texts), plan, resources=resources)
    facts = {
        "seconds": round(time.perf_counter() - begun, 4),
        "cpu_seconds": round(time.process_time() - cpu, 4),
        "memory_mb": round(max(0.0, peak_memory() - before), 1),
        "candidates": findings.manifest["counts"]["candidates"],
        "not_enumerated_pairs": findings.manifest["not_enumerated_pairs"],
        "spec": findings.manifest["plan"]["method"],
    }
    _write_pairs(findings, job.result)
    return facts


def _write_pairs(findings: Any, path: str) -> None:
    """One row of three lists: the class of each document, and both sides of the pairs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from twinset.model.columns import column
    from twinset.report.tables import write_parquet

    documents, pairs = findings.documents, findings.pairs
    lists = {
        "classes": pc.coalesce(documents["same_as"], documents["id"]),
        "left": pairs["left"],
        "right": pairs["right"],
    }
    table = {}
    for name, ids in lists.items():
        numbers = pc.cast(ids, pa.int64()).combine_chunks()
        table[name] = pa.LargeListArray.from_arrays(column(np.array([0, len(numbers)])), numbers)
    write_parquet(pa.table(table), Path(path))


def resident_mb() -> float:
    """Memory of this process now, in MB."""
    from twinset.engine.manifest import peak_memory

    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:  # elsewhere than on Linux
        return peak_memory()
