"""Which files Spark reads, in which order and as what: the sources of the local engine."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.model import Fault
from twinset.plan import ReadOptions
from twinset.reading.paths import expand
from twinset.reading.source import Source
from twinset.reading.walked import PassedOver

BLOCK_BYTES = 32 << 20
"""Bytes of a file that a task reads, or of small files that it reads together."""
_PACKED = {"gz": ".gz", "bz2": ".bz2"}
"""What Hadoop unpacks, and the ending by which it knows it."""


@dataclass(frozen=True)
class SparkSources:
    """The sources in reading order, and a session that always cuts them into the same blocks."""

    session: Any
    sources: list[Source]
    options: ReadOptions
    opening_faults: tuple[Fault, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the sources."""
        return [source.name for source in self.sources]

    @property
    def numbers(self) -> dict[str, int]:
        """The number of the source of a file, by the address that Spark has for the file."""
        jvm = self.session._jvm
        return {
            jvm.org.apache.hadoop.fs.Path(address_of(source)).toUri().toString(): number
            for number, source in enumerate(self.sources)
        }

    def lines(self) -> Any:
        """The lines of the files of JSON lines: ``path``, ``block``, ``value`` (their bytes)."""
        from pyspark.sql import functions as f

        reader = self.session.read.option("ignoreCorruptFiles", "false")
        reader = reader.option("ignoreMissingFiles", "false")
        paths = [_escaped(address_of(source)) for source in self.sources]
        lines = reader.text(paths, lineSep="\n")
        return lines.select(
            f.col("_metadata.file_path").alias("path"),
            f.col("_metadata.file_block_start").alias("block"),
            f.col("value").cast("binary").alias("value"),
        )


def address_of(source: Source) -> str:
    """Where Spark finds a source; a path alone would be one of Hadoop's default file system."""
    return f"file:{os.path.abspath(str(source.path))}"


def _escaped(address: str) -> str:
    """The address as a pattern that matches nothing else: Spark takes every path for one."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", address)


def open_sources(
    spark: Any,
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> SparkSources:
    """The sources that the inputs name; what Spark does not read is an error at once."""
    options = options or ReadOptions()
    inputs = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    expansion = expand(inputs, options, regular=True)
    faults = [fault for source in expansion.sources if (fault := _refused(source))]
    if faults:
        raise PlanError(faults)
    return SparkSources(
        reading_session(spark, block_bytes),
        expansion.sources,
        options,
        expansion.faults.take(),
        tuple(expansion.passed_over),
    )


def reading_session(spark: Any, block_bytes: int = BLOCK_BYTES) -> Any:
    """A session like this one that cuts files into the same blocks whenever it reads them.

    By default Spark looks at the number of cores too, which changes where a machine is lost.
    """
    from pyspark.sql import SparkSession

    session = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    settings = {
        "spark.sql.files.minPartitionNum": 1,
        "spark.sql.files.maxPartitionBytes": block_bytes,
        "spark.sql.files.openCostInBytes": block_bytes // 512,
        "spark.sql.execution.arrow.maxRecordsPerBatch": 1000,
    }
    for name, value in settings.items():
        session.conf.set(name, str(value))
    return session


def _refused(source: Source) -> str | None:
    """Why Spark cannot read a source, and the remedy."""
    name = os.path.basename(str(source.path))
    if name[:1] in "._" or ":" in name:
        return f"{source.name}: Spark passes over files of this name; rename it"
    if source.reader != "jsonl":
        return (
            f"{source.name}: files of the format {source.reader} are read on one machine only; "
            "convert them to JSON lines or Parquet, or leave out --engine"
        )
    if source.compression and not name.endswith(_PACKED.get(source.compression, "/")):
        return (
            f"{source.name}: Spark does not unpack {source.compression} under this name; "
            "unpack it, or pack it with gzip and call it .gz"
        )
    return None
