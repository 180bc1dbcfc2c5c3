"""The report of a run on Spark: tables as folders of parts, the rest from aggregates.

A folder of this machine, or one that all machines of the cluster share, appears under its name when
it is complete. Elsewhere the manifest is written last: without it nothing is a report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinset.engine.spark.bucket import MEMBER
from twinset.engine.spark.files import SparkFolder
from twinset.engine.spark.sources import as_pattern
from twinset.engine.spark.tables import SparkTables
from twinset.lazy_dataclass import dataclass
from twinset.report.folder import TABLES, manifest_text
from twinset.report.page import CALLS, CLUSTERS, MEMBERS, page_and_lattices
from twinset.report.places import MANIFEST
from twinset.report.select import ClosestCall, Cluster, PageChoice, one_cluster
from twinset.report.staging import staged

if TYPE_CHECKING:
    from twinset.report.lattices import LatticeDrawing

PAGE = "report.html"


def save(
    tables: SparkTables,
    manifest: dict[str, Any],
    folder: str,
    *,
    force: bool,
    language: str,
    write_documents: Callable[[str], dict[str, Any]] | None,
    texts: Callable[[Sequence[int]], dict[int, str]],
) -> str:
    """Write the report; ``write_documents`` adds kept and removed ones and says what it wrote."""
    inputs = [str(entry["source"]) for entry in manifest["inputs"]]
    if "://" not in folder or folder.startswith("file://"):
        local = folder.removeprefix("file://")
        with staged(local, force, inputs) as staging:
            place = SparkFolder(tables.work.session, f"file:{os.path.abspath(staging)}")
            _fill(tables, manifest, place, language, write_documents, texts)
        return local
    place = SparkFolder(tables.work.session, folder)
    if force:
        place.clear()
    _fill(tables, manifest, place, language, write_documents, texts)
    return folder


def _fill(
    tables: SparkTables,
    manifest: dict[str, Any],
    place: SparkFolder,
    language: str,
    write_documents: Callable[[str], dict[str, Any]] | None,
    texts: Callable[[Sequence[int]], dict[int, str]],
) -> None:
    named = {name: getattr(tables, name) for name in TABLES} | tables.more
    written = {name: _written(table, place, name) for name, table in named.items()}
    if write_documents is not None:
        manifest["written"] = write_documents(place.address)
    page, _ = page_and_lattices(PageResults(tables, written, manifest, texts), language)
    place.write(PAGE, page.encode("utf-8", "replace"))
    place.write(MANIFEST, manifest_text(manifest))


def _written(table: Any, place: SparkFolder, name: str) -> Any:
    """The table as it is read from the report."""
    address = place.path(f"{name}.parquet")
    table.write.parquet(address)
    return place.session.read.schema(table.schema).parquet(as_pattern(address))


@dataclass(frozen=True)
class PageResults:
    """As much of the results as the page shows; the tables themselves stay where they are."""

    tables: SparkTables
    written: Mapping[str, Any]
    manifest: dict[str, Any]
    read_texts: Callable[[Sequence[int]], dict[int, str]]

    repeated = None

    @property
    def lattices(self) -> list[LatticeDrawing]:
        """None are drawn."""
        return []

    @property
    def more(self) -> dict[str, pa.Table]:
        """None are shown."""
        return {}

    @cached_property
    def documents(self) -> pa.Table:
        """The documents that are shown."""
        from pyspark.sql import functions as f

        ids = {m.id for cluster in self.shown.clusters for m in cluster.members}
        ids |= {id for call in self.shown.calls for id in (call.left, call.right)}
        chosen = self.written["documents"].where(f.col("id").isin(sorted(ids)))
        return _table(chosen.select("number", "id", "source", "place"))

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs that are shown."""
        rows = [call._asdict() for call in self.shown.calls]
        return pa.Table.from_pylist(rows, schema=_PAIRS)

    @cached_property
    def clusters(self) -> pa.Table:
        """The first members of the clusters that are shown."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        chosen = [row.cluster for row in self._largest]
        rows = self.written["clusters"].where(f.col("cluster").isin(chosen))
        stays = f.coalesce(f.expr("role = 'kept' or id = anchor"), f.lit(False))
        place = f.row_number().over(Window.partitionBy("cluster").orderBy(~stays, "id"))
        return _table(rows.withColumn("_place", place).where(f"_place <= {MEMBERS}").drop("_place"))

    @cached_property
    def shown(self) -> PageChoice:
        """The largest clusters, the pairs nearest to the threshold, and the sizes of clusters."""
        clusters = []
        for row in self._largest:
            some = one_cluster(self.clusters, row.cluster, MEMBERS)
            clusters.append(
                Cluster(row.cluster, row.size, row.lowest, some.members, some.quality, some.kind)
            )
        calls = self.written["pairs"].orderBy("score", "left", "right").limit(CALLS)
        rows = calls.select(*ClosestCall._fields).collect()
        return PageChoice(clusters, [ClosestCall(*row) for row in rows], self._spans)

    @cached_property
    def _largest(self) -> list[Any]:
        """The largest clusters: their numbers and sizes, and how alike their members are."""
        from pyspark.sql import functions as f

        rows = (
            self.written["clusters"]
            .groupBy("cluster")
            .agg(
                f.count("*").alias("size"),
                f.coalesce(f.min("score"), f.min("weakest")).alias("lowest"),
            )
        )
        largest = rows.orderBy(f.desc("size"), "cluster").limit(CLUSTERS).collect()
        return list(largest)

    @property
    def _spans(self) -> list[tuple[int, int, int]]:
        """How many clusters have 2, 3 to 4, 5 to 8, ... documents."""
        from pyspark.sql import functions as f

        sizes = self.written["clusters"].groupBy("cluster").count()
        power = f.ceil(f.log2(f.greatest("count", f.lit(2)))).cast("int").alias("power")
        rows = sizes.groupBy(power).agg(f.count("*").alias("clusters")).orderBy("power").collect()
        known = {row.power: row.clusters for row in rows}
        last = max(known, default=0)
        return [(2 ** (n - 1) + 1, 2**n, known.get(n, 0)) for n in range(1, last + 1)]

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of documents in clusters."""
        from pyspark.sql import functions as f

        named = self.written["documents"].where(f.col("id").isin(list(ids)))
        members = self.tables.found.where(f"sort = {MEMBER}")
        heads = members.select(f.col("left").alias("number"), "head").distinct()
        named = named.select("number", "id")
        rows = named.join(heads, "number").select("id", "head").collect()
        return {row.id: row["head"] for row in rows}

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of a few documents, from another pass over the input."""
        from pyspark.sql import functions as f

        named = self.written["documents"].where(f.col("id").isin(list(ids)))
        known = {row.number: row.id for row in named.select("number", "id").collect()}
        return {known[number]: text for number, text in self.read_texts(list(known)).items()}


_PAIRS = pa.schema(
    {"left": pa.string(), "right": pa.string(), "score": pa.float64(), "kind": pa.string()}
)


def _table(frame: Any) -> pa.Table:
    """Few rows as an Arrow table."""
    from twinset.engine.spark.schemas import arrow_schema

    rows = [row.asDict() for row in frame.collect()]
    return pa.Table.from_pylist(rows, schema=arrow_schema(frame))
