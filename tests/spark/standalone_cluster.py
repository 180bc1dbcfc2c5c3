"""A standalone cluster of Spark on this machine: a master and workers as processes of their own.

The tests kill some of them while a run goes on.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 300.0
EXECUTOR = b"CoarseGrainedExecutorBackend"
PYTHON = b"pyspark.daemon"
QUICK = "-XX:TieredStopAtLevel=1"
"""Java compiles once and quickly: these processes do not live long."""


def wait_for(what: Callable[[], Any], doing: str) -> Any:
    """What this gives as soon as it gives something."""
    end = time.monotonic() + PATIENCE
    while not (given := what()):
        assert time.monotonic() < end, f"it does not happen: {doing}"
        time.sleep(0.02)
    return given


class StandaloneCluster:
    """Started with a number of workers of one core each; ``close`` ends all that is left."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        import pyspark

        self.folder = folder
        self._home = Path(pyspark.__file__).parent
        self._started: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.runs: list[subprocess.Popen[bytes]] = []
        folder.mkdir(parents=True)
        master = self._start("master.Master", "--host", "127.0.0.1", "--port", "0")
        self.address = self._said(master, r"Starting Spark master at (spark://\S+)")
        self.add_workers(workers)

    def add_workers(self, count: int) -> None:
        """More machines of the cluster."""
        added = []
        for _ in range(count):
            place = self.folder / f"worker-{len(self._started)}"
            options = ["--host", self._host(), "-c", "1", "-m", "700m", "-d", str(place)]
            added.append(self._start("worker.Worker", *options, self.address))
        for worker in added:
            self._said(worker, "(Successfully registered) with master")
        self.workers += added

    def _host(self) -> str:
        """An address of its own for each: Spark repeats a slow task on another machine alone."""
        return f"127.0.0.{len(self._started)}" if sys.platform == "linux" else "127.0.0.1"

    def executors(self) -> list[int]:
        """The processes that run tasks, oldest first."""
        return [pid for worker in self.workers for pid in below(worker.pid, EXECUTOR)]

    def python_of(self, executor: int) -> list[int]:
        """The processes of Python that an executor has started."""
        return below(executor, PYTHON)

    def close(self) -> None:
        """Kill everything."""
        for process in [*self.runs, *self._started]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()

    def _start(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        program = self._home / "bin" / "spark-class"
        log = self.folder / f"{len(self._started)}.log"
        own = {
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
        }
        with log.open("wb") as file:
            process = subprocess.Popen(
                [program, f"org.apache.spark.deploy.{name}", "--webui-port", "0", *options],
                stdout=file,
                stderr=file,
                env={**os.environ, **own},
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _said(self, process: subprocess.Popen[bytes], pattern: str) -> str:
        log = self.folder / f"{self._started.index(process)}.log"
        found: re.Match[str] = wait_for(
            lambda: re.search(pattern, log.read_text(errors="replace")), pattern
        )
        return found[1]


class ClusterRun:
    """``twinset`` on a cluster, as a process that one can look at while it works."""

    def __init__(
        self, cluster: StandaloneCluster, words: Sequence[object], settings: Mapping[str, str]
    ) -> None:
        conf = cluster.folder / f"conf-{time.monotonic_ns()}"
        conf.mkdir()
        lines = (f"{name} {value}\n" for name, value in settings.items())
        (conf / "spark-defaults.conf").write_text("".join(lines))
        command = [sys.executable, "-m", "twinset", *map(str, words), "--quiet"]
        self.process = subprocess.Popen(
            [*command, "--engine", f"spark:master={cluster.address}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "SPARK_CONF_DIR": str(conf), "PYSPARK_PYTHON": sys.executable},
            start_new_session=True,
        )
        cluster.runs.append(self.process)

    def wait(self) -> tuple[int, str]:
        """The exit code and all that was said."""
        said, _ = self.process.communicate(timeout=4 * PATIENCE)
        return self.process.returncode, said.decode(errors="replace")

    def until(self, what: Callable[[], Any], doing: str) -> Any:
        """Wait for something to happen while the run goes on."""

        def look() -> Any:
            given = what()
            assert given or self.process.poll() is None, f"over before {doing}: {self.wait()[1]}"
            return given

        return wait_for(look, doing)

    def kill(self) -> None:
        """End the driver and its Java at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def below(ancestor: int, mark: bytes) -> list[int]:
    """The processes below this one whose command has the mark."""
    parents, commands = dict[int, int](), dict[int, bytes]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
                commands[int(entry.name)] = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            parents[int(entry.name)] = int(state[1])

    def is_below(pid: int) -> bool:
        while pid in parents and pid != ancestor:
            pid = parents[pid]
        return pid == ancestor

    return sorted(pid for pid, words in commands.items() if mark in words and is_below(pid))
