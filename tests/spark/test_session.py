"""A session is made or taken; what is missing is said in a sentence with its remedy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from twinset.errors import PlanError, TwinsetError
from twinset.spark import engine
from twinset.spark import session as sessions
from twinset.spark.engine import OpenedSpark, SparkEngine
from twinset.spark.session import explained


def test_java_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TwinsetError, match="needs Java, and there is none: install Java 17"):
        sessions._ensure_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(TwinsetError, match=r"JAVA_HOME is .*, which has no bin/java: install"):
        sessions._ensure_java()


def test_pyspark_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(engine, "version", missing)
    with pytest.raises(TwinsetError) as told:
        engine.spark_engine("spark:local[2]")
    assert str(told.value) == "pyspark is not installed: pip install 'pyspark>=3.5'"


def test_a_session_that_runs_is_taken_and_stays_open(spark: Any) -> None:
    before = {name: spark.conf.get(name, None) for name in sessions.SETTINGS}
    with sessions.opened(SparkEngine()) as opened:
        assert opened.session.sparkContext is spark.sparkContext
        own = sessions.own_session(opened.session)
        assert {name: own.conf.get(name) for name in sessions.SETTINGS} == sessions.SETTINGS
    assert spark.range(3).count() == 3
    assert {name: spark.conf.get(name, None) for name in sessions.SETTINGS} == before
    with pytest.raises(PlanError, match=r"running on local\[2\], and a process has only one"):
        sessions.open_session(SparkEngine("local[3]"))


def test_a_fault_of_ours_in_a_task_is_said_as_it_is(spark: Any) -> None:
    def fail(batches: Any) -> Any:
        from twinset.errors import ReadError

        raise ReadError("corpus.jsonl", 3, "no text; name its field with --text")

    with pytest.raises(TwinsetError) as told, explained():
        spark.range(4).mapInArrow(fail, "id bigint").collect()
    assert str(told.value) == "corpus.jsonl:3: no text; name its field with --text"


def test_a_fault_of_spark_is_one_line_with_the_place_of_the_rest(spark: Any) -> None:
    def fail(batches: Any) -> Any:
        raise ValueError("quite wrong")

    with pytest.raises(TwinsetError) as told, explained(log="/tmp/spark.log"):
        spark.range(4).mapInArrow(fail, "id bigint").collect()
    assert str(told.value) == (
        "Spark has failed: ValueError: quite wrong; what it said is in /tmp/spark.log"
    )
    with pytest.raises(ZeroDivisionError), explained():
        _ = 1 / 0  # a bug of ours is none of Spark's


def command(folder: Path, engine: str, **environment: str) -> subprocess.Popen[str]:
    """A deduplication of 20,000 documents on a Spark of its own."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed, which Spark runs on")
    rows = ({"id": str(n), "text": f"a few words {n} {n * 7} {n * 3}"} for n in range(20_000))
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["-c", "from twinset.cli import main; main()", "find", "in.jsonl", "-o", "out", "-q"]
    (folder / "tmp").mkdir()
    return subprocess.Popen(
        [sys.executable, *words, "--engine", f"spark:{engine}"],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder / "tmp")} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_of(folder: Path) -> list[str]:
    """Processes whose files for a while are there."""
    mark, found = str(folder / "tmp").encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                found.append(process.name)
    return found


@pytest.mark.parametrize(
    "moment", [pytest.param("tmp/twinset-spark-*.log", marks=pytest.mark.long), "out.spark/*"]
)
def test_a_run_that_is_asked_to_end_leaves_nothing(tmp_path: Path, moment: str) -> None:
    run = command(tmp_path, "master=local[1]")
    end = time.monotonic() + 180
    while not list(tmp_path.glob(moment)):
        assert time.monotonic() < end
        time.sleep(0.02)
    run.terminate()
    assert run.communicate(timeout=60) == ("", "twinset: stopped; nothing was written\n")
    assert run.returncode == 143
    while processes_of(tmp_path):
        assert time.monotonic() < end + 30
        time.sleep(0.1)
    left = {path.name for path in tmp_path.rglob("*") if "hsperf" not in str(path)}
    assert left == {"in.jsonl", "tmp"}


def test_faults_of_machines_have_a_remedy() -> None:
    class OfSparkError(Exception):
        pass

    OfSparkError.__module__ = "pyspark.errors"
    for fault, words in (
        ("java.net.UnknownHostException: x", "UnknownHostException: x; no machine has this name"),
        ("java.io.IOException: No space left on device", "; free some space, or name other places"),
        ("java.lang.UnsupportedClassVersionError: org/a/b", "; install Java 17 or newer"),
        ("org.SparkException: either HADOOP_CONF_DIR or YARN", "; set HADOOP_CONF_DIR to the fold"),
    ):
        with pytest.raises(TwinsetError) as told, explained():
            raise OfSparkError(f"An error occurred\nCaused by: {fault}\n\tat some place")
        assert words in str(told.value)


def test_a_session_of_ours_says_nothing_and_ends(tmp_path: Path, spark: Any) -> None:
    program = (
        "from twinset.spark.session import opened\n"
        "from twinset.spark.engine import SparkEngine\n"
        "with opened(SparkEngine('local[1]')) as engine:\n"
        "    print(engine.session.range(5).count(), engine.session.twinset_log)\n"
        "    assert engine.session.sparkContext.master == 'local[1]'\n"
        "from pyspark import SparkContext\n"
        "assert SparkContext._active_spark_context is None\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    count, log = done.stdout.split()
    assert count == "5"
    assert not Path(log).exists(), "only a run that fails leaves it"


def test_the_work_folder_is_beside_the_output_however_often_it_is_asked_for(
    tmp_path: Path,
) -> None:
    engine = sessions.with_work(OpenedSpark("local[1]"), f"{tmp_path}/out/")
    assert engine.work == f"file:{tmp_path}/out.spark"
    again = sessions.with_work(engine)
    assert again.work is not None
    assert again.work.startswith(f"file:{tmp_path}/out.spark/twinset-")
    named = OpenedSpark("local[1]", work=str(tmp_path / "w"))
    places = {sessions.with_work(named, "out").work for _ in range(2)}
    assert len(places) == 2  # of two runs at a time
    assert all(place and place.startswith(f"file:{tmp_path}/w/twinset-") for place in places)
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o700
    assert sessions.with_work(OpenedSpark(work="s3a://b/w/")).work.startswith("s3a://b/w/twinset-")  # type: ignore[union-attr]
