"""From what the tasks have found to the tables of the report, with the columns of a local one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import pyarrow as pa

from twinset.engine.spark.bucket import COPIES, FIGURES, FOUND, GOES, MEMBER, PAIR
from twinset.engine.spark.copies import EqualDocuments
from twinset.engine.spark.figures import Figures
from twinset.engine.spark.page_rows import PageRows, asked_rows
from twinset.engine.spark.set_tables import set_table
from twinset.engine.spark.work import WorkFolder
from twinset.lazy_dataclass import dataclass

FEW = 500_000
"""Clusters that are numbered in one task."""
STATUS = "element_at(array('ok', 'empty', 'bad', 'bytes'), status + 1)"


@dataclass(frozen=True)
class SparkTables:
    """The tables of a run, made when they are asked for.

    ``numbered`` are the documents by number, ``equal`` says who stands for whom, ``found`` is what
    the tasks gave: of all documents where they had all, ``all_are_there``, else of those that stand
    for others. ``read`` tells of the input. ``of_sets`` are the columns that clusters out of images
    add, ``set_schemas`` their tables.
    """

    numbered: Any
    found: Any
    equal: EqualDocuments
    work: WorkFolder
    max_pairs: int
    dedup: bool
    partitions: int
    read: Mapping[str, Any]
    all_are_there: bool = False
    of_sets: Sequence[str] = ()
    set_schemas: Mapping[str, pa.Schema] = field(default_factory=dict)

    def _sort(self, sort: int) -> Any:
        return self.found.where(f"sort = {sort}")

    @property
    def _ids(self) -> Any:
        return self.numbered.select("number", "id")

    @property
    def evidence(self) -> list[str]:
        """The columns that the method adds to pairs."""
        return [name for name in self.found.columns if name not in FOUND]

    # ---------------------------------------------------------------- pairs

    @cached_property
    def figures(self) -> Figures:
        """What the tasks have counted."""
        return Figures.of(row.detail for row in self._sort(FIGURES).select("detail").collect())

    @property
    def are_listed(self) -> bool:
        """Whether all pairs of documents are listed, and not those of leaders alone."""
        return self.figures.sums["implied"] <= self.max_pairs

    @cached_property
    def pair_numbers(self) -> Any:
        """Rows (left, right, shared, score, evidence) by numbers of documents."""
        from pyspark.sql import functions as f

        columns = ["left", "right", "shared", "score", *self.evidence]
        pairs = self._sort(PAIR).select(*columns)
        sums = self.figures.sums
        if sums["implied"] == sums["pairs"] or not self.are_listed:
            return pairs
        member = self.equal.members.select("leader", f.col("number").alias("member"))
        for side in ("left", "right"):
            these = member.withColumnRenamed("leader", side)
            wide = pairs.join(these, side, "left")
            pairs = wide.withColumn(side, f.coalesce("member", side)).drop("member")
        ends = f.least("left", "right"), f.greatest("left", "right")
        rest = ["shared", "score", *self.evidence]
        across = pairs.select(ends[0].alias("left"), ends[1].alias("right"), *rest)
        a = member.select("leader", f.col("member").alias("a"))
        b = member.select("leader", f.col("member").alias("b"))
        copies = self._sort(COPIES).select(f.col("left").alias("leader"), *rest)
        within = a.join(b, "leader").where("a < b").join(copies, "leader")
        return across.union(
            within.select(f.col("a").alias("left"), f.col("b").alias("right"), *rest)
        )

    @cached_property
    def pairs(self) -> Any:
        """One row a pair, by ids; containments are shares of the left and the right document."""
        from pyspark.sql import functions as f

        pairs = self.pair_numbers
        for side in ("left", "right"):
            known = self.numbered.select(
                f.col("number").alias(side),
                f.col("id").alias(f"{side}_id"),
                f.greatest("features", f.lit(1)).alias(f"{side}_size"),
            )
            pairs = pairs.join(known, side)
        return pairs.select(
            f.col("left_id").alias("left"),
            f.col("right_id").alias("right"),
            "score",
            f.expr("shared / left_size").alias("containment_left"),
            f.expr("shared / right_size").alias("containment_right"),
            "shared",
            f.lit(None).cast("string").alias("kind"),
            *self.evidence,
        )

    # ------------------------------------------------------------- clusters

    @cached_property
    def _ranked(self) -> Any:
        """One row for each cluster: its number, and how far it holds together."""
        from pyspark.sql import functions as f

        heads = self._sort(MEMBER).groupBy("section", "first", "index")
        known = heads.agg(f.max("chained").alias("chained"), f.min("weakest").alias("weakest"))
        partitions = self.figures.sums["clusters"] // FEW + 1
        return self.work.numbered(
            "clusters", known, "section", "first", "index", partitions=partitions
        )

    @cached_property
    def cluster_numbers(self) -> Any:
        """Rows (cluster, number, anchor, score, …): members by number, clusters numbered.

        Clusters are numbered as on one machine: by their first documents, those of equal documents
        alone behind the others.
        """
        from pyspark.sql import functions as f

        members = self._sort(MEMBER)
        ranked = self._ranked.select("section", "first", "index", "rank")
        rows = members.join(ranked, ["section", "first", "index"])
        rows = rows.select(
            f.col("rank").alias("cluster"),
            f.col("left").alias("leader"),
            f.col("right").alias("anchor"),
            *(_unless_nan(name) for name in ("score", "weakest")),
            "chained",
            "shared",
            "quality",
        )
        if self.all_are_there:
            return rows.withColumnRenamed("leader", "number")
        member = self.equal.members.select("leader", f.col("number").alias("member"))
        wide = rows.join(member, "leader", "left")
        return wide.withColumn("number", f.coalesce("member", "leader")).drop("member", "leader")

    @cached_property
    def clusters(self) -> Any:
        """One row a member, by ids; roles are decided by dedup alone."""
        from pyspark.sql import functions as f

        rows = self.cluster_numbers.join(self._ids, "number")
        anchors = self._ids.select(f.col("number").alias("anchor"), f.col("id").alias("anchor_id"))
        rows = rows.join(anchors, "anchor", "left")
        role = f.lit("member")
        if self.dedup:
            goes = self.removed_numbers.select("number", f.lit(True).alias("goes"))
            rows = rows.join(goes, "number", "left")
            role = f.when(f.col("goes"), "removed").otherwise("kept")
        return rows.select(
            "cluster",
            "id",
            role.alias("role"),
            f.col("anchor_id").alias("anchor"),
            "score",
            "weakest",
            "chained",
            f.lit(None).cast("string").alias("kind"),
            *self.of_sets,
        )

    # ------------------------------------------------------------ documents

    @cached_property
    def removed_numbers(self) -> Any:
        """Rows (number, target, score) of the documents that go, and the one kept for each."""
        from pyspark.sql import functions as f

        goes = self._sort(GOES).select(
            f.col("left").alias("leader"), f.col("right").alias("target"), "score"
        )
        alone = goes.where("leader <> target").select(
            f.col("leader").alias("number"), "target", "score"
        )
        others = self.equal.followers.join(goes, "leader").select("number", "target", "score")
        stays = self.numbered.where("stays").select("number")
        going = alone.union(others).join(stays, "number", "left_anti")
        return self.work.kept("removed", going)

    @cached_property
    def documents(self) -> Any:
        """One row per document."""
        from pyspark.sql import functions as f

        same = self.equal.followers.join(
            self._ids.select(f.col("number").alias("leader"), f.col("id").alias("same_as")),
            "leader",
        ).select("number", "same_as")
        rows = self.numbered.join(same, "number", "left")
        nothing = f.expr("status <> 0 or copy_score = 0")
        rows = rows.withColumn("copy_score", f.when(~nothing, f.col("copy_score")))
        kept: list[Any] = []
        if self.dedup:
            named = self._ids.select(f.col("number").alias("target"), f.col("id").alias("kept_as"))
            gone = self.removed_numbers.withColumnRenamed("score", "kept_score")
            gone = gone.join(named, "target").select("number", "kept_as", "kept_score")
            rows = rows.join(gone, "number", "left")
            kept = ["kept_as", "kept_score"]
        return rows.select(
            "number",
            "id",
            "source",
            "place",
            f.expr(STATUS).alias("status"),
            "units",
            "features",
            "same_as",
            *(["copy_score"] if self.copies_differ else []),
            *kept,
        )

    @cached_property
    def copies_differ(self) -> bool:
        """Whether exact copies have another similarity than 1, as where it is a count."""
        return bool(self.read["statuses"]["other"])

    @cached_property
    def more(self) -> dict[str, Any]:
        """The tables that a kind of clusters adds."""
        about = self._ids, self.work, self.partitions
        return {
            name: set_table(self.found, name, schema, *about)
            for name, schema in self.set_schemas.items()
        }

    def page_rows(self, written: Mapping[str, Any]) -> PageRows:
        """What the page shows, ``written`` being the tables of the report."""
        return asked_rows(self.numbered, self.found, written)

    @cached_property
    def decided(self) -> dict[str, int]:
        """How many documents stay and how many go."""
        if not self.dedup:
            return {}
        removed = self.removed_numbers.count()
        return {"kept": self.read["statuses"]["documents"] - removed, "removed": removed}


def _unless_nan(name: str) -> Any:
    from pyspark.sql import functions as f

    return f.when(~f.isnan(name), f.col(name)).alias(name)
