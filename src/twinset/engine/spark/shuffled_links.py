"""Documents are numbered, named and linked by shuffles of Spark, however many there are.

For few of them `whole_links` does the same in one task.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from twinset.clusters.base import ClustersOfImages
from twinset.engine.searching import begin
from twinset.engine.spark.blocks import DOCUMENT
from twinset.engine.spark.copies import EqualDocuments
from twinset.engine.spark.counting import counted_links, send_counts
from twinset.engine.spark.linked import LinkedDocuments
from twinset.engine.spark.linking import components, near_edges, star_edges
from twinset.engine.spark.numbering import Blocks, distinct_ids
from twinset.engine.spark.preferring import with_positions
from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.sketching import task_resources
from twinset.engine.spark.work import WorkFolder
from twinset.lazy_dataclass import dataclass
from twinset.plan import Plan

KNOWN = (
    *("number", *DOCUMENT, "id", "source", "place", "position", "stays"),
    *("status", "units", "features", "same_a", "same_b", "copy_score"),
)
"""What is known of each document once all are numbered."""


@dataclass(frozen=True)
class ShuffledLinks:
    """Makes tables of the sketches, which are cut into so many ``parts``."""

    plan: Plan
    sources: list[str]
    work: WorkFolder
    parts: int

    def of(self, sketches: Any, blocks: Blocks) -> LinkedDocuments:
        """All documents, and those of them to be compared."""
        documents, repeated_ids = self._documents(sketches, blocks)
        equal = EqualDocuments.of(documents, self.work)
        compared = self._compared(documents, equal)
        keys = self._compared(blocks.numbered(sketches), equal)
        counts = self._counts(keys, equal)
        linked, count, units = self._linked(compared, keys, equal, counts)
        return LinkedDocuments(documents, equal, linked, count, units, repeated_ids, counts)

    @property
    def _has_images(self) -> bool:
        return isinstance(self.plan.clusters, ClustersOfImages)

    def _documents(self, sketches: Any, blocks: Blocks) -> tuple[Any, int]:
        """Numbered documents with distinct ids and their places in the order of preference."""
        from pyspark.sql import functions as f

        rows = blocks.numbered(sketches.drop("links", "images", "counted", "print"))
        names = few_rows(self.work.session, enumerate(self.sources), "file int, source string")
        rows = rows.join(f.broadcast(names), "file")
        rows = rows.withColumn("id", f.coalesce("id", f.concat_ws(":", "source", "place")))
        other, repeated = distinct_ids(rows, self.work)
        if repeated:
            rows = rows.join(other.withColumnRenamed("id", "other_id"), "number", "left")
            rows = rows.withColumn("id", f.coalesce("other_id", "id")).drop("other_id")
        rows = with_positions(rows, self.plan, self.sources, self.work, self.parts)
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
