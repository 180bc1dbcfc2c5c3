"""A session of Spark: made where there is none, taken where there is one.

Sessions that were made here are closed here; one that a caller or spark-submit has made never is.
What Spark itself says goes to a file, which is named where a run fails.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from twinset.engine.spark.engine import OpenedSpark, SparkEngine, is_local
from twinset.engine.spark.faults import explained
from twinset.errors import PlanError, TwinsetError, remedy
from twinset.system.remote import is_remote

SETTINGS = {
    "spark.sql.adaptive.enabled": "true",
    # What goes to Python at a time is in Java's memory, and several times in that of Python. Only
    # Spark 4 knows the bound on bytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 << 20),
    "spark.sql.files.maxPartitionBytes": str(64 << 20),
    # Small files share a task, but not so many that some processors have none.
    "spark.sql.files.openCostInBytes": str(1 << 20),
}
"""What a run sets in any session, and sets back in one that is not its own."""
AT_START = {
    "spark.app.name": "twinset",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Every sort, every sum and every table that is sent takes a page at least: of 16 MB and more by
    # default, which a thousand documents already fill a heap with.
    "spark.buffer.pageSize": "2m",
}
ALONE = {
    # MLlib's own functions of SQL: to look for such things takes Java three seconds.
    "spark.sql.extensions.test.loadFromCp": "false",
}
"""What a session has to do without that nobody else works in, and that ends with the command."""
LEAST_JAVA = {3: 8, 4: 17}
"""The Java that each version of Spark needs at least."""
PATIENCE = 5.0
"""Seconds in which a master has to answer."""


@contextmanager
def opened(engine: SparkEngine) -> Iterator[OpenedSpark]:
    """The engine with a session, which is closed afterwards if it was made for this.

    The file with Spark's own words stays where something went wrong.
    """
    spark = open_session(engine, alone=True)
    is_own = spark is not engine and getattr(spark.session, "twinset_made", False)
    log = getattr(spark.session, "twinset_log", None)
    try:
        yield spark
        if is_own and log is not None:
            os.unlink(log)
    finally:
        if is_own:
            with suppress(Exception):  # it may have died, which was said already
                spark.session.stop()


def open_session(engine: SparkEngine, alone: bool = False) -> OpenedSpark:
    """The engine with the session that it names, that is running, or that is made now.

    One that is made for a command ``alone`` knows no more than that needs.
    """
    if isinstance(engine, OpenedSpark):
        return engine
    with _without_pandas():
        return _taken_or_made(engine, alone)


def _taken_or_made(engine: SparkEngine, alone: bool) -> OpenedSpark:
    _ensure_pyspark()
    from pyspark.sql import SparkSession

    # The active one may be a copy that an earlier run has worked in.
    first = SparkSession._instantiatedSession
    is_open = first is not None and first.sparkContext._jsc is not None
    running = first if is_open else SparkSession.getActiveSession()
    if running is not None:
        master = running.sparkContext.master
        if engine.master not in (None, master):
            raise PlanError(
                [
                    f"a session of Spark is running on {master}, and a process has only one: "
                    f"leave master={engine.master} out, or stop the session first"
                ]
            )
        session = running
    else:
        session = _made(engine, alone)
    return OpenedSpark(engine.master, engine.partitions, engine.work, session)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Leave out what pyspark says of pandas, when it is loaded and of every table: none is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


@contextmanager
def settled(session: Any) -> Iterator[None]:
    """A session with our settings, which has its own again afterwards."""
    before = {name: session.conf.get(name, None) for name in SETTINGS}
    try:
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
        with _without_pandas():
            yield
    finally:
        for name, old in before.items():
            with suppress(Exception):
                session.conf.unset(name) if old is None else session.conf.set(name, old)


def with_work(engine: OpenedSpark, out: str | None = None) -> OpenedSpark:
    """The engine with a folder of its own for tables in between.

    It is one in the folder that was named for them, beside the output, or a temporary one.
    """
    if engine.work is not None:
        return replace(engine, work=f"{_address(engine.work)}/twinset-{uuid.uuid4().hex[:12]}")
    if out is not None:
        return replace(engine, work=f"{_address(out)}.spark")
    if is_local(engine.session.sparkContext.master):
        folder = tempfile.mkdtemp(prefix="twinset-spark-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return replace(engine, work=_address(folder))
    raise PlanError(
        [
            "tables in between need a folder that all machines of the cluster see: name one, as "
            "engine='spark:work=s3a://bucket/work' or SparkEngine(work=...)"
        ]
    )


def _address(place: str) -> str:
    """A folder for Spark, for which a path alone would be one of Hadoop's default file system."""
    is_address = is_remote(place) or place.startswith("file:")
    return place.rstrip("/") if is_address else f"file:{os.path.abspath(place)}"


def _ensure_pyspark() -> None:
    try:
        import pyspark
    except ImportError:
        raise TwinsetError(f"pyspark is not installed: {remedy('spark')}") from None
    if [int(part) for part in re.findall(r"\d+", pyspark.__version__)[:2]] < [3, 5]:
        raise TwinsetError(f"pyspark {pyspark.__version__} is too old: {remedy('spark')}")


def _made(engine: SparkEngine, alone: bool) -> Any:
    """A new session; Spark's own words go to a file."""
    import pyspark
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # spark-submit has started Java already
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    conf = SparkConf()
    if not submitted:
        _ensure_java(int(pyspark.__version__.partition(".")[0]))
    master = engine.master or conf.get("spark.master", None) or os.environ.get("MASTER")
    if not submitted or engine.master is not None:
        master = master or "local[*]"
        _ensure_answer(master)
        conf.setMaster(master)
    settings = AT_START | SETTINGS | _of_master(master)
    for name, value in (settings | ALONE if alone and not submitted else settings).items():
        conf.setIfMissing(name, value)
    gateway, log = None, None
    if not submitted and SparkContext._gateway is None:
        from pyspark.java_gateway import launch_gateway

        handle, log = tempfile.mkstemp(prefix="twinset-spark-", suffix=".log")
        threading.Thread(target=_load_ahead, daemon=True, name="twinset-spark-loading").start()
        with explained(f"Spark cannot start on {master}", log):
            gateway = launch_gateway(conf, {"stderr": handle, "stdout": handle})
        os.close(handle)
    with explained(f"Spark cannot start on {master or 'its cluster'}", log):
        context = SparkContext(conf=conf, gateway=gateway)
        session = SparkSession(context)
    session.twinset_made, session.twinset_log = True, log
    return session


def _load_ahead() -> None:
    """Load what a run needs while Java starts; pyspark asks for pandas, though none is used."""
    for name in ("twinset.engine.spark.run", "pandas"):
        with suppress(ImportError):  # which is said where it is needed
            import_module(name)


def _of_master(master: str | None) -> dict[str, str]:
    """Settings that suit one master alone."""
    if is_local(master):
        # Names of machines need not resolve, and nobody else has to reach the driver.
        here = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        # Java compiles once and quickly: to do so again, better, costs more than it gains for up to
        # about a million documents (200,000: 157 CPU seconds in place of 185; 1,000: 62 of 95).
        # Of the collectors the serial one takes the least memory: 600 MB in place of 1,150.
        options = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        quick = {"spark.driver.defaultJavaOptions": options}
        return {**here, **quick, "spark.ui.enabled": "false"}
    if master and re.match(r"spark://(?:127\.|localhost\b)", master):
        return {"spark.driver.host": "127.0.0.1"}
    return {}


def _ensure_java(spark: int) -> None:
    """Raise where Java is missing or too old, before Spark fails in its own words."""
    least = LEAST_JAVA.get(spark, max(LEAST_JAVA.values()))
    install = (
        f"install Java {max(least, 17)} (Debian: apt-get install openjdk-17-jre-headless) and set "
        "JAVA_HOME to its folder"
    )
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not os.access(java, os.X_OK):
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is none"
        raise TwinsetError(f"Spark needs Java {least} or newer, and {where}: {install}")
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise TwinsetError(f"Spark needs Java, and {java} does not run: {install}") from None
    number = re.search(r'version "(?:1\.)?(\d+)', told.stderr)
    if number is not None and int(number[1]) < least:
        raise TwinsetError(
            f"Spark {spark} needs Java {least} or newer, and {java} is Java {number[1]}: {install}"
        )


def _ensure_answer(master: str) -> None:
    """Raise where nobody answers at the address: Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    faults = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit():
            raise PlanError(
                [f"master '{master}' has no port: write spark://HOST:PORT, as spark://{place}:7077"]
            )
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
        except OSError as fault:
            faults.append(str(fault.strerror or fault).lower())
            continue
        return
    raise TwinsetError(
        f"no Spark master answers at {master} ({faults[-1]}): check host and port, or start one "
        "with 'spark-class org.apache.spark.deploy.master.Master'"
    )
