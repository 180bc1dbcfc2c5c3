"""A session is made or taken; what is missing is said in a sentence with its remedy."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from twinset.engine.spark import session as sessions
from twinset.engine.spark import watching
from twinset.engine.spark.engine import OpenedSpark, SparkEngine
from twinset.engine.spark.faults import explained
from twinset.engine.spark.watching import StageWatch
from twinset.errors import PlanError, TwinsetError


def java(folder: Path, version: str) -> Path:
    """A folder as JAVA_HOME that calls itself this version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("version", "spark"), [("17.0.2", 4), ("21", 4), ("1.8.0_292", 3)])
def test_java_that_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, spark: int
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, version)))
    sessions._ensure_java(spark)


@pytest.mark.parametrize("version", ["11.0.20", "1.8.0_292"])
def test_java_that_is_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, version)))
    with pytest.raises(
        TwinsetError, match=r"Spark 4 needs Java 17 or newer, and .* is Java"
    ) as told:
        sessions._ensure_java(4)
    assert "apt-get install openjdk-17-jre-headless" in str(told.value)


def test_java_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TwinsetError, match="needs Java 17 or newer, and there is none: install"):
        sessions._ensure_java(4)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(TwinsetError, match=r"JAVA_HOME is .*, which has no bin/java: install"):
        sessions._ensure_java(4)


def test_pyspark_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(TwinsetError) as told:
        sessions.open_session(SparkEngine("local[2]"))
    assert str(told.value) == "pyspark is not installed: pip install 'pyspark>=3.5'"


def test_a_master_that_does_not_answer() -> None:
    with socket.socket() as taken:  # a port that nobody listens at
        taken.bind(("127.0.0.1", 0))
        address = f"spark://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(TwinsetError, match=f"no Spark master answers at {address}"):
            sessions._ensure_answer(address)
    with pytest.raises(PlanError, match="has no port: write spark://HOST:PORT"):
        sessions._ensure_answer("spark://host")


def test_a_session_that_runs_is_taken_and_stays_open(spark: Any) -> None:
    before = {name: spark.conf.get(name, None) for name in sessions.SETTINGS}
    with sessions.opened(SparkEngine()) as engine:
        assert engine.session.sparkContext is spark.sparkContext
        with sessions.settled(engine.session):
            assert {n: spark.conf.get(n) for n in sessions.SETTINGS} == sessions.SETTINGS
    assert spark.range(3).count() == 3
    assert {name: spark.conf.get(name, None) for name in sessions.SETTINGS} == before
    with pytest.raises(PlanError, match=r"running on local\[2\], and a process has only one"):
        sessions.open_session(SparkEngine("local[3]"))


def test_tables_in_between_lie_where_all_machines_see_them(spark: Any, tmp_path: Path) -> None:
    engine = OpenedSpark(session=spark)
    assert sessions.with_work(engine, "s3a://bucket/out/").work == "s3a://bucket/out.spark"
    named = OpenedSpark(work="/shared/w", session=spark)
    places = {sessions.with_work(named, "out").work for _ in range(2)}
    assert len(places) == 2  # of two runs at a time
    assert all(place and place.startswith("file:/shared/w/twinset-") for place in places)
    here = sessions.with_work(engine).work
    assert here is not None
    os.rmdir(here.removeprefix("file:"))


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


class Tracker:
    """Stages as Spark tells them: number, tasks, tasks that are done."""

    def __init__(self) -> None:
        self.active: list[tuple[int, int, int]] = []
        self.running = 1

    def getActiveStageIds(self) -> list[int]:  # noqa: N802
        return [number for number, _, _ in self.active]

    def getStageInfo(self, number: int) -> Any:  # noqa: N802
        class Info:
            numActiveTasks = self.running  # noqa: N815
            stageId, numTasks, numCompletedTasks = next(s for s in self.active if s[0] == number)  # noqa: N815

        return Info


class Heard:
    """What a listener to a run hears."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def stage(self, name: str, total: float | None) -> None:
        self.lines.append((name, total))

    def advance(self, amount: float, at: str = "") -> None:
        self.lines.append(amount)

    def close(self) -> None:
        self.lines.append("closed")


def test_progress_counts_the_tasks_of_the_stages() -> None:
    tracker, heard, described = Tracker(), Heard(), list[str]()
    watch = StageWatch(tracker, heard, described.append)
    watch.stage("linking", None)
    watch.look()
    tracker.active = [(7, 40, 3)]
    watch.look()
    tracker.active = [(7, 40, 10), (8, 2, 0)]
    watch.look()
    tracker.active = [(8, 2, 1)]
    watch.look()
    watch.close()
    assert heard.lines == [
        ("linking", None),
        *(("linking, stage 7 of Spark", 40), 3, 7),
        *(("linking, stage 8 of Spark", 2), 1),
        "closed",
    ]
    assert described == ["twinset: linking"]


def test_a_stage_that_nobody_works_on_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOKS", 3)
    tracker, heard = Tracker(), Heard()
    watch = StageWatch(tracker, heard)
    tracker.active, tracker.running = [(7, 40, 0)], 0
    for _ in range(6):
        watch.look()
    named = [line for line in heard.lines if isinstance(line, tuple)]
    assert named == [("stage 7 of Spark", 40), (watching.WAITING, None)]
    tracker.active, tracker.running = [(7, 40, 2)], 1
    for _ in range(2):
        watch.look()
    assert heard.lines[-2:] == [("stage 7 of Spark", 40), 2]


def test_a_session_of_ours_says_nothing_and_ends(tmp_path: Path, spark: Any) -> None:
    program = (
        "from twinset.engine.spark.session import opened\n"
        "from twinset.engine.spark.engine import SparkEngine\n"
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


def test_the_work_folder_is_beside_the_output_however_often_it_is_asked_for() -> None:
    engine = sessions.with_work(OpenedSpark("local[1]"), "/data/out/")
    assert engine.work == "file:/data/out.spark"
    again = sessions.with_work(engine)
    assert again.work is not None
    assert again.work.startswith("file:/data/out.spark/twinset-")
    assert sessions.with_work(OpenedSpark(work="s3a://b/w/")).work.startswith("s3a://b/w/twinset-")  # type: ignore[union-attr]
