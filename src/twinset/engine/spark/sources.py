"""Which files Spark reads, in which order and as what: the sources of the local engine."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from twinset.engine.spark.checks import LOCAL
from twinset.engine.spark.elsewhere import SparkInputs
from twinset.errors import PlanError
from twinset.lazy_dataclass import dataclass
from twinset.model import Fault
from twinset.plan import ReadOptions
from twinset.reading.compression import SUFFIXES
from twinset.reading.faults import Faults
from twinset.reading.formats import suffix_of
from twinset.reading.parquet import parquet_columns, parquet_schema
from twinset.reading.paths import expand
from twinset.reading.signs import HTML, PLAIN
from twinset.reading.source import ReadJob, Source
from twinset.reading.unread import no_text_column
from twinset.reading.walked import PassedOver
from twinset.system.remote import Place

BLOCK_BYTES = 32 << 20
"""Bytes of a file that a task reads, or of small files that it reads together."""
READ = ("jsonl", "csv", "tsv", "parquet", "files")
"""The formats that Spark reads; of plain files those alone that are text by their names."""
UNPACKED = ("gz", "bz2")
"""What Hadoop unpacks, by the ending of the name."""


@dataclass(frozen=True)
class SparkSources:
    """The sources in reading order, and a session that always cuts them into the same blocks.

    ``columns`` has the numbers of the Parquet files by the columns that they have. ``faults`` are
    those met before anything was read, each with the number of its source, or -1. ``chosen`` are
    the numbers of the sources that are read, None where all are.
    """

    session: Any
    sources: list[Source]
    options: ReadOptions
    columns: dict[pa.Schema, tuple[int, ...]] = field(default_factory=dict)
    faults: tuple[tuple[int, Fault], ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    chosen: frozenset[int] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the sources."""
        return [source.name for source in self.sources]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of the source of a file, by the address that Spark has for the file."""
        return {
            uri_of(address_of(source.path)): number
            for number, source in enumerate(self.sources)
            if source.reader != "files"
        }

    def of(self, *readers: str) -> tuple[int, ...]:
        """The numbers of the sources of a format."""
        every = enumerate(self.sources)
        numbers = (number for number, source in every if source.reader in readers)
        return tuple(n for n in numbers if self.chosen is None or n in self.chosen)

    def among(self, files: Collection[int]) -> SparkSources:
        """The same, of which these files alone are read."""
        read = {
            schema: tuple(number for number in numbers if number in files)
            for schema, numbers in self.columns.items()
        }
        columns = {schema: numbers for schema, numbers in read.items() if numbers}
        return replace(self, columns=columns, chosen=frozenset(files))

    @property
    def reader(self) -> Any:
        """Spark's reader, which is not to leave anything out."""
        reader = self.session.read.option("ignoreCorruptFiles", "false")
        return reader.option("ignoreMissingFiles", "false").option("mergeSchema", self._is_mixed)

    @property
    def _is_mixed(self) -> bool:
        """Whether Spark looks at the columns of Parquet files itself."""
        return any(not isinstance(source.path, Path) for source in self.sources)

    @property
    def block_bytes(self) -> int:
        """How much of a file a task reads."""
        return int(self.session.conf.get("spark.sql.files.maxPartitionBytes"))

    def with_blocks_of(self, size: int) -> SparkSources:
        """The same, with blocks of at least so many bytes."""
        return replace(self, session=reading_session(self.session, max(size, self.block_bytes)))


def address_of(path: Place) -> str:
    """Where Spark finds a file; a path alone would be one of Hadoop's default file system."""
    return f"file:{os.path.abspath(path)}" if isinstance(path, Path) else str(path)


def uri_of(address: str) -> str:
    """The address as Spark spells it in ``_metadata.file_path``: a URI in which letters stay."""
    head, path = re.fullmatch(r"([\w+.-]+:(?://[^/]*)?)(.*)", address, re.DOTALL).groups()  # type: ignore[union-attr]
    return head + re.sub(
        r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\"#%<>?\[\\\]^`{|}]",
        lambda sign: quote(sign[0], safe=""),
        path,
    )


def as_pattern(address: str) -> str:
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
    expansion = expand(inputs, options, regular=True, into=partial(SparkInputs, session=spark))
    if refused := [fault for source in expansion.sources for fault in _refused(source)]:
        raise PlanError(refused)
    sources = SparkSources(
        reading_session(spark, block_bytes),
        expansion.sources,
        options,
        faults=tuple((-1, fault) for fault in expansion.faults.take()),
        passed_over=tuple(expansion.passed_over),
    )
    return _with_columns(sources)


def _with_columns(sources: SparkSources) -> SparkSources:
    """The sources with the columns of the Parquet files; broken files are faults."""
    columns: dict[pa.Schema, tuple[int, ...]] = {}
    faults = list(sources.faults)
    elsewhere = []
    for number in sources.of("parquet"):
        source = sources.sources[number]
        if not isinstance(source.path, Path):
            elsewhere.append(number)
            continue
        job = ReadJob(source, sources.options, Faults(source.name, sources.options.on_error))
        schema = parquet_schema(job)
        if schema is not None:
            columns[schema] = (*columns.get(schema, ()), number)
        faults += ((number, fault) for fault in job.faults.take())
    if elsewhere:
        from pyspark.sql.pandas.types import to_arrow_schema

        addresses = [as_pattern(address_of(sources.sources[each].path)) for each in elsewhere]
        merged = to_arrow_schema(sources.reader.parquet(*addresses).schema)
        columns[merged] = (*columns.get(merged, ()), *elsewhere)
    return replace(sources, columns=columns, faults=tuple(faults))


def ensure_texts(sources: SparkSources) -> None:
    """Raise where all columns are known, as those of Parquet files, and none is that of texts."""
    known = {number for files in sources.columns.values() for number in files}
    options = sources.options
    has_texts = any(options.text in parquet_columns(options, each) for each in sources.columns)
    if known and len(known) == len(sources.sources) and not has_texts:
        names = dict.fromkeys(name for schema in sources.columns for name in schema.names)
        raise PlanError([no_text_column(options, names)])


def own_session(spark: Any) -> Any:
    """A session like this one, whose settings may be changed without changing this one's."""
    from pyspark.sql import SparkSession

    return SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())


def reading_session(spark: Any, block_bytes: int = BLOCK_BYTES) -> Any:
    """A session like this one that cuts files into the same blocks whenever it reads them.

    By default Spark looks at the number of cores too, which changes where a machine is lost. Names
    of columns differ where a letter is small in one of them, as they do for the local readers.
    """
    session = own_session(spark)
    settings = {
        "spark.sql.files.minPartitionNum": 1,
        "spark.sql.files.maxPartitionBytes": block_bytes,
        "spark.sql.files.openCostInBytes": min(block_bytes, BLOCK_BYTES) // 512,
        "spark.sql.execution.arrow.maxRecordsPerBatch": 1000,
        "spark.sql.caseSensitive": "true",
    }
    for name, value in settings.items():
        session.conf.set(name, str(value))
    return session


def _refused(source: Source) -> Iterator[str]:
    """Why Spark cannot read a source, and the remedy; the first reason will do."""
    if source.reader not in READ:
        yield (
            f"{source.name}: files of the format {source.reader} are read on one machine only; "
            f"convert them to JSON lines or Parquet, or {LOCAL}"
        )
        return
    for path in source.files or (source.path,):
        if reason := _refused_name(source, path.name):
            yield f"{path}: {reason}"
            return


def _refused_name(source: Source, name: str) -> str | None:
    if name[:1] in "._" or ":" in name:
        return "Spark passes over files of this name; rename it"
    if source.reader == "files":
        if suffix_of(name) in (*PLAIN, *HTML):
            return None
        return (
            "of files that are a document each, Spark reads plain texts and web pages alone; leave "
            f"it out, give it the suffix of its format, or {LOCAL}"
        )
    if source.reader == "parquet":
        return "the Parquet file is packed as a whole; unpack it" if source.compression else None
    packing = SUFFIXES.get(os.path.splitext(name)[1].lower())
    if packing != source.compression or packing not in (None, *UNPACKED):
        return (
            f"Spark does not unpack {source.compression or 'it'} under this name; unpack it, or "
            "pack it with gzip and call it .gz"
        )
    return None
