"""What a run on Spark will take, by constants that were measured.

CPU seconds are those of all processes of a run, Java and Python together, on one core of a Xeon at
2.5 GHz. Bytes of the shuffle are those of Spark's event log, packed as Spark packs them. Runs in
local[2] over 20,000 and 200,000 documents, of 4,150 bytes (c20k and c200k) and of 460, with 16 and
with 35 keys for each, gave a rate for everything that a larger run has more of; the rest is what
every run takes, and is on one machine.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from twinset.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from twinset.methods.base import Search
    from twinset.plan import Plan

CPU = {
    "read and sketch": {"documents": 10e-6, "bytes": 34e-9, "keys": 1e-6},
    "link": {"documents": 25e-6, "keys": 7.5e-6},
    "compare": {"bytes": 17e-9, "linked": 100e-6, "linked_bytes": 20e-9},
    "tables": {"documents": 20e-6, "linked": 20e-6},
}
"""Seconds of one core for each of what there is. Texts are read twice, to sketch and to compare."""
SHUFFLE = {
    "link": {"documents": 23.0, "keys": 29.5},
    "compare": {"linked": 60.0, "linked_bytes": 0.58},
    "tables": {"documents": 22.0, "linked": 80.0},
}
"""Bytes that go from task to task. Of linked documents the texts do, packed."""
EVERY_TEXT = {"documents": 60.0, "bytes": 0.58}
"""Bytes that move beside these where more than `FEW` documents are linked: all texts do."""
FEW = 700_000
"""Linked documents whose table, of 10 MB, Spark sends to all machines in place of the texts."""
FIXED_SECONDS = 60.0
"""To start, to plan some forty jobs, and for Java to compile what it runs often."""
WORK = {"documents": 75.0, "keys": 8.0}
"""Bytes of tables in between, in the work folder."""
BLOCK = 32 << 20
"""Bytes of the input that a task reads."""
PART = 64 << 20
"""Bytes of the shuffle that a task should get."""
JAVA_MB, WORKER_MB = 1024, 400
"""Memory of an executor: its Java, and each of its processes of Python."""
DRIVER_MB, DRIVER_TASK_KB = 700, 3
"""Memory of the driver's Java, and what a task of the largest stage adds to it."""
WORDS = 6
"""Bytes of a word with the space behind it."""


@dataclass(frozen=True, slots=True)
class SparkSize:
    """A collection and a cluster.

    ``linked`` is the share of documents that have a key in common with another one, ``transfer``
    the bytes in a second that an executor gets from the others and from its disk.
    """

    documents: float
    document_bytes: float
    keys: float
    linked: float
    executors: int
    cores: int
    transfer: float

    @property
    def amounts(self) -> dict[str, float]:
        """How many there are of what rates are for."""
        size = self.documents * self.document_bytes
        return {
            "documents": self.documents,
            "bytes": size,
            "keys": self.documents * self.keys,
            "linked": self.documents * self.linked,
            "linked_bytes": size * self.linked,
        }


@dataclass(frozen=True, slots=True)
class SparkCost:
    """What a run will take; seconds, CPU seconds and bytes of the shuffle by stage.

    ``partitions`` is the number of parts that keeps those of a table small.
    """

    seconds: dict[str, float]
    cpu: dict[str, float]
    shuffle_bytes: dict[str, float]
    work_bytes: float
    executor_mb: int
    driver_mb: int
    tasks: int
    partitions: int


def spark_cost(size: SparkSize) -> SparkCost:
    """Predict a run: every stage is linear in what it has to do, and all cores have a share."""
    amounts, cores = size.amounts, size.executors * size.cores
    cpu = {stage: _sum(rates, amounts) for stage, rates in CPU.items()}
    shuffle = {stage: _sum(SHUFFLE.get(stage, {}), amounts) for stage in CPU}
    if amounts["linked"] > FEW:
        shuffle["compare"] += _sum(EVERY_TEXT, amounts)
    seconds = {"start": FIXED_SECONDS} | {
        # What is shuffled is written once and read once.
        stage: cpu[stage] / cores + 2 * shuffle[stage] / (size.executors * size.transfer)
        for stage in CPU
    }
    tasks = ceil(amounts["bytes"] / BLOCK)
    return SparkCost(
        seconds,
        cpu,
        shuffle,
        _sum(WORK, amounts),
        JAVA_MB + size.cores * WORKER_MB,
        DRIVER_MB + tasks * DRIVER_TASK_KB // 1024,
        tasks,
        max(cores, ceil(max(shuffle.values()) / PART)),
    )


def keys_of(plan: Plan, search: Search, document_bytes: float) -> float:
    """How many keys a document has: bands, the prefix of an exact join, or a single one."""
    solved = search.describe()
    if solved.get("kind") == "join":
        return (1 - min(plan.threshold, 1)) * document_bytes / WORDS + 1
    return float(solved.get("bands", 1))


def _sum(rates: dict[str, float], amounts: dict[str, float]) -> float:
    return sum(rate * amounts[name] for name, rate in rates.items())
