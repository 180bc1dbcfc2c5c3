"""The Spark engine as an option, and which engine a caller means."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from twinset.errors import PlanError, TwinsetError, remedy
from twinset.plan.spec import checked, make, option
from twinset.system.remote import RemotePath, is_address

MASTER = re.compile(
    r"local(?:\[(?:\*|[1-9]\d*)(?:, *[1-9]\d*)?\])?"  # local, local[2], local[*], local[2,4]
    r"|local-cluster\[\d+, *\d+, *\d+\]"
    r"|yarn|[a-z][a-z0-9+.-]*://\S+"
)


@dataclass(frozen=True)
class SparkEngine:
    """Runs on Apache Spark: for collections that one machine is too small for."""

    master: str | None = option(
        None,
        "The cluster: local[2], spark://HOST:7077, yarn; without it that of spark-submit, or "
        "local[*].",
    )
    partitions: int = option(
        0, "Number of parts that tables are cut into; 0: by the size of the input.", least=0
    )
    work: str | None = option(
        None, "Folder or address for tables in between; all machines of the cluster must see it."
    )

    def faults(self) -> list[str]:
        """A master that Spark would not understand."""
        if self.master is None or MASTER.fullmatch(self.master):
            return []
        return [
            f"master '{self.master}' is no address of a cluster; write local[2], local[*], "
            "spark://HOST:7077, yarn or k8s://URL"
        ]


@dataclass(frozen=True)
class OpenedSpark(SparkEngine):
    """An engine with the session that it works in, which stays open."""

    session: Any = field(default=None, compare=False, repr=False)


def is_local(master: str | None) -> bool:
    """Whether a master is this machine, and nothing but this process."""
    return master is not None and re.match(r"local(?!-cluster)", master) is not None


def is_spark_frame(documents: Any) -> bool:
    """Whether these are rows of Spark; asks nothing of pyspark."""
    return _is_of_spark(documents, "DataFrame")


def spark_engine(engine: Any, documents: Any = None) -> SparkEngine | None:
    """The Spark engine that is meant; None for the local one.

    A DataFrame of Spark without an engine runs in its own session.
    """
    if engine is None and is_spark_frame(documents):
        engine = documents.sparkSession
    if engine is None:
        return None
    if isinstance(engine, str):
        engine = make("engine", engine)
    from twinset.run.local import Local

    if isinstance(engine, Local):
        return None
    if _is_of_spark(engine, "SparkSession"):
        if type(engine).__module__.startswith("pyspark.sql.connect"):
            raise PlanError(
                [
                    "a session of Spark Connect shows neither files nor tasks of its cluster: run "
                    "on the cluster, by spark-submit or in a notebook with a classic session"
                ]
            )
        return OpenedSpark(session=engine)
    if not isinstance(engine, SparkEngine):
        raise PlanError(
            [
                "engine must be 'local', 'spark:master=URL', an engine or a SparkSession, not "
                f"{type(engine).__name__}"
            ]
        )
    _ensure_pyspark()
    return engine if isinstance(engine, OpenedSpark) else checked("engine", engine)


def _ensure_pyspark() -> None:
    try:
        found = version("pyspark")
    except PackageNotFoundError:
        raise TwinsetError(f"pyspark is not installed: {remedy('spark')}") from None
    if [int(part) for part in re.findall(r"\d+", found)[:2]] < [3, 5]:
        raise TwinsetError(f"pyspark {found} is too old: {remedy('spark')}")


def documents_for_spark(documents: Any) -> Any:
    """A DataFrame as it is, paths and addresses as texts; raises for what lies in memory."""
    if is_spark_frame(documents):
        return documents
    single = isinstance(documents, str | os.PathLike | RemotePath)
    listed = [documents] if single else documents
    if (
        isinstance(listed, list | tuple)
        and listed
        and (single or all(isinstance(item, os.PathLike) or is_address(item) for item in listed))
    ):
        return [os.fspath(item) if isinstance(item, os.PathLike) else str(item) for item in listed]
    raise PlanError(
        [
            "Spark reads files, folders, addresses and its own DataFrames, and these documents are "
            f"in memory ({type(documents).__name__}): make a DataFrame of them, write them to "
            "files, or run them with engine='local'"
        ]
    )


def _is_of_spark(item: Any, name: str) -> bool:
    return any(
        each.__name__ == name and each.__module__.startswith("pyspark.sql")
        for each in type(item).__mro__
    )
