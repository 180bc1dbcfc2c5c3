"""Runs a plan on Spark: passes over the input by its readers, shuffles by its engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from pyspark.sql import Window
from pyspark.sql import functions as f

from twinset.errors import PlanError, TwinsetError
from twinset.plan import Plan
from twinset.plan.reading import OutputForm
from twinset.plan.spec import make
from twinset.run.progress import Clock, Progress, Silent
from twinset.run.searching import begin
from twinset.spark.bucket import Task, found, of_crowds
from twinset.spark.checks import form_refusals, refusals
from twinset.spark.documents import (
    EqualDocuments,
    all_documents,
    blocks_of,
    numbered,
)
from twinset.spark.engine import OpenedSpark, SparkEngine, documents_for_spark
from twinset.spark.facts import ReadFacts, manifest
from twinset.spark.linking import linked_roots
from twinset.spark.reading import open_input
from twinset.spark.saving import save, write_documents
from twinset.spark.session import explained, open_session, own_session, with_work
from twinset.spark.sketching import sketched, task_resources
from twinset.spark.tables import SparkTables
from twinset.spark.work import WorkFolder

UNITS = 6_000_000
"""Words of the linked documents that a task compares: about 40 MB of text."""
PIECE = 250_000
"""Words of a piece of a crowd, a group of linked documents with more than `WHOLE` words."""
WHOLE = 4 * PIECE
ROWS = 100_000
"""Documents for each part of a table: with their keys some 50 MB."""


def start(
    documents: Any,
    plan: Plan,
    engine: SparkEngine,
    means: dict[str, Any],
    *,
    dedup: bool,
    progress: Progress | None,
) -> SparkFindings:
    """Check what was asked for, open a session and run; a session of ours stays open.

    The DataFrames of the findings need it. It ends with the process, or by its own ``stop``.
    """
    if faults := refusals(plan, **means):
        raise PlanError(faults)
    documents = documents_for_spark(documents)
    spark = with_work(open_session(engine))
    with explained(log=getattr(spark.session, "twinset_log", None)):
        return run(documents, plan, dedup=dedup, engine=spark, progress=progress or Silent())


def run(
    documents: Any, plan: Plan, *, dedup: bool, engine: OpenedSpark, progress: Progress
) -> SparkFindings:
    """Find near-duplicates in the documents; with ``dedup`` also decide which ones go.

    Each stage takes tables and leaves one behind in the work folder.
    """
    clock, session = Clock(), own_session(engine.session)
    work = WorkFolder(session, str(engine.work))

    def stage(name: str) -> None:
        session.sparkContext.setJobDescription(f"twinset: {name}")
        progress.stage(name, None)

    stage("reading")
    read = open_input(session, documents, plan.read, work.path("rows"))
    if not plan.keep:
        plan = dataclasses.replace(plan, keep=(make("keep", "first"),))
    sketches = work.kept("sketches", sketched(read, plan))
    blocks = blocks_of(sketches, read, work)
    facts = ReadFacts(read, sketches, blocks)
    facts.ensure(plan)
    clock.lap("read and sketch")

    stage("linking")
    parts = engine.partitions or facts.sums["documents"] // ROWS
    parts = max(parts, session.sparkContext.defaultParallelism)
    session.conf.set("spark.sql.shuffle.partitions", str(parts))
    known, repeated_ids = all_documents(sketches, blocks, plan, work, parts)
    equal = EqualDocuments.of(known, work)
    keys = numbered(sketches, blocks)
    linked, count, units, crowded, counts = _linked(known, equal, keys, plan, work)
    clock.lap("link")

    stage("comparing")
    sent = read.texts(linked.drop("units"), count)
    sent = sent.repartition(max(parts, units // UNITS + 1), "root", "piece")
    task = Task.of(plan, dedup, counts)
    gathered = work.kept("found", found(sent, task))
    if crowded:
        more = of_crowds(gathered, task, crowded // WHOLE + 1, parts)
        gathered = gathered.union(work.kept("found-in-crowds", more))
    clock.lap("compare")
    has_scores = facts.sums["other"] > 0
    tables = SparkTables(known, gathered, equal, work, plan.max_pairs, dedup, has_scores)
    about = {"name": "spark", "version": session.version}
    about["master"] = session.sparkContext.master
    return SparkFindings(
        tables,
        partial(manifest, tables, plan, facts, repeated_ids, clock.seconds, about),
        partial(write_documents, read, tables),
    )


def _linked(
    known: Any, equal: EqualDocuments, keys: Any, plan: Plan, work: WorkFolder
) -> tuple[Any, int, int, int, str | None]:
    """The documents to be compared, with the root of all that each is linked with.

    Beside them stands how many they are, how many words they have, how many of these are in crowds,
    and the file of counted features. Of equal documents the first is compared. The pieces of a
    crowd are numbered from 1; documents of other groups have the piece 0.
    """
    keys = keys.join(equal.followers, "number", "left_anti").where("status = 0")
    roots, counts = linked_roots(keys, plan, work)
    # One that stands for equal ones is a cluster, though it may be linked with nobody.
    linked = known.join(roots, "number", "left").join(equal.leaders, "number", "left")
    linked = linked.where("root is not null or times is not null").select(
        *("at", "number", "position", "stays", "units"),
        f.coalesce("root", "number").alias("root"),
        f.coalesce("times", f.lit(1)).cast("bigint").alias("times"),
    )
    group = Window.partitionBy("root")
    words = f.sum("units").over(group.orderBy("number"))
    apart = begin(plan, task_resources()).side_by_side  # texts can be prepared in any task
    is_crowd = (f.sum("units").over(group) > WHOLE) & f.lit(apart)
    linked = linked.withColumn("piece", f.when(is_crowd, f.floor(words / PIECE) + 1).otherwise(0))
    figures = f.count("*"), f.sum("units"), f.sum(f.expr("if(piece > 0, units, 0)"))
    return (*work.kept_with("linked", linked, *figures), counts)


@dataclass(frozen=True)
class SparkFindings:
    """The result of `find` or `dedup` on Spark: tables as DataFrames, with the columns of a report.

    ``documents``, ``pairs`` and ``clusters`` are those of the local engine, in any order.
    ``kept`` and ``removed`` are there after `dedup`. They stand on tables in the work folder of the
    run, and last as long as these.
    """

    tables: SparkTables = field(repr=False)
    describe: Callable[[], dict[str, Any]] = field(repr=False)
    write: Callable[[OutputForm, str], dict[str, Any]] = field(repr=False)
    saved: dict[str, str] = field(repr=False, default_factory=dict)

    @property
    def documents(self) -> Any:
        """One row per document."""
        return self.tables.documents

    @property
    def pairs(self) -> Any:
        """Verified pairs with their exact scores."""
        return self.tables.pairs

    @property
    def clusters(self) -> Any:
        """One row per member of a cluster."""
        return self.tables.clusters

    @property
    def kept(self) -> Any:
        """The rows of the documents that stay."""
        return self._decided("kept_as is null")

    @property
    def removed(self) -> Any:
        """The rows of the documents that go, with the one kept in the place of each."""
        return self._decided("kept_as is not null")

    def _decided(self, condition: str) -> Any:
        if not self.tables.dedup:
            raise TwinsetError("find decides on no document: run dedup instead")
        return self.tables.documents.where(condition)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The plan, the counts and what else is needed to judge or repeat the run."""
        return self.describe()

    def save(self, folder: str, force: bool = False, language: str = "en", **form: Any) -> str:
        """Write the report folder; ``force`` replaces an older report.

        Tables are folders of parts, kept and removed documents too, in the format of the input;
        ``no_split`` leaves these away. ``folder`` is one that all machines of the cluster see.
        """
        asked = OutputForm.make(**form)
        if faults := form_refusals(asked):
            raise PlanError(faults)
        place = save(
            self.tables,
            self.manifest,
            str(folder),
            force=force,
            language=language,
            write_documents=partial(self.write, asked) if self.tables.dedup else None,
        )
        self.saved["folder"] = place
        return place

    def close(self) -> None:
        """Remove the tables in between, in the work folder: the DataFrames end with them."""
        self.tables.work.remove()

    @property
    def place(self) -> str | None:
        """Where the report was saved last; None before."""
        return self.saved.get("folder")

    def __repr__(self) -> str:
        from twinset.result.words import headline

        return f"SparkFindings({headline(self.manifest)})"
