"""Runs a plan on Spark: passes over the input by its readers, shuffles by its engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from twinset.clusters.base import ClustersOfImages
from twinset.engine.clock import Clock
from twinset.engine.spark.blocks import DOCUMENT
from twinset.engine.spark.bucket import found
from twinset.engine.spark.facts import read_facts
from twinset.engine.spark.findings import SparkFindings
from twinset.engine.spark.frame import open_records
from twinset.engine.spark.linked import LinkedDocuments
from twinset.engine.spark.manifest import manifest
from twinset.engine.spark.numbering import Blocks
from twinset.engine.spark.preferring import with_policies
from twinset.engine.spark.records import SparkRecords
from twinset.engine.spark.set_tables import set_columns, set_schemas
from twinset.engine.spark.shuffled_links import ShuffledLinks
from twinset.engine.spark.sketching import sketched
from twinset.engine.spark.sources import own_session
from twinset.engine.spark.tables import SparkTables
from twinset.engine.spark.texts import Place, chosen_texts, linked_texts
from twinset.engine.spark.whole_links import can_link_whole, whole_links
from twinset.engine.spark.whole_tables import WholeTables, are_few
from twinset.engine.spark.work import WorkFolder
from twinset.engine.spark.writing import write
from twinset.lazy_dataclass import dataclass
from twinset.plan import Plan
from twinset.plan.output import OutputForm

if TYPE_CHECKING:
    from twinset.engine.progress import Progress
    from twinset.engine.spark.engine import OpenedSpark

UNITS = 6_000_000
"""Words of the linked documents that a task compares: about 40 MB of text."""
ROWS = 100_000
"""Documents for each part of a table: with their keys some 50 MB."""
SMALL = 100_000
"""Documents up to which a query costs more than what it does: 30 MB without their texts."""
KEY_BYTES = 32 << 20
"""Keys of all documents that one task has room for: sorted and copied they take 160 MB."""
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
        linked = self._linked(sketches, blocks, parts)
        self.clock.lap("link")
        self.progress.stage("comparing", None)
        sent = linked_texts(self.records, blocks, linked.linked, linked.count)
        sent = sent.repartition(max(parts, linked.units // UNITS + 1), "root")
        compared = found(sent, self.plan, self.dedup, linked.counts)
        gathered = self.work.kept("found", compared)
        self.clock.lap("compare")
        tables = self._tables(linked, gathered, parts, read)
        return SparkFindings(
            tables,
            partial(self._manifest, tables, linked.repeated_ids, read),
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

    def _linked(self, sketches: Any, blocks: Blocks, parts: int) -> LinkedDocuments:
        """The documents with what links them: of a small collection all in one task."""
        names = self.records.sources.names
        key_bytes = sum(file["key_bytes"] for file in blocks.files.values())
        is_small = 0 < blocks.documents <= SMALL and key_bytes <= KEY_BYTES
        if is_small and can_link_whole(self.plan):
            return whole_links(sketches, blocks, names, self.plan, self.work)
        return ShuffledLinks(self.plan, names, self.work, parts).of(sketches, blocks)

    def _tables(
        self, linked: LinkedDocuments, gathered: Any, parts: int, read: Mapping[str, Any]
    ) -> SparkTables:
        """The tables of the report: few pairs of few documents are put together in one task."""
        tables = SparkTables(
            linked.documents,
            gathered,
            linked.equal,
            self.work,
            self.plan.max_pairs,
            self.dedup,
            parts,
            all_are_there=isinstance(self.plan.clusters, ClustersOfImages),
            read=read,
            of_sets=set_columns(self.plan),
            set_schemas=set_schemas(self.plan),
        )
        if linked.is_whole and are_few(tables):
            return WholeTables.of(tables, self.records.sources.names)
        return tables

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
