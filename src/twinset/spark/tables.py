"""From what the tasks have found to the tables of the report, with the columns of a local one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import functions as f

from twinset.model.schema import arrow_types
from twinset.spark.bucket import COPIES, FIGURES, FOUND, GOES, MEMBER, PAIR, Figures
from twinset.spark.documents import EqualDocuments
from twinset.spark.work import WorkFolder

FEW = 500_000
"""Clusters that are numbered in one task."""
STATUS = "element_at(array('ok', 'empty', 'bad', 'bytes'), status + 1)"


@dataclass(frozen=True)
class SparkTables:
    """The tables of a run, made when they are asked for, with the columns of a local one.

    ``numbered`` are the documents by number, ``equal`` says who stands for whom, ``found`` is what
    the tasks gave of those that stand for others. ``has_copy_scores`` says whether exact copies
    have another similarity than 1, as where it is a count.
    """

    numbered: Any
    found: Any
    equal: EqualDocuments
    work: WorkFolder
    max_pairs: int
    dedup: bool
    has_copy_scores: bool

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
        columns = ["left", "right", "shared", "score", *self.evidence]
        pairs = self._sort(PAIR).select(*columns)
        sums = self.figures.sums
        if sums["implied"] == sums["pairs"] or not self.are_listed:
            return pairs
        member = self.equal.members.select("leader", f.col("number").alias("member"))
        for side in ("left", "right"):
            wide = pairs.join(member.withColumnRenamed("leader", side), side, "left")
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
        pairs = self.pair_numbers
        for side in ("left", "right"):
            known = self.numbered.select(
                f.col("number").alias(side),
                f.col("id").alias(f"{side}_id"),
                f.greatest("features", f.lit(1)).alias(f"{side}_size"),
            )
            pairs = pairs.join(known, side)
        pairs = pairs.select(
            f.col("left_id").alias("left"),
            f.col("right_id").alias("right"),
            f.expr("shared / left_size").alias("containment_left"),
            f.expr("shared / right_size").alias("containment_right"),
            "score",
            "shared",
            *self.evidence,
        )
        return _as_declared(pairs, "pairs", self.evidence)

    # ------------------------------------------------------------- clusters

    @cached_property
    def _ranked(self) -> Any:
        """One row for each cluster, with its number: ``rank``."""
        known = self._sort(MEMBER).select("section", "first", "index").distinct()
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
        members = self._sort(MEMBER)
        ranked = self._ranked.select("section", "first", "index", "rank")
        rows = members.join(ranked, ["section", "first", "index"])
        rows = rows.select(
            f.col("rank").alias("cluster"),
            f.col("left").alias("leader"),
            f.col("right").alias("anchor"),
            *(f.when(~f.isnan(name), f.col(name)).alias(name) for name in ("score", "weakest")),
            "chained",
        )
        member = self.equal.members.select("leader", f.col("number").alias("member"))
        wide = rows.join(member, "leader", "left")
        return wide.withColumn("number", f.coalesce("member", "leader")).drop("member", "leader")

    @cached_property
    def clusters(self) -> Any:
        """One row a member, by ids; roles are decided by dedup alone."""
        rows = self.cluster_numbers.join(self._ids, "number")
        anchors = self._ids.select(f.col("number").alias("anchor"), f.col("id").alias("anchor_id"))
        rows = rows.join(anchors, "anchor", "left")
        role = f.lit("member")
        if self.dedup:
            goes = self.removed_numbers.select("number", f.lit(True).alias("goes"))
            rows = rows.join(goes, "number", "left")
            role = f.when(f.col("goes"), "removed").otherwise("kept")
        rows = rows.drop("anchor").withColumnRenamed("anchor_id", "anchor")
        return _as_declared(rows.withColumn("role", role), "clusters")

    # ------------------------------------------------------------ documents

    @cached_property
    def removed_numbers(self) -> Any:
        """Rows (number, target, score) of the documents that go, and the one kept for each."""
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
        rows = rows.withColumn("status", f.expr(STATUS))
        more = ["copy_score"] if self.has_copy_scores else []
        return _as_declared(rows, "documents", [*more, *kept])


def _as_declared(rows: Any, table: str, more: Sequence[str] = ()) -> Any:
    """The columns that every engine writes, and more of them; kinds are not decided on here."""
    declared = arrow_types(table)
    if "kind" in declared:
        rows = rows.withColumn("kind", f.lit(None).cast("string"))
    return rows.select(*declared, *more)
