"""What a run on Spark will take, by constants that were measured, and some that are derived.

CPU seconds are those of all processes of `find` in local[2], Java and Python together, on one core
of a Xeon at 2.5 GHz, one run each: 21.3 for c20k and 45.7 for c200k, which is 136 microseconds for
each document more (4,150 bytes, 16 keys, a quarter of them linked), and 37.1 and 77.7 for 200,000
and for a million documents of 460 bytes, which is 51. The rates are those of a machine that others
used too, and give 169 and 92. How these fall to stages and to documents, bytes and keys is not
measured of this version: it is the ratio that runs of an earlier one had over 20,000 and 200,000
documents, of 4,150 and of 460 bytes, with 16 and with 35 keys.

Bytes of the shuffle are those of each stage in Spark's event log, packed as Spark packs them, of
`dedup` of c20k, with joins as they are in large runs: small tables that Spark would send to all
machines were shuffled too (spark.sql.autoBroadcastJoinThreshold=-1). That is one run; what falls to
documents and what to keys or bytes follows the earlier ones.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from twinset.engine.spark.run import ROWS
from twinset.engine.spark.sources import BLOCK_BYTES
from twinset.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from twinset.methods.base import Search
    from twinset.plan import Plan

CPU = {
    "read and sketch": {"documents": 3.7e-6, "bytes": 12.6e-9, "keys": 0.35e-6},
    "link": {"documents": 9.1e-6, "keys": 2.8e-6},
    "compare": {"bytes": 6.3e-9, "linked": 37e-6, "linked_bytes": 7.7e-9},
    "tables": {"documents": 7.7e-6, "linked": 7.7e-6},
}
"""Seconds of one core for each of what there is. Texts are read twice, to sketch and to compare."""
SHUFFLE = {
    "link": {"documents": 60.0, "keys": 34.0},
    "compare": {"documents": 150.0, "bytes": 0.6, "linked": 60.0, "linked_bytes": 0.6},
    "tables": {"documents": 190.0, "linked": 80.0},
}
"""Bytes that go from task to task. All texts do, to find those of linked documents, and these do
again to meet each other."""
FIXED_SECONDS = 60.0
"""To start, to plan up to forty jobs, and for Java to compile what it runs often."""
WORK = {"documents": 75.0, "keys": 8.0}
"""Bytes of tables in between, in the work folder."""
JAVA_MB, WORKER_MB = 1500, 300
"""Memory of Java with a heap of 1 GB, and of each process of Python, as a million documents and
c200k had them."""
DRIVER_TASK_KB = 3
"""What a task of the largest stage adds to the memory of the driver; assumed, not measured."""
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

    ``tasks`` read the input, tables have so many ``partitions``.
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
    seconds = {"start": FIXED_SECONDS} | {
        # What is shuffled is written once and read once.
        stage: cpu[stage] / cores + 2 * shuffle[stage] / (size.executors * size.transfer)
        for stage in CPU
    }
    tasks = ceil(amounts["bytes"] / BLOCK_BYTES)
    return SparkCost(
        seconds,
        cpu,
        shuffle,
        _sum(WORK, amounts),
        JAVA_MB + size.cores * WORKER_MB,
        JAVA_MB + tasks * DRIVER_TASK_KB // 1024,
        tasks,
        max(cores, ceil(size.documents / ROWS)),
    )


def keys_of(plan: Plan, search: Search, document_bytes: float) -> float:
    """How many keys a document has: bands, the prefix of an exact join, or a single one."""
    solved = search.describe()
    if solved.get("kind") == "join":
        return (1 - min(plan.threshold, 1)) * document_bytes / WORDS + 1
    return float(solved.get("bands", 1))


def _sum(rates: dict[str, float], amounts: dict[str, float]) -> float:
    return sum(rate * amounts[name] for name, rate in rates.items())
