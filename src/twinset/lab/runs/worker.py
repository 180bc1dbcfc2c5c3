"""One run in a process of its own, so that its time and memory are its own.

Run as ``python -c "from twinset.lab.runs.worker import main; main()"`` with a job as one
line of JSON on stdin; ends with the process that has started it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twinset.errors import TwinsetError
from twinset.system.children import follow_parent

if TYPE_CHECKING:
    from twinset.lab.evaluation.findings import By


@dataclass(frozen=True)
class RunJob:
    """What to run on what, and where the result goes."""

    texts: str
    plan: dict[str, Any]
    by: By
    threads: int
    memory: int
    folder: str
    result: str

    def as_json(self) -> str:
        """One line for `main`."""
        return json.dumps(dataclasses.asdict(self))


def main() -> None:
    """Run the job on stdin; a fault is one line of JSON on stdout."""
    print(answer(follow_parent()))


def answer(line: str) -> str:
    """The facts of the job, or its fault, as one line of JSON."""
    try:
        facts = run_job(RunJob(**json.loads(line)))
    except TwinsetError as fault:
        facts = {"fault": str(fault)}
    except MemoryError:
        facts = {"fault": "out of memory"}
    return json.dumps(facts)


def run_job(job: RunJob) -> dict[str, Any]:
    """Run the plan, write its pairs, and return its cost."""
    from twinset.engine import run
    from twinset.engine.manifest import peak_memory
    from twinset.lab.evaluation.findings import found_ids, side_of_report
    from twinset.lab.evaluation.sides import DocumentIds
    from twinset.lab.runs.documents import StoredTexts
    from twinset.lab.runs.stored_pairs import write_pairs
    from twinset.plan import Plan, Resources
    from twinset.reading.memory import from_memory

    plan = Plan.from_dict(job.plan)
    resources = Resources(job.threads, job.memory, job.folder)
    # A rehearsal, so that no run pays for modules that are loaded at first use.
    run(from_memory(["a few words", "some other words"], plan.read), plan, resources=resources)
    before, begun, cpu = resident_mb(), time.perf_counter(), time.process_time()
    findings = run(StoredTexts(job.texts, raw=plan.read.raw), plan, resources=resources)
    facts = {
        "seconds": round(time.perf_counter() - begun, 4),
        "cpu_seconds": round(time.process_time() - cpu, 4),
        "memory_mb": round(max(0.0, peak_memory() - before), 1),
        "candidates": findings.manifest["counts"]["candidates"],
        "not_enumerated_pairs": findings.manifest["not_enumerated_pairs"],
        "spec": findings.manifest["plan"]["method"],
        "timings": findings.manifest["timings"],
        "clusters": _cluster_facts(findings),
    }
    ids = DocumentIds([found_ids(findings)])
    side = side_of_report(findings, ids, job.by, "the run")
    facts["notes"] = list(side.notes)
    write_pairs(side.pairs, Path(job.result))
    return facts


def _cluster_facts(findings: Any) -> dict[str, Any]:
    """How many clusters of which size there are, and how many hold a pair below the threshold.

    Where clusters are searched in images, the latter are of the connected components.
    """
    import numpy as np

    from twinset.model.columns import numbers
    from twinset.report.manifest import image_facts

    manifest = findings.manifest
    _, sizes = np.unique(numbers(findings.clusters["cluster"]), return_counts=True)
    size, count = np.unique(sizes, return_counts=True)
    of_images = image_facts(manifest)
    false = (
        manifest["observed"]["chained_clusters"]
        if of_images is None
        else of_images.get("chained_components")
    )
    return {
        "number": len(sizes),
        "sizes": dict(zip(map(str, size.tolist()), count.tolist(), strict=True)),
        "false": false,
        "complete": manifest["clusters_complete"],
    }


def resident_mb() -> float:
    """Memory of this process now, in MB."""
    from twinset.engine.manifest import peak_memory

    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:  # elsewhere than on Linux
        return peak_memory()
