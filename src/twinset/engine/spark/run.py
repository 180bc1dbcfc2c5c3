"""Runs a plan on Spark: passes over the input by its readers, shuffles by its engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from twinset.clusters.base import ClustersOfImages
from twinset.engine.clock import Clock
from twinset.engine.searching import begin
from twinset.engine.spark.blocks import DOCUMENT
from twinset.engine.spark.bucket import found
from twinset.engine.spark.copies import EqualDocuments
from twinset.engine.spark.counting import counted_links, send_counts
from twinset.engine.spark.facts import read_facts
from twinset.engine.spark.findings import SparkFindings
from twinset.engine.spark.frame import open_records
from twinset.engine.spark.linking import components, near_edges, star_edges
from twinset.engine.spark.manifest import manifest
from twinset.engine.spark.numbering import Blocks, distinct_ids
from twinset.engine.spark.preferring import with_policies, with_positions
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.set_tables import set_columns, set_schemas
from twinset.engine.spark.sketching import sketched, task_resources
from twinset.engine.spark.sources import own_session
from twinset.engine.spark.tables import SparkTables
from twinset.engine.spark.texts import Place, chosen_texts, linked_texts
from twinset.engine.spark.work import WorkFolder
from twinset.engine.spark.writing import write
from twinset.lazy_dataclass import dataclass
from twinset.plan import Plan
from twinset.plan.output import OutputForm

if TYPE_CHECKING:
    from twinset.engine.progress import Progress
    from twinset.engine.spark.engine import OpenedSpark

KNOWN = (
    *("number", *DOCUMENT, "id", "source", "place", "position", "stays"),
    *("status", "units", "features", "same_a", "same_b", "copy_score"),
)
"""What is known of each document once all are numbered."""
UNITS = 6_000_000
"""Words of the linked documents that a task compares: about 40 MB of text."""
ROWS = 100_000
"""Documents for each part of a table: with their keys some 50 MB."""
SMALL = 100_000
"""Documents up to which planning and compiling of queries cost more than they save."""
OF_LARGE_TABLES = ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage")


def run(
    documents: Any, plan: Plan, *, dedup: bool, engine: OpenedSpark, progress: Progress
) -> SparkFindings:
    """Find near-duplicates in the documents; with ``dedup`` also decide which ones go."""
    assert engine.work is not None, "the engine was given no folder for its tables"
    session = own_session(engine.session)
    work = WorkFolder(session, engine.work)
    records = open_records(session, documents, plan.read, work.path("rows"))
    plan = with_policies(plan, records.sources, dedup)
    stages = Stages(records, plan, dedup, work, engine.partitions, progress)
    return stages.run()


@dataclass(frozen=True)
class Stages:
    """One run, stage by stage: each takes tables and leaves one behind in the work folder.

    ``partitions`` is the number of parts of a table, 0 where the number of documents says it.
    """

    records: SparkRecords
    plan: Plan
    dedup: bool
    work: WorkFolder
    partitions: int
    progress: Progress
    clock: Clock = field(default_factory=Clock)

    def run(self) -> SparkFindings:
        """All stages."""
        self.progress.stage("reading", None)
        sketches = self.work.kept("sketches", sketched(self.records, self.plan))
        blocks = Blocks.of(sketches, self.work.session)
        read = read_facts(self.records, sketches, blocks)
        self.clock.lap("read and sketch")
        parts = self._cut(blocks.documents)
        self.progress.stage("linking", None)
        documents, repeated_ids = self._documents(sketches, blocks, parts)
        equal = EqualDocuments.of(documents, self.work)
        compared = self._compared(documents, equal)
        keys = self._compared(blocks.numbered(sketches), equal)
        counts = self._counts(keys, equal)
        linked, count, units = self._linked(compared, keys, equal, counts)
        self.clock.lap("link")
        self.progress.stage("comparing", None)
        sent = linked_texts(self.records, blocks, linked, count)
        sent = sent.repartition(max(parts, units // UNITS + 1), "root")
        gathered = self.work.kept("found", found(sent, self.plan, self.dedup, counts))
        self.clock.lap("compare")
        tables = SparkTables(
            documents,
            gathered,
            equal,
            self.work,
            self.plan.max_pairs,
            self.dedup,
            parts,
            all_are_there=self._has_images,
            read=read,
            of_sets=set_columns(self.plan),
            set_schemas=set_schemas(self.plan),
        )
        return SparkFindings(
            tables,
            partial(self._manifest, tables, repeated_ids, read),
            self._read_texts,
            partial(self._write, tables),
        )

    def _cut(self, documents: int) -> int:
        """Into how many parts tables are cut from now on."""
        session = self.work.session
        parts = self.partitions or documents // ROWS
        parts = max(parts, session.sparkContext.defaultParallelism)
        session.conf.set("spark.sql.shuffle.partitions", str(parts))
        for name in OF_LARGE_TABLES:
            session.conf.set(name, str(documents > SMALL).lower())
        return int(parts)

    @property
    def _has_images(self) -> bool:
        return isinstance(self.plan.clusters, ClustersOfImages)

    def _documents(self, sketches: Any, blocks: Blocks, parts: int) -> tuple[Any, int]:
        """Numbered documents with distinct ids and their places in the order of preference."""
        from pyspark.sql import functions as f

        sources = self.records.sources.names
        rows = blocks.numbered(sketches.drop("links", "images", "counted", "print"))
        names = few_rows(self.work.session, enumerate(sources), "file int, source string")
        rows = rows.join(f.broadcast(names), "file")
        rows = rows.withColumn("id", f.coalesce("id", f.concat_ws(":", "source", "place")))
        other, repeated = distinct_ids(rows, self.work)
        if repeated:
            rows = rows.join(other.withColumnRenamed("id", "other_id"), "number", "left")
            rows = rows.withColumn("id", f.coalesce("other_id", "id")).drop("other_id")
        rows = with_positions(rows, self.plan, sources, self.work, parts)
        return self.work.kept("documents", rows.select(*KNOWN)), repeated

    def _compared(self, documents: Any, equal: EqualDocuments) -> Any:
        """The documents to be compared: of equal ones the first. Sets out of images tell of all."""
        if self._has_images:
            return documents
        ready = documents.where("status = 0")
        return ready.join(equal.followers.select("number"), "number", "left_anti")

    def _counts(self, keys: Any, equal: EqualDocuments) -> str | None:
        """Counts of features, sent to all machines, for methods whose keys are the rarest ones."""
        from pyspark.sql import functions as f

        search = begin(self.plan, task_resources())
        nothing, _ = search.extract(pa.array([], pa.large_string()), 1)
        if search.counted(nothing, 1) is None:
            return None
        leaders = keys.join(equal.followers.select("number"), "number", "left_anti")
        return send_counts(leaders.select(f.col("counted").alias("links")), self.work.session)

    def _linked(
        self, compared: Any, keys: Any, equal: EqualDocuments, counts: str | None
    ) -> tuple[Any, int, int]:
        """The documents to be compared, with the root of all that each is linked with.

        Beside them stands how many they are, and how many words they have. One that stands for
        equal ones is a cluster, though it may be linked with nobody.
        """
        from pyspark.sql import functions as f

        roots = components(self._edges(keys, counts), self.work)
        known = compared.select("number", "position", "stays", "units")
        known = known.join(roots, "number", "left").join(equal.leaders, "number", "left")
        if not self._has_images:
            known = known.where("root is not null or times is not null")
        rows = known.select(
            f.coalesce("root", "number").alias("root"),
            "number",
            "position",
            "stays",
            f.coalesce("times", f.lit(1)).cast("bigint").alias("times"),
            "units",
        )
        return self.work.kept_with("linked", rows, f.count("*"), f.sum("units"))

    def _edges(self, keys: Any, counts: str | None) -> Any:
        """Edges between documents that share a key, and are near where that is not enough."""
        from pyspark.sql import functions as f

        search = begin(self.plan, task_resources())
        search.extract(pa.array([], pa.large_string()), 1)
        if counts is not None:
            lists = keys.select("number", f.col("counted").alias("links"))
            edges = star_edges(counted_links(lists, self.plan, counts))
        elif search.prints() is not None:
            edges = near_edges(keys, self.plan)
        else:
            edges = star_edges(keys.select("number", "links"))
        if self._has_images:
            edges = edges.union(star_edges(keys.select("number", f.col("images").alias("links"))))
        return edges

    def _manifest(
        self, tables: SparkTables, repeated_ids: int, read: Mapping[str, Any]
    ) -> dict[str, Any]:
        session = self.work.session
        engine = {"name": "spark", "version": session.version}
        engine["master"] = session.sparkContext.master
        return manifest(tables, self.plan, repeated_ids, read, self.clock.seconds, engine)

    def _read_texts(self, places: Mapping[Place, int]) -> dict[int, str]:
        """The texts of a few documents by number, from another pass over their files."""
        sources = self.records.sources.among({file for file, _, _ in places})
        records = dataclasses.replace(self.records, sources=sources)
        return chosen_texts(records, places)

    def _write(self, tables: SparkTables, folder: str, form: OutputForm) -> dict[str, Any]:
        """Write the documents that stay and those that go."""
        from pyspark.sql import functions as f

        gone = tables.removed_numbers.select("number", f.lit(False).alias("keep"))
        decided = tables.numbered.select("number", *DOCUMENT).join(gone, "number", "left")
        return write(
            self.records, decided.withColumn("keep", f.coalesce("keep", f.lit(True))), folder, form
        )
