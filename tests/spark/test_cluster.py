"""A cluster that loses machines gives the same answer; a run that fails leaves no report."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import twinset
from tests.spark.standalone import ClusterRun, StandaloneCluster

TABLES = {"documents": "number", "pairs": "left", "clusters": "id"}


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


def rows_of(table: Any) -> list[Any]:
    """The rows of a table by their columns, sorted."""
    return sorted((sorted(row.items()) for row in table.to_pylist()), key=repr)


def found(report: Path) -> dict[str, list[Any]]:
    """The tables of a report."""
    assert (report / "manifest.json").is_file()
    return {name: rows_of(pq.read_table(report / f"{name}.parquet")) for name in TABLES}


def begun(report: Path, table: str) -> bool:
    """Whether a run has begun to write a table in between."""
    return any(Path(f"{report}.spark").glob(f"*/{table}"))


def test_an_executor_is_killed_in_the_middle(
    cluster: StandaloneCluster, corpus: Path, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    run = ClusterRun(cluster, ["dedup", corpus, "-o", report])
    run.until(lambda: begun(report, "documents"), "the first pass ends")
    os.kill(cluster.executors()[0], signal.SIGKILL)
    code, said = run.wait()
    assert code == 0, said
    assert found(report) == expected


@pytest.mark.long
def test_an_executor_and_then_a_worker_are_killed(
    cluster: StandaloneCluster, corpus: Path, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    run = ClusterRun(cluster, ["dedup", corpus, "-o", report])
    run.until(lambda: begun(report, "sketches"), "the first pass begins")
    os.kill(cluster.executors()[0], signal.SIGKILL)
    run.until(lambda: begun(report, "linked"), "documents are linked")
    worker = cluster.workers.pop()
    os.killpg(worker.pid, signal.SIGKILL)
    code, said = run.wait()
    cluster.add_workers(1)
    assert code == 0, said
    assert found(report) == expected


@pytest.mark.long
def test_a_task_that_always_fails_leaves_no_report(
    cluster: StandaloneCluster, corpus: Path, tmp_path: Path
) -> None:
    broken, report = tmp_path / "broken.jsonl.gz", tmp_path / "report"
    whole = gzip.compress((corpus / "0.jsonl").read_bytes())
    broken.write_bytes(whole[: len(whole) // 2])
    code, said = ClusterRun(cluster, ["dedup", corpus, broken, "-o", report]).wait()
    assert code == 1, said
    assert said.startswith("twinset: ")
    assert len(said.splitlines()) == 1
    assert not report.exists()


@pytest.mark.long
def test_a_driver_that_is_killed_leaves_no_report_and_the_next_run_succeeds(
    cluster: StandaloneCluster, corpus: Path, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    run = ClusterRun(cluster, ["dedup", corpus, "-o", report])
    run.until(lambda: begun(report, "found"), "documents are compared")
    run.kill()
    assert not report.exists()
    code, said = ClusterRun(cluster, ["dedup", corpus, "-o", report]).wait()
    assert code == 0, said
    assert found(report) == expected


@pytest.mark.long
def test_a_cluster_without_workers_leaves_no_report(
    cluster: StandaloneCluster, corpus: Path, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    report = tmp_path / "report"
    run = ClusterRun(cluster, ["dedup", corpus, "-o", report])
    run.until(lambda: begun(report, "documents"), "the first pass ends")
    while cluster.workers:
        os.killpg(cluster.workers.pop().pid, signal.SIGKILL)
    assert not report.exists()
    # It waits for machines, and goes on where it was when there are some.
    cluster.add_workers(2)
    code, said = run.wait()
    assert code == 0, said
    assert found(report) == expected
