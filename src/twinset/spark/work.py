"""Folders of any file system: that of a run's tables in between, and that of a report.

Every table in between is written whole by Spark before it is read: rows have the same order and the
same files from then on, whatever is done again because a machine was lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

from pyspark.sql import Observation
from pyspark.sql import functions as f

from twinset.spark.columns import few_rows
from twinset.spark.reading import as_pattern


def file_system(session: Any, address: str) -> tuple[Any, Any]:
    """The file system of an address, and the address as a path of it."""
    path = session._jvm.org.apache.hadoop.fs.Path(address)
    settings = session._jsparkSession.sessionState().newHadoopConf()
    return path.getFileSystem(settings), path


class SparkFolder:
    """A folder of any file system: tables are written by Spark, small files here."""

    def __init__(self, session: Any, address: str) -> None:
        self.session, self.address = session, address.rstrip("/")

    def path(self, name: str) -> str:
        """The address of a file or table in it."""
        return f"{self.address}/{name}"

    def write(self, name: str, data: bytes) -> None:
        """Write a file; one of this name is replaced."""
        if self.address.startswith("file:"):
            # Hadoop would put a file with its checksum beside it.
            Path(self.path(name).removeprefix("file:")).write_bytes(data)
            return
        system, path = file_system(self.session, self.path(name))
        stream = system.create(path, True)
        try:
            stream.write(bytearray(data))
        finally:
            stream.close()

    def names(self) -> set[str]:
        """The names of the files and folders in it; none where there is no such folder."""
        system, path = file_system(self.session, self.address)
        if not system.exists(path):
            return set()
        return {entry.getPath().getName() for entry in system.listStatus(path)}

    def replace(self, name: str, data: bytes) -> None:
        """Write a file that takes the place of an older one in one step."""
        draft = f"{name}.draft"
        self.write(draft, data)
        fs = self.session._jvm.org.apache.hadoop.fs
        settings = self.session._jsparkSession.sessionState().newHadoopConf()
        old, new = fs.Path(self.path(draft)), fs.Path(self.path(name))
        options = self.session.sparkContext._gateway.new_array(fs.Options.Rename, 1)
        options[0] = fs.Options.Rename.OVERWRITE
        fs.FileContext.getFileContext(old.toUri(), settings).rename(old, new, options)

    def clear(self, keep: Collection[str] = ()) -> None:
        """Remove all that is in it but these."""
        for name in sorted(self.names().difference(keep)):
            SparkFolder(self.session, self.path(name)).remove()

    def remove(self) -> None:
        """Remove it with all that is in it; nothing is wrong if there is none."""
        system, path = file_system(self.session, self.address)
        system.delete(path, True)


ROW_GROUP = 16 << 20
"""Bytes that Java holds of a table before it writes them."""


class WorkFolder(SparkFolder):
    """Tables as Parquet in a folder that all machines of the cluster see."""

    def kept(self, name: str, table: Any) -> Any:
        """The table, computed and written; reading it again costs no more than that."""
        # Few values are there twice: Java would look up each of them before it gives that up.
        writer = table.write.mode("overwrite").option("parquet.enable.dictionary", "false")
        writer.option("parquet.block.size", ROW_GROUP).parquet(self.path(name))
        return self.session.read.schema(table.schema).parquet(as_pattern(self.path(name)))

    def kept_with(self, name: str, table: Any, *figures: Any) -> tuple[Any, ...]:
        """The table, computed and written, and figures of it that were added up on the way.

        A task before a shuffle that was done twice may count twice: figures of what comes from one
        are for estimates alone.
        """
        seen = Observation()
        named = [figure.alias(f"figure{at}") for at, figure in enumerate(figures)]
        kept = self.kept(name, table.observe(seen, *named))
        return kept, *(int(seen.get[f"figure{at}"] or 0) for at in range(len(figures)))

    def numbered(self, name: str, table: Any, *columns: Any, partitions: int) -> Any:
        """The table sorted by these columns, with the place of each row: ``rank``, from 0.

        It is sorted into files that follow each other. How many rows each has is all that the
        driver is told.
        """
        ordered = table.repartitionByRange(partitions, *columns).sortWithinPartitions(*columns)
        written = self.kept(name, ordered).select(
            "*",
            f.col("_metadata.file_name").alias("_file"),
            f.col("_metadata.row_index").alias("_row"),
        )
        before = _rows_before(written, f.col("_file"))
        starts = few_rows(self.session, before.items(), "_file string, _before bigint")
        ranked = written.join(f.broadcast(starts), "_file")
        return ranked.select(*table.columns, (f.col("_before") + f.col("_row")).alias("rank"))


def _rows_before(table: Any, file: Any) -> dict[str, int]:
    """How many rows of a sorted table come before those of each of its files.

    The names of the files rise with their numbers, which follow the ranges that rows were cut into.
    """
    counts = sorted(table.groupBy(file.alias("file")).count().collect())
    sums = accumulate((count for _, count in counts), initial=0)
    return {name: before for (name, _), before in zip(counts, sums, strict=False)}


@contextmanager
def removed_at_end(session: Any, place: str | None) -> Iterator[None]:
    """A folder of tables in between that goes, however the work ends."""
    try:
        yield
    except BaseException:
        with suppress(Exception):  # tasks that go on would write to it again
            session.sparkContext.cancelAllJobs()
        raise
    finally:
        if place is not None:
            with suppress(Exception):  # the session may be dead, which is said elsewhere
                SparkFolder(session, place).remove()
