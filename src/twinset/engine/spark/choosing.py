"""Which engine a caller means: a name, an object, a session of Spark, or that of a DataFrame."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from twinset.errors import PlanError
from twinset.spec import checked, make
from twinset.system.remote import RemotePath, is_address

if TYPE_CHECKING:
    from twinset.engine.spark.engine import SparkEngine


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
    from twinset.engine.local import Local
    from twinset.engine.spark.engine import OpenedSpark, SparkEngine

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
    return engine if isinstance(engine, OpenedSpark) else checked("engine", engine)


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
