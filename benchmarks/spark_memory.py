"""Memory and CPU time of a run on a cluster: driver and executors, Java and Python apart.

Memory is what the kernel counts as resident (``VmRSS``), pages that processes share in each of
them; the peak of a single process is the kernel's own (``VmHWM``). The master and the workers of
the cluster, which start executors and do no work themselves, are not counted.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from standalone_cluster import ClusterRun, StandaloneCluster, below

EVERY = 0.2
"""Seconds between two looks."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class ClusterMemory:
    """What was seen so far.

    ``peaks`` has the largest process of each role and program, ``together`` the most that the
    processes of a driver or of one executor had at one time, in MB; ``seconds`` are by process.
    """

    peaks: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    together: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[int, float] = field(default_factory=dict)

    def watch(self, run: ClusterRun, cluster: StandaloneCluster) -> None:
        """Look again and again until the run ends."""
        while run.process.poll() is None:
            driver = run.process.pid
            self._look("driver", [driver, *below(driver, b"")])
            for executor in cluster.executors():
                self._look("executor", [executor, *cluster.python_of(executor)])
            time.sleep(EVERY)

    def _look(self, role: str, processes: list[int]) -> None:
        total = 0.0
        for pid in set(processes):
            try:
                status = Path(f"/proc/{pid}/status").read_text()
                times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:  # it is over
                continue
            facts = dict(line.split(":", 1) for line in status.splitlines())
            if "VmRSS" not in facts:
                continue
            self.seconds[pid] = (int(times[11]) + int(times[12])) / TICKS
            total += _mb(facts["VmRSS"])
            name = "Java" if facts["Name"].strip() == "java" else "Python"
            peaks = self.peaks[role]
            peaks[name] = max(peaks.get(name, 0.0), _mb(facts["VmHWM"]))
        self.together[role] = max(self.together[role], total)

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded."""
        return {
            role: {name: round(peak) for name, peak in self.peaks[role].items()}
            | {"together": round(self.together[role])}
            for role in self.together
        }


def _mb(kilobytes: str) -> float:
    return int(kilobytes.split()[0]) / 1024
