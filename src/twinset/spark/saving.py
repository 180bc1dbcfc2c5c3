"""The report of a run on Spark: tables and documents as folders of parts, and the page.

A folder of this machine, or one that all machines of the cluster share, appears under its name when
it is complete. Elsewhere the manifest is written last: without it nothing is a report. A report
that replaces another there is in a folder inside it, which the manifest names.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as f

from twinset.errors import ReportError
from twinset.model import HEAD
from twinset.model.schema import ARROW, arrow_types
from twinset.model.schema import TABLES as DECLARED
from twinset.plan.reading import OutputForm
from twinset.result.folder import TABLES, manifest_text
from twinset.result.page import CALLS, CLUSTERS, MEMBERS, page_and_lattices
from twinset.result.places import DECISIONS, FOLDER, MANIFEST
from twinset.result.select import ClosestCall, Cluster, PageChoice, one_cluster
from twinset.result.sending import UNFINISHED, ensure_replaceable, mark_of, run_folder
from twinset.result.staging import staged
from twinset.spark.bucket import MEMBER, TEXT
from twinset.spark.reading import FEW, PLACE, SparkInput, as_pattern
from twinset.spark.session import explained
from twinset.spark.tables import SparkTables
from twinset.spark.work import SparkFolder, file_system
from twinset.system.remote import is_remote
from twinset.writing.routes import WrittenRoute

PAGE = "report.html"
CODECS = {"gz": "gzip", "bz2": "bzip2"}
"""How Spark calls the packings that it reads."""
Writer = Callable[[str], dict[str, Any]]


def ensure_free(session: Any, folder: str, force: bool) -> None:
    """Raise for every reason not to write to an address: hours of work would be lost."""
    if is_remote(folder):
        with explained(f"{folder} cannot be written"):
            names = SparkFolder(session, folder).names()
        about = f"a run into {folder} has not finished"
        ensure_replaceable(folder, names, force, lambda: about)


def save(
    tables: SparkTables,
    manifest: dict[str, Any],
    folder: str,
    *,
    force: bool,
    language: str,
    write_documents: Writer | None,
) -> str:
    """Write the report; ``write_documents`` adds kept and removed ones and says what it wrote."""
    session = tables.work.session
    manifest.pop(FOLDER, None)  # of an earlier place
    if not is_remote(folder) or folder.startswith("file://"):
        local = folder.removeprefix("file://")
        with staged(local, force, [str(entry["source"]) for entry in manifest["inputs"]]) as draft:
            place = SparkFolder(session, f"file:{os.path.abspath(draft)}")
            _fill(tables, manifest, place, language, write_documents)
            place.write(MANIFEST, manifest_text(manifest))
        return local
    ensure_free(session, folder, force)
    place, run = SparkFolder(session, folder), secrets.token_hex(8)
    below = run_folder(run) if MANIFEST in place.names() else ""
    if not below:
        place.clear({DECISIONS})
    place.write(UNFINISHED, mark_of(run))
    try:
        part = SparkFolder(session, place.path(below)) if below else place
        _fill(tables, manifest, part, language, write_documents)
        if below:
            manifest[FOLDER] = below
            for route in manifest.get("written", {}).values():
                route["path"] = f"{below}/{route['path']}"
    except BaseException:
        with suppress(Exception):  # the session may be dead
            place.clear(place.names() - {UNFINISHED, below} if below else {DECISIONS})
        raise
    place.replace(MANIFEST, manifest_text(manifest))
    place.clear({DECISIONS, MANIFEST, below} if below else place.names() - {UNFINISHED})
    return folder


def _fill(
    tables: SparkTables,
    manifest: dict[str, Any],
    place: SparkFolder,
    language: str,
    write_documents: Writer | None,
) -> None:
    written = {}
    for name in TABLES:
        table, address = getattr(tables, name), place.path(f"{name}.parquet")
        table.write.parquet(address)
        written[name] = place.session.read.schema(table.schema).parquet(as_pattern(address))
    if write_documents is not None:
        manifest["written"] = write_documents(place.address)
    shown: Any = PageResults(tables, written, manifest)
    page, _ = page_and_lattices(shown, language)
    place.write(PAGE, page.encode("utf-8", "replace"))


# ------------------------------------------------------------------------ the page


@dataclass(frozen=True)
class PageResults:
    """As much of the results as the page shows; ``written`` are the tables of the report."""

    tables: SparkTables
    written: dict[str, Any]
    manifest: dict[str, Any]

    repeated = boilerplate = None
    lattices: Sequence[Any] = ()

    @cached_property
    def shown(self) -> PageChoice:
        """The largest clusters, the pairs nearest to the threshold, and the sizes of clusters."""
        totals = self.written["clusters"].groupBy("cluster").count()
        spans = totals.groupBy(f.length(f.bin(f.col("count") - 1)).alias("n")).count()
        sizes = [(2 ** (n - 1) + 1, 2**n, count) for n, count in sorted(spans.collect())]
        calls = [ClosestCall(**row) for row in self.pairs.to_pylist()]
        return PageChoice(self._largest, calls, sizes)

    @cached_property
    def pairs(self) -> pa.Table:
        """The pairs that are shown."""
        pairs = self.written["pairs"].orderBy("score", "left", "right").limit(CALLS)
        schema = {name: arrow_types("pairs")[name] for name in ClosestCall._fields}
        return _table(pairs.select(*schema), schema)

    @cached_property
    def _sizes(self) -> list[Any]:
        lowest = f.coalesce(f.min("score"), f.min("weakest")).alias("lowest")
        sizes = self.written["clusters"].groupBy("cluster").agg(f.count("*").alias("size"), lowest)
        rows: list[Any] = sizes.orderBy(f.desc("size"), "cluster").limit(CLUSTERS).collect()
        return rows

    @cached_property
    def clusters(self) -> pa.Table:
        """The first members of the largest clusters."""
        written = self.written["clusters"]
        rows = written.where(f.col("cluster").isin([row.cluster for row in self._sizes]))
        stays = f.coalesce(f.expr("role = 'kept' or id = anchor"), f.lit(False))
        place = f.row_number().over(Window.partitionBy("cluster").orderBy(~stays, "id"))
        first = rows.withColumn("_place", place).where(f"_place <= {MEMBERS}").drop("_place")
        own = {name: ARROW[DECLARED["clusters"][name].kind] for name in written.columns}
        return _table(first, own)

    @property
    def _largest(self) -> list[Cluster]:
        some = [(row, one_cluster(self.clusters, row.cluster, MEMBERS)) for row in self._sizes]
        return [replace(first, size=row.size, weakest=row.lowest) for row, first in some]

    @cached_property
    def documents(self) -> pa.Table:
        """The documents that are shown, with their numbers."""
        ids = [self.pairs["left"], self.pairs["right"], self.clusters["id"]]
        chosen = {id for column in ids for id in column.to_pylist()}
        rows = self.tables.numbered.where(f.col("id").isin(sorted(chosen)))
        known = arrow_types("documents")
        names = ("number", "id", "source", "place")
        return _table(rows.select(*names), {name: known[name] for name in names})

    @cached_property
    def _texts(self) -> dict[tuple[int, str], str]:
        """Beginnings of texts and whole ones by sort and id, as far as tasks have left them."""
        ids = dict(
            zip(*(self.documents[name].to_pylist() for name in ("number", "id")), strict=True)
        )
        rows = self.tables.found.where(f.col("sort").isin(MEMBER, TEXT))
        rows = rows.where(f.col("left").isin(list(ids))).select("sort", "left", "head").distinct()
        return {(row.sort, ids[row.left]): row["head"] for row in rows.collect()}

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        """The beginnings of documents."""
        known = {id: text[:HEAD] for id, text in self.texts(ids).items()}
        return known | {id: self._texts[MEMBER, id] for id in ids if (MEMBER, id) in self._texts}

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The whole texts of documents of pairs near the threshold."""
        return {id: self._texts[TEXT, id] for id in ids if (TEXT, id) in self._texts}


def _table(frame: Any, schema: dict[str, pa.DataType]) -> pa.Table:
    rows = [row.asDict() for row in frame.collect()]
    return pa.Table.from_pylist(rows, schema=pa.schema(schema))


# ----------------------------------------------------------- kept and removed documents


def write_documents(
    documents: SparkInput, tables: SparkTables, form: OutputForm, folder: str
) -> dict[str, Any]:
    """Write the documents that stay and those that go; what was written, for the manifest.

    The input is read again and told apart by the rows that go, which are mostly few.
    """
    if form.no_split:
        return {}
    gone = tables.removed_numbers.join(tables.numbered.select("number", "at"), "number")
    removed = gone.count()
    counts = {"kept": tables.numbered.count() - removed, "removed": removed}
    gone = gone.select(f.col("at").alias(PLACE[0]))
    gone = f.broadcast(gone) if removed <= FEW else gone
    written: dict[str, Any] = {}
    for name, how in (("kept", "left_anti"), ("removed", "left_semi")):
        path = name + documents.rows.suffix
        table = documents.rows.table.join(gone, PLACE[0], how)
        saved = _saved(documents, table, f"{folder}/{path}", form.shards)
        written[name] = asdict(WrittenRoute(path, counts[name], *saved))
    return written


def _saved(documents: SparkInput, table: Any, place: str, shards: int | None) -> tuple[int, int]:
    """Write rows to a folder; the number of its files and their bytes."""
    rows = table.drop(*PLACE) if shards is None else table.drop(*PLACE).repartition(shards)
    suffix = documents.rows.suffix
    if documents.rows.reader == "parquet":
        rows.write.parquet(place)
        return _named(documents.session, place, "")
    codec = CODECS.get(suffix.rpartition(".")[2], "none")
    rows.write.option("compression", codec).text(place)
    return _named(documents.session, place, suffix)


def _named(session: Any, place: str, suffix: str) -> tuple[int, int]:
    """Give the parts of a folder a suffix: Spark calls lines ``.txt``, as texts that are documents.

    What comes back is how many there are, and their bytes.
    """
    make = session._jvm.org.apache.hadoop.fs.Path
    system, folder = file_system(session, place)
    files, size = 0, 0
    for status in system.listStatus(folder):
        name = status.getPath().getName()
        if not name.startswith("part-"):
            continue
        files, size = files + 1, size + status.getLen()
        new = name.partition(".")[0] + suffix
        if suffix and not system.rename(status.getPath(), make(folder, new)):
            raise ReportError(f"{place}: the part {name} cannot be renamed to {new}")
    return files, size
