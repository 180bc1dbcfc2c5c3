"""A session of Spark: made where there is none, taken where there is one.

Sessions that were made here are closed here; one that a caller or spark-submit has made never is. A
run works in a copy with settings of its own. What Spark itself says goes to a file, which is named
where a run fails.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import sys
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from twinset import errors
from twinset.errors import PlanError, TwinsetError
from twinset.spark.engine import OpenedSpark, SparkEngine, is_local
from twinset.system.remote import is_remote
from twinset.system.serving import called_to_end
from twinset.system.temporary import TemporaryFolder

BLOCK_BYTES = 32 << 20
"""Bytes of a file that a task reads, or of small files that it reads together."""
SETTINGS = {
    # What goes to Python at a time is in Java's memory, and several times in that of Python. Only
    # Spark 4 knows the bound on bytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(4 << 20),
    # Files are cut into the same partitions whenever they are read: by default Spark looks at the
    # number of cores too, which changes where a machine is lost.
    "spark.sql.files.minPartitionNum": "1",
    "spark.sql.files.maxPartitionBytes": str(BLOCK_BYTES),
    "spark.sql.files.openCostInBytes": str(BLOCK_BYTES // 512),
    "spark.sql.caseSensitive": "true",
}
"""What a run sets in its copy of a session."""
AT_START = {
    "spark.app.name": "twinset",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Every sort, every sum and every table that is sent takes a page at least: of 16 MB and more by
    # default, which a thousand documents already fill a heap with.
    "spark.buffer.pageSize": "2m",
}
LOCAL = {
    # Names of machines need not resolve, and nobody else has to reach the driver.
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    # Java compiles once and quickly: to do so again, better, costs more than it gains for up to
    # about a million documents (200,000: 157 CPU seconds in place of 185; 1,000: 62 of 95).
    # Of the collectors the serial one takes the least memory: 600 MB in place of 1,150.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""What suits a Spark in this process."""
JAVA = (
    "install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless), and set JAVA_HOME "
    "to its folder"
)
_FOLDERS: list[TemporaryFolder] = []  # as long as the process
NAMED_LOGS: set[str] = set()
"""Files of Spark's own words that a fault has named: they stay."""


@contextmanager
def opened(engine: SparkEngine) -> Iterator[OpenedSpark]:
    """The engine with a session, which is closed afterwards if it was made for this."""
    spark = open_session(engine)
    is_own = spark is not engine and getattr(spark.session, "twinset_made", False)
    try:
        yield spark
    finally:
        if is_own:
            with suppress(Exception):  # it may have died, which was said already
                spark.session.stop()


def open_session(engine: SparkEngine) -> OpenedSpark:
    """The engine with the session that it names, that is running, or that is made now."""
    if isinstance(engine, OpenedSpark):
        return engine
    from pyspark.sql import SparkSession

    # The active one may be a copy that an earlier run has worked in.
    first = SparkSession._instantiatedSession
    is_open = first is not None and first.sparkContext._jsc is not None
    session = first if is_open else SparkSession.getActiveSession()
    if session is None:
        session = _made(engine)
    elif engine.master not in (None, session.sparkContext.master):
        raise PlanError(
            [
                f"a session of Spark is running on {session.sparkContext.master}, and a process "
                f"has only one: leave master={engine.master} out, or stop the session first"
            ]
        )
    return OpenedSpark(engine.master, engine.partitions, engine.work, session)


def own_session(spark: Any) -> Any:
    """A session like this one, with the settings of a run."""
    from pyspark.sql import SparkSession

    session = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session


def with_work(engine: OpenedSpark, out: str | None = None) -> OpenedSpark:
    """The engine with a folder of its own for tables in between.

    It is one in the folder that was named for them, beside the output, or a temporary one.
    """
    if engine.work is not None:
        work = _address(engine.work)
        if work.startswith("file:"):
            return replace(engine, work=_temporary(work.removeprefix("file:")))
        return replace(engine, work=f"{work}/twinset-{uuid.uuid4().hex[:12]}")
    if out is not None:
        work = f"{_address(out)}.spark"
        if work.startswith("file:"):  # which goes even where Java has ended
            os.makedirs(work.removeprefix("file:"), 0o700, exist_ok=True)
            atexit.register(shutil.rmtree, work.removeprefix("file:"), ignore_errors=True)
        return replace(engine, work=work)
    if is_local(engine.session.sparkContext.master):
        return replace(engine, work=_temporary(tempfile.gettempdir()))
    raise PlanError(
        [
            "tables in between need a folder that all machines of the cluster see: name one, as "
            "engine='spark:work=s3a://bucket/work' or SparkEngine(work=...)"
        ]
    )


def _temporary(parent: str) -> str:
    """A new folder of ours, which the next run removes if this one is killed."""
    os.makedirs(parent, 0o700, exist_ok=True)
    _FOLDERS.append(TemporaryFolder(parent))
    return f"file:{_FOLDERS[-1].path}"


def _address(place: str) -> str:
    """A folder for Spark, for which a path alone would be one of Hadoop's default file system."""
    is_address = is_remote(place) or place.startswith("file:")
    return place.rstrip("/") if is_address else f"file:{os.path.abspath(place)}"


def _made(engine: SparkEngine) -> Any:
    """A new session; Spark's own words go to a file."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # spark-submit has started Java already
    conf = SparkConf()
    if not submitted:
        _ensure_java()
    master = engine.master or conf.get("spark.master", None) or os.environ.get("MASTER")
    if not submitted or engine.master is not None:
        master = master or "local[*]"
        conf.setMaster(master)
    for name, value in (AT_START | (LOCAL if is_local(master) else {})).items():
        conf.setIfMissing(name, value)
    if master and re.match(r"spark://(?:127\.|localhost\b)", master):
        conf.setIfMissing("spark.driver.host", "127.0.0.1")
    gateway, log = None, None
    if not submitted and SparkContext._gateway is None:
        handle, log = tempfile.mkstemp(prefix="twinset-spark-", suffix=".log")
        atexit.register(_remove_unless_named, log)
        ended: list[int] = []
        # A signal in the middle would leave a Java that nobody knows.
        with explained(f"Spark cannot start on {master}", log), called_to_end(ended.append):
            gateway = launch_gateway(conf, {"stderr": handle, "stdout": handle})
        os.close(handle)
        if ended:
            os.unlink(log)
            signal.raise_signal(ended[0])
    with explained(f"Spark cannot start on {master or 'its cluster'}", log):
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
    session.twinset_made, session.twinset_log = True, log
    return session


def _remove_unless_named(log: str) -> None:
    """Remove the file of Spark's own words at the end, unless a fault has named it."""
    if log not in NAMED_LOGS:
        Path(log).unlink(missing_ok=True)


def _ensure_java() -> None:
    """Raise where Java is missing, before Spark fails in its own words."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=home and f"{home}/bin") is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is none"
        raise TwinsetError(f"Spark needs Java, and {where}: {JAVA}")


# ------------------------------------------------------------------------- its faults

OURS = re.compile(r"^(?:\s*E\s+)?twinset\.errors\.(\w+): (.*)$", re.MULTILINE)
"""The last line of a traceback of Python that a task has ended with."""
CAUSE = re.compile(
    r'^(?:Caused by: |Exception in thread "\w+" )[\w.$]*?(\w+(?:Exception|Error): .+)$',
    re.MULTILINE,
)
PYTHON = re.compile(r"^(?:\s*E\s+)?((?:[A-Z]\w*)(?:Error|Exception): .+)$", re.MULTILINE)
LONGEST = 300
REMEDIES = {
    "UnsupportedClassVersionError": JAVA,
    "HADOOP_CONF_DIR": "set HADOOP_CONF_DIR to the folder with the settings of the cluster",
    "UnknownHostException": "no machine has this name: check the address",
    "All masters are unresponsive": "check host and port of the master",
    "No space left on device": "free some space, or name other places: tables in between by "
    "work=FOLDER of --engine, what is sorted by the variable SPARK_LOCAL_DIRS",
}
"""What to do, by words in the fault."""


@contextmanager
def explained(doing: str = "Spark has failed", log: str | None = None) -> Iterator[None]:
    """Turn what pyspark and py4j raise into one sentence, with the file of Spark's own words."""
    try:
        yield
    except TwinsetError:
        raise
    except Exception as fault:
        packages = {each.__module__.partition(".")[0] for each in type(fault).__mro__}
        if not packages & {"pyspark", "py4j"}:
            raise
        text, where = str(fault), ""
        if log:
            NAMED_LOGS.add(log)
            where = f"; what it said is in {log}"
            if "JAVA_GATEWAY_EXITED" in text:
                text = Path(log).read_text(errors="replace") or text
        raise _in_words(text, doing, where) from fault


def _in_words(text: str, doing: str, where: str) -> TwinsetError:
    if ours := OURS.findall(text):
        name, message = ours[-1]
        # A fault with facts of its own cannot be made from its message: the sentence is enough.
        usage = issubclass(getattr(errors, name, TwinsetError), PlanError)
        return PlanError([message]) if usage else TwinsetError(message)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = PYTHON.findall(text) or CAUSE.findall(text) or lines[:1] or ["it gave no reason"]
    remedy = next((f"; {remedy}" for word, remedy in REMEDIES.items() if word in text), "")
    return TwinsetError(f"{doing}: {causes[-1][:LONGEST].rstrip('. ')}{remedy}{where}")
