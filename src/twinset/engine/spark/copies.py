"""Documents that are equal: one of them is compared, and what is found holds for all."""

from __future__ import annotations

from typing import Any

from twinset.engine.spark.work import WorkFolder
from twinset.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EqualDocuments:
    """``members`` are the documents that have an equal one: rows (number, leader, times).

    The leader is the preferred one of them, ``times`` how many they are. A million copies are a
    million short rows.
    """

    members: Any

    @classmethod
    def of(cls, documents: Any, work: WorkFolder) -> EqualDocuments:
        """By the digests of the first pass."""
        from pyspark.sql import functions as f

        known = documents.where("same_a is not null")
        known = known.select("number", "position", "same_a", "same_b")
        first = f.min(f.struct("position", "number")).alias("first")
        classes = known.groupBy("same_a", "same_b").agg(first, f.count("*").alias("times"))
        several = classes.where("times > 1").select(
            "same_a", "same_b", f.col("first.number").alias("leader"), "times"
        )
        members = known.join(several, ["same_a", "same_b"]).select("number", "leader", "times")
        return cls(work.kept("equal", members))

    @property
    def leaders(self) -> Any:
        """Rows (number, times) of those that stand for others."""
        return self.members.where("number = leader").select("number", "times")

    @property
    def followers(self) -> Any:
        """Rows (number, leader) of those that another one stands for."""
        return self.members.where("number <> leader").select("number", "leader")
