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
from typing import Any

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


@dataclass(frozen=True)
class Twinset:
    """``twinset find``; ``extra`` are further options, such as ``--exact``.

    With an engine of its own it is given neither threads nor memory.
    """

    name: str = "twinset"
    extra: tuple[str, ...] = ()
    engine: str = ""
    program: Path = TWINSET

    def report(self, task: Task) -> Path:
        return task.scratch / f"report-{self.name.replace(' ', '')}"

    def command(self, task: Task) -> list[str | Path]:
        shutil.rmtree(self.report(task), ignore_errors=True)
        asked = ["--threshold", str(task.threshold), "--recall", str(task.recall)]
        limits = ["--threads", str(task.threads), "--memory", task.memory]
        limits = ["--engine", self.engine] if self.engine else limits
        return [
            *(self.program, "find", task.corpus, "-o", self.report(task)),
            *(*asked, *limits, "--quiet", "--force", *self.extra),
        ]

    def seconds(self, task: Task, cost: Cost) -> float:
        return cost.wall

    def pairs(self, task: Task) -> list[Pair] | None:
        return reported_pairs(self.report(task))


@dataclass(frozen=True)
class ArrowRead:
    """``pyarrow.json`` reading the same file, and nothing else."""

    name: str = "pyarrow.json, reading only"

    def command(self, task: Task) -> list[str | Path]:
        return [sys.executable, HERE / "read_json.py", task.corpus, str(task.threads)]

    def seconds(self, task: Task, cost: Cost) -> float:
        return float(cost.output.split()[0])

    def pairs(self, task: Task) -> list[Pair] | None:
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
        return task.scratch / f"peer-{self.name.replace(':', '-')}.json"

    def command(self, task: Task) -> list[str | Path]:
        peer, _, variant = self.name.partition(":")
        self.result(task).unlink(missing_ok=True)
        return [
            *(self.python, self.kit / "peers" / f"{peer}_.py", task.corpus),
            *("--threshold", str(task.threshold), "--perm", str(self.permutations)),
            *("--variant", variant, "--out", self.result(task)),
        ]

    def seconds(self, task: Task, cost: Cost) -> float:
        return float(self._read(task)["result"]["seconds"])

    def pairs(self, task: Task) -> list[Pair] | None:
        """As the peer's script wrote them; None for a peer that only flags documents."""
        pairs = self._read(task)["pairs"]
        return None if pairs is None else [ordered(left, right) for left, right in pairs]

    def _read(self, task: Task) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.result(task).read_text())
        return content


Contender = Twinset | ArrowRead | Peer
