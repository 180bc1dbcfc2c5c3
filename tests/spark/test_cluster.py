"""A cluster that loses machines gives the same answer; a run that fails leaves no report."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import twinset
from tests.spark.standalone_cluster import QUICK, ClusterRun, StandaloneCluster

TABLES = {"documents": "number", "pairs": "left", "clusters": "id"}
SETTINGS = {
    "spark.executor.memory": "512m",
    "spark.driver.memory": "512m",
    "spark.driver.defaultJavaOptions": QUICK,
    "spark.executor.defaultJavaOptions": QUICK,
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """A master and two workers."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed, which Spark runs on")
    running = StandaloneCluster(tmp_path_factory.mktemp("cluster") / "spark")
    yield running
    running.close()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four files of documents, a third of them edited copies."""
    chance, folder = random.Random(5), tmp_path_factory.mktemp("corpus")
    words = ["".join(chance.choices("etaoinsr", k=5)) for _ in range(3000)]
    texts: list[list[str]] = []
    for _ in range(400):
        text = list(chance.choice(texts)) if texts and chance.random() < 0.35 else None
        if text is None:
            text = chance.choices(words, k=60)
        elif chance.random() < 0.7:
            text[chance.randrange(60)] = chance.choice(words)
        texts.append(text)
    for number in range(4):
        rows = (
            {"id": f"d{place}", "text": " ".join(text)}
            for place, text in enumerate(texts)
            if place % 4 == number
        )
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{number}.jsonl").write_text(lines)
    return folder


@pytest.fixture(scope="module")
def expected(corpus: Path) -> dict[str, list[Any]]:
    """What one machine makes of it."""
    findings = twinset.dedup(corpus)
    return {name: rows_of(getattr(findings, name)) for name in TABLES}


@dataclass(frozen=True)
class Setting:
    """What every test begins with: a cluster, a corpus and where the report goes."""

    cluster: StandaloneCluster
    corpus: Path
    expected: dict[str, list[Any]]
    report: Path

    def begin(self, *more: Path, **settings: str) -> ClusterRun:
        """Start the deduplication of the corpus, and of more inputs."""
        words = ["dedup", self.corpus, *more, "-o", self.report]
        return ClusterRun(self.cluster, words, SETTINGS | settings)

    def begun(self, table: str) -> bool:
        """Whether the run has begun to write a table in between."""
        return Path(f"{self.report}.spark", table).exists()

    def ends_well(self, run: ClusterRun) -> None:
        """Wait for the end of the run; its tables are those of one machine."""
        code, said = run.wait()
        assert code == 0, said
        assert (self.report / "manifest.json").is_file()
        tables = {name: pq.read_table(self.report / f"{name}.parquet") for name in TABLES}
        assert {name: rows_of(table) for name, table in tables.items()} == self.expected


@pytest.fixture
def setting(
    cluster: StandaloneCluster, corpus: Path, expected: dict[str, list[Any]], tmp_path: Path
) -> Setting:
    """A report that is not there yet."""
    return Setting(cluster, corpus, expected, tmp_path / "report")


def rows_of(table: Any) -> list[Any]:
    """The rows of a table by their columns, sorted."""
    return sorted((sorted(row.items()) for row in table.to_pylist()), key=repr)


def test_an_executor_is_killed_in_the_middle(setting: Setting) -> None:
    run = setting.begin()
    run.until(lambda: setting.begun("documents"), "the first pass ends")
    os.kill(setting.cluster.executors()[0], signal.SIGKILL)
    setting.ends_well(run)


@pytest.mark.long
def test_an_executor_and_then_a_worker_are_killed(setting: Setting) -> None:
    run = setting.begin()
    run.until(lambda: setting.begun("sketches"), "the first pass begins")
    os.kill(setting.cluster.executors()[0], signal.SIGKILL)
    run.until(lambda: setting.begun("documents"), "documents are linked")
    os.killpg(setting.cluster.workers.pop().pid, signal.SIGKILL)
    setting.ends_well(run)
    setting.cluster.add_workers(1)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the workers have one address")
def test_a_machine_that_hangs_is_left_behind(setting: Setting) -> None:
    run = setting.begin(
        **{
            "spark.speculation": "true",
            "spark.speculation.task.duration.threshold": "5s",
        }
    )
    run.until(lambda: setting.begun("documents"), "the first pass ends")
    executor = setting.cluster.executors()[0]
    stopped = run.until(lambda: setting.cluster.python_of(executor), "Python has begun")
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        setting.ends_well(run)
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):  # as one that Spark has ended
                os.kill(pid, signal.SIGKILL)


@pytest.mark.long
def test_a_driver_that_is_killed_leaves_no_report_and_the_next_run_succeeds(
    setting: Setting,
) -> None:
    run = setting.begin()
    run.until(lambda: setting.begun("found"), "documents are compared")
    run.kill()
    assert not setting.report.exists()
    setting.ends_well(setting.begin())


@pytest.mark.long
def test_a_cluster_without_workers_leaves_no_report(setting: Setting) -> None:
    run = setting.begin()
    run.until(lambda: setting.begun("documents"), "the first pass ends")
    while setting.cluster.workers:
        os.killpg(setting.cluster.workers.pop().pid, signal.SIGKILL)
    assert not setting.report.exists()
    # It waits for machines, and goes on where it was when there are some.
    setting.cluster.add_workers(2)
    setting.ends_well(run)
