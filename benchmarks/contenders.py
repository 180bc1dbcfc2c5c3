"""Who runs in a race: twinset, the reading of the file alone, and the peers of the benchmark kit.

A contender makes the command for one run and, after it, tells the seconds and the pairs. A peer's
seconds are those inside its process, from before its import to its clusters, without Python's
start and without writing the pairs for us; twinset is charged its whole process, report included.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from measure import Cost
from quality import Pair, ordered, reported_pairs

HERE = Path(__file__).resolve().parent
TWINSET = Path(sys.executable).with_name("twinset")
ENVIRONMENTS = {"baseline": "base"}
PACKAGES = {"textdedup": "text-dedup", "fastsketch": "FastSketchLSH"}


@dataclass(frozen=True)
class Task:
    """The work that all contenders get; ``scratch`` is theirs to write in."""

    corpus: Path
    threshold: float
    recall: float
    threads: int
    memory: str
    scratch: Path


class Contender(Protocol):
    """One row of the table."""

    @property
    def name(self) -> str:
        """What the row is called."""
        ...

    def command(self, task: Task) -> list[str | Path]:
        """What to run; leftovers of an earlier run are removed first."""
        ...

    def seconds(self, task: Task, cost: Cost) -> float:
        """The time that counts."""
        ...

    def pairs(self, task: Task) -> list[Pair] | None:
        """The pairs of the latest run, None for one that has no pairs."""
        ...


@dataclass(frozen=True)
class Twinset:
    """``twinset find``; ``extra`` are further options, such as ``--exact``."""

    name: str = "twinset"
    extra: tuple[str, ...] = ()

    def report(self, task: Task) -> Path:
        """Where the report of this row goes."""
        return task.scratch / f"report-{self.name.replace(' ', '')}"

    def command(self, task: Task) -> list[str | Path]:
        """The command line a user would type."""
        shutil.rmtree(self.report(task), ignore_errors=True)
        asked = ["--threshold", str(task.threshold), "--recall", str(task.recall)]
        limits = ["--threads", str(task.threads), "--memory", task.memory, "--quiet", "--force"]
        return [
            *(TWINSET, "find", task.corpus, "-o", self.report(task)),
            *(*asked, *limits, *self.extra),
        ]

    def seconds(self, task: Task, cost: Cost) -> float:
        """The whole process."""
        return cost.wall

    def pairs(self, task: Task) -> list[Pair] | None:
        """Out of the report folder."""
        return reported_pairs(self.report(task))


@dataclass(frozen=True)
class ArrowRead:
    """``pyarrow.json`` reading the same file, and nothing else."""

    name: str = "pyarrow.json, reading only"

    def command(self, task: Task) -> list[str | Path]:
        """In a process of its own, as the others."""
        return [sys.executable, HERE / "read_json.py", task.corpus, str(task.threads)]

    def seconds(self, task: Task, cost: Cost) -> float:
        """The read alone."""
        return float(cost.output.split()[0])

    def pairs(self, task: Task) -> list[Pair] | None:
        """None."""
        return None


@dataclass(frozen=True)
class Peer:
    """A peer of the kit, ``NAME`` or ``NAME:VARIANT``, in its own virtual environment."""

    name: str
    kit: Path = field(repr=False)
    environments: Path = field(repr=False)
    permutations: int = 128

    @property
    def python(self) -> Path:
        """The interpreter of the peer's environment."""
        peer = self.name.partition(":")[0]
        return self.environments / f"v-{ENVIRONMENTS.get(peer, peer)}" / "bin" / "python"

    @property
    def version(self) -> str:
        """The peer's installed version, empty where its package has another name."""
        peer = self.name.partition(":")[0]
        package = PACKAGES.get(peer, peer)
        ask = f"import importlib.metadata as m; print(m.version({package!r}))"
        done = subprocess.run([self.python, "-c", ask], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def result(self, task: Task) -> Path:
        """Where the peer puts its pairs."""
        return task.scratch / f"peer-{self.name.replace(':', '-')}.json"

    def command(self, task: Task) -> list[str | Path]:
        """The kit's script for this peer."""
        peer, _, variant = self.name.partition(":")
        self.result(task).unlink(missing_ok=True)
        return [
            *(self.python, self.kit / "peers" / f"{peer}_.py", task.corpus),
            *("--threshold", str(task.threshold), "--perm", str(self.permutations)),
            *("--variant", variant, "--out", self.result(task)),
        ]

    def seconds(self, task: Task, cost: Cost) -> float:
        """As the peer's script counts them."""
        return float(self._read(task)["result"]["seconds"])

    def pairs(self, task: Task) -> list[Pair] | None:
        """As the peer's script wrote them; None for a peer that only flags documents."""
        pairs = self._read(task)["pairs"]
        return None if pairs is None else [ordered(left, right) for left, right in pairs]

    def _read(self, task: Task) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.result(task).read_text())
        return content
