"""Numbers of documents in reading order, and distinct ids.

A document is known by its file, its block and its row there. The blocks are few: how many documents
and lines each has goes through the driver, and numbers follow by addition.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from functools import cached_property
from typing import Any

from twinset.engine.spark.schemas import few_rows
from twinset.engine.spark.work import WorkFolder
from twinset.lazy_dataclass import dataclass

ENDS = ("lines", "documents", "counts")
"""What the row says that ends a block."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of the input by file and begin, in reading order.

    ``firsts`` has for each the number of its first document, ``lines`` the lines of the file before
    it. ``counts`` is what was done in them that is no fault, ``files`` what tasks have counted of
    each file.
    """

    firsts: dict[tuple[int, int], int]
    lines: dict[tuple[int, int], int]
    documents: int
    counts: Counter[str]
    files: dict[int, Counter[str]]
    session: Any

    @classmethod
    def of(cls, sketches: Any, session: Any) -> Blocks:
        """The blocks whose ends are among these rows."""
        rows = sketches.where("block_documents is not null or file_facts is not null")
        rows = rows.select("file", "block", *(f"block_{name}" for name in ENDS), "file_facts")
        firsts, lines, counts = {}, {}, Counter[str]()
        files: defaultdict[int, Counter[str]] = defaultdict(Counter)
        number, line, before = 0, 0, None
        for row in sorted(rows.collect(), key=lambda row: (row.file, row.block or 0)):
            if row.file_facts is not None:
                files[row.file].update(json.loads(row.file_facts))
                continue
            if row.file != before:
                before, line = row.file, 0
            firsts[row.file, row.block], lines[row.file, row.block] = number, line
            number, line = number + row.block_documents, line + row.block_lines
            counts.update(json.loads(row.block_counts or "{}"))
        return cls(firsts, lines, number, counts, dict(files), session)

    @cached_property
    def _table(self) -> Any:
        rows = [(*block, first, self.lines[block]) for block, first in self.firsts.items()]
        schema = "file int, block bigint, first_number bigint, lines_before bigint"
        return few_rows(self.session, rows, schema)

    def numbered(self, rows: Any) -> Any:
        """The rows of documents with their ``number``."""
        from pyspark.sql import functions as f

        known = rows.where("row is not null").join(f.broadcast(self._table), ["file", "block"])
        known = known.withColumn("number", f.expr("first_number + row"))
        if "line" in rows.columns:  # places are lines of the file, from 1
            known = known.withColumn("place", f.expr("lines_before + line"))
        return known.drop("first_number", "lines_before")


def distinct_ids(documents: Any, work: WorkFolder) -> tuple[Any, int]:
    """Rows (number, id) of the documents that need another id, and how many these are.

    The second document ``x`` becomes ``x#2``, or ``x#2'`` where that is an id of another one.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    named = documents.select("number", "id")
    several = named.groupBy("id").count().where("count > 1").select("id")
    if several.isEmpty():
        return None, 0
    nth = f.row_number().over(Window.partitionBy("id").orderBy("number"))
    again = named.join(several, "id").withColumn("nth", nth).where("nth > 1")
    again = work.kept("repeated-ids", again)
    count = again.count()
    new = again.select("number", f.concat_ws("#", "id", "nth").alias("id"))
    turn = 0
    while True:
        taken = new.join(named.select("id").distinct(), "id", "left_semi")
        taken = work.kept(f"taken-ids-{turn}", taken)
        if taken.isEmpty():
            break
        longer = taken.select("number", f.concat(f.col("id"), f.lit("'")).alias("id"))
        free = new.join(taken.select("number"), "number", "left_anti")
        new = work.kept(f"new-ids-{turn}", free.select("number", "id").union(longer))
        turn += 1
    return new, count
