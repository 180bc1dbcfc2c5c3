"""The folder of a run's tables in between: what was computed is not computed again.

Every table is written whole by Spark before it is read: rows have the same order and the same files
from then on, whatever is done again because a machine was lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any

from twinset.engine.spark.hadoop import remove_folder
from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.sources import as_pattern

ROW_GROUP = 16 << 20
"""Bytes that Java holds of a table before it writes them."""


class WorkFolder:
    """Tables as Parquet in a folder that all machines of the cluster see."""

    def __init__(self, session: Any, place: str) -> None:
        self.session, self.place = session, place.rstrip("/")

    def path(self, name: str) -> str:
        """Where a table is."""
        return f"{self.place}/{name}"

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
        from pyspark.sql import Observation

        seen = Observation()
        named = [figure.alias(f"figure{at}") for at, figure in enumerate(figures)]
        kept = self.kept(name, table.observe(seen, *named))
        return kept, *(int(seen.get[f"figure{at}"] or 0) for at in range(len(figures)))

    def numbered(self, name: str, table: Any, *columns: Any, partitions: int) -> Any:
        """The table sorted by these columns, with the place of each row: ``rank``, from 0.

        It is sorted into files that follow each other. How many rows each has is all that the
        driver is told.
        """
        from pyspark.sql import functions as f

        if partitions == 1:
            ordered = table.coalesce(1).sortWithinPartitions(*columns)
        else:
            ordered = table.repartitionByRange(partitions, *columns).sortWithinPartitions(*columns)
        written = self.kept(name, ordered).select(
            "*",
            f.col("_metadata.file_name").alias("_file"),
            f.col("_metadata.row_index").alias("_row"),
        )
        if partitions == 1:
            return written.select(*table.columns, f.col("_row").alias("rank"))
        before = rows_before(written, f.col("_file"))
        starts = few_rows(self.session, before.items(), "_file string, _before bigint")
        ranked = written.join(f.broadcast(starts), "_file")
        return ranked.select(*table.columns, (f.col("_before") + f.col("_row")).alias("rank"))

    def remove(self) -> None:
        """Give up all tables; nothing is wrong if there are none."""
        remove_folder(self.session, self.place)


def rows_before(table: Any, file: Any) -> dict[str, int]:
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
    finally:
        if place is not None:
            with suppress(Exception):  # the session may be dead, which is said elsewhere
                remove_folder(session, place)
