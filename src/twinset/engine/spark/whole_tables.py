"""The tables of a small collection by one task, which is given all that was found.

Nothing is joined by Spark: in the task all documents and pairs are there, and the functions of the
local engine make its tables of them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Collected
from twinset.engine.pairing import implied_pairs
from twinset.engine.spark.bucket import COPIES, GOES, MEMBER, PAIR, TEXT
from twinset.engine.spark.page_rows import PLACED, PageRows, shown_ids, texts_of
from twinset.engine.spark.schemas import arrow_schema, spelt, with_nulls
from twinset.engine.spark.tables import SparkTables
from twinset.engine.spark.tasks import mapped
from twinset.engine.tables import clusters_table, documents_table, pairs_table, with_kept_as
from twinset.lazy_dataclass import dataclass
from twinset.model import Clusters, Floats, Ints, Pairs
from twinset.model import compute as pc
from twinset.model.columns import flags, narrow, numbers, scalar, taken, text, wide
from twinset.report.page import CALLS, CLUSTERS, MEMBERS
from twinset.report.select import ClosestCall, Cluster, Member, closest_calls, largest_clusters

FEW = 200_000
"""Pairs and members of clusters up to which one task makes the tables: 60 MB."""
AT_ONCE = 1 << 14
"""Rows that go to Java at a time."""
_TEXT, _WHOLE, _REAL = pa.string(), pa.int64(), pa.float64()
TABLES = {
    "documents": {
        "number": _WHOLE,
        "id": _TEXT,
        "source": _TEXT,
        "place": _WHOLE,
        "status": _TEXT,
        "units": _WHOLE,
        "features": _WHOLE,
        "same_as": _TEXT,
    },
    "pairs": {
        "left": _TEXT,
        "right": _TEXT,
        "score": _REAL,
        "containment_left": _REAL,
        "containment_right": _REAL,
        "shared": _WHOLE,
        "kind": _TEXT,
    },
    "clusters": {
        "cluster": _WHOLE,
        "id": _TEXT,
        "role": _TEXT,
        "anchor": _TEXT,
        "score": _REAL,
        "weakest": _REAL,
        "chained": pa.bool_(),
        "kind": _TEXT,
    },
}
"""The columns of all plans; others follow."""
KEPT = {"kept_as": _TEXT, "kept_score": _REAL}
"""What documents have beside them after `dedup`."""
NO_KIND = np.int8(-1)


@dataclass(frozen=True)
class WholeReport:
    """All rows of a run: ``rows`` are the documents by number, ``found`` what the tasks gave."""

    rows: pa.RecordBatch
    found: pa.Table
    sources: Sequence[str]
    evidence: Sequence[str]
    max_pairs: int
    dedup: bool

    @classmethod
    def of(cls, batches: Iterator[pa.RecordBatch], **options: Any) -> WholeReport:
        """Out of rows that are documents or found ones."""
        table = pa.Table.from_batches(batches)
        is_document = pc.is_valid(table["number"])
        rows = table.filter(is_document).sort_by("number").combine_chunks()
        return cls(rows.to_batches()[0], table.filter(pc.invert(is_document)), **options)

    @cached_property
    def classes(self) -> Classes:
        """Which documents are equal."""
        leader = numbers(self.rows["leader"])
        return Classes(leader, np.zeros(len(leader), bool))

    @cached_property
    def collected(self) -> Collected:
        """As much of the documents as tables are made of."""
        rows, nothing = self.rows, dict[str, int]()
        nobody: Any = None  # neither features nor beginnings are asked for
        collected = Collected(
            wide(rows["id"]),
            list(self.sources),
            numbers(rows["file"]),
            numbers(rows["place"]),
            numbers(rows["status"]).astype(np.uint8),
            numbers(rows["units"]),
            None,
            0,
            nobody,
            self.classes.leader,
            [],
            nothing,
            nothing,
            nobody,
        )
        collected.sizes = numbers(rows["features"])
        return collected

    @cached_property
    def removed(self) -> tuple[Ints, Floats]:
        """For each document the one it is removed for, itself where it stays; their similarity."""
        goes = self._sort(GOES)
        target, score = np.arange(self.rows.num_rows), np.ones(self.rows.num_rows)
        member, row = self.classes.members(numbers(goes["left"]))
        target[member], score[member] = numbers(goes["right"])[row], numbers(goes["score"])[row]
        stays = np.flatnonzero(flags(self.rows["stays"]))
        target[stays] = stays
        return target, score

    @cached_property
    def documents(self) -> pa.Table:
        """One row per document."""
        score = numbers(self.rows["copy_score"])
        copies = Copies(self.classes.leader, score, self.classes.by_bytes)
        table = documents_table(self.collected, self.classes, copies)
        return with_kept_as(table, *self.removed) if self.dedup else table

    @cached_property
    def pairs(self) -> pa.Table:
        """One row a pair."""
        found = self._sort(PAIR)
        left, right = numbers(found["left"]), numbers(found["right"])
        total = self.classes.pairs_implied(left, right)
        if len(found) < total <= self.max_pairs:
            copies = self._sort(COPIES)
            left, right, row, leader = implied_pairs(left, right, self.classes)
            by_leader = np.empty(self.rows.num_rows, np.int64)
            by_leader[numbers(copies["left"])] = len(found) + np.arange(len(copies))
            found = pa.concat_tables([found, copies]).combine_chunks()
            found = taken(found, np.concatenate([row, by_leader[leader]]))
        pairs = Pairs(left, right, numbers(found["shared"]), numbers(found["score"]))
        evidence = {name: found[name].combine_chunks() for name in self.evidence}
        return pairs_table(self.collected, pairs, evidence, np.full(len(left), NO_KIND))

    @cached_property
    def clusters(self) -> pa.Table:
        """One row a member."""
        found = self._sort(MEMBER)
        keys = [numbers(found[name]) for name in ("index", "first", "section")]
        order = np.lexsort(keys)
        begins = np.ones(len(order), bool)
        begins[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        cluster = np.cumsum(begins) - 1
        found = taken(found, order)
        member, row = self.classes.members(numbers(found["left"]))
        sorted_rows = np.lexsort((member, cluster[row]))
        member, row = member[sorted_rows], row[sorted_rows]
        clusters = Clusters(
            cluster[row],
            member,
            numbers(found["right"])[row],
            numbers(found["score"])[row],
            numbers(found["weakest"])[begins],
            flags(found["chained"].combine_chunks())[begins],
        )
        keep = self.removed[0] == np.arange(self.rows.num_rows) if self.dedup else None
        return clusters_table(self.collected, clusters, keep, np.full(len(clusters), NO_KIND))

    @cached_property
    def shown(self) -> str:
        """What the page shows, as JSON."""
        clusters = largest_clusters(self.clusters, CLUSTERS, MEMBERS)
        calls = closest_calls(self.pairs, CALLS)
        chosen = pc.is_in(self.rows["id"], text(shown_ids(clusters, calls)))
        documents = self.rows.filter(chosen).select(PLACED.names)
        texts = pa.concat_tables([self._sort(MEMBER), self._sort(TEXT)])
        texts = texts.select(["sort", "left", "head"])
        texts = texts.filter(pc.is_in(texts["left"], documents["number"]))
        shown = {
            "clusters": [dataclasses.asdict(cluster) for cluster in clusters],
            "calls": calls,
            "documents": documents.to_pylist(),
            "texts": [list(row.values()) for row in texts.to_pylist()],
        }
        return json.dumps(shown)

    def _sort(self, sort: int) -> pa.Table:
        return self.found.filter(pc.equal(self.found["sort"], scalar(sort))).combine_chunks()


@dataclasses.dataclass(frozen=True)
class WholeTables(SparkTables):
    """The tables of a run whose documents and pairs have room in one task."""

    sources: Sequence[str] = ()

    @classmethod
    def of(cls, tables: SparkTables, sources: Sequence[str]) -> WholeTables:
        """These tables in place of others."""
        known = {each.name: getattr(tables, each.name) for each in dataclasses.fields(tables)}
        whole = cls(**known, sources=sources)
        whole.__dict__["figures"] = tables.figures  # which were asked for already
        return whole

    @cached_property
    def documents(self) -> Any:
        """One row per document."""
        return self._of("documents")

    @cached_property
    def pairs(self) -> Any:
        """One row a pair."""
        return self._of("pairs")

    @cached_property
    def clusters(self) -> Any:
        """One row a member, by ids."""
        return self._of("clusters")

    @cached_property
    def removed_numbers(self) -> Any:
        """The numbers of the documents that go."""
        return self.documents.where("kept_as is not null").select("number")

    def page_rows(self, written: Mapping[str, Any]) -> PageRows:
        """What the page shows."""
        rows = json.loads(self._report.where("shown is not null").collect()[0].shown)
        clusters = [
            Cluster(**{**cluster, "members": tuple(Member(**each) for each in cluster["members"])})
            for cluster in rows["clusters"]
        ]
        calls = [ClosestCall(*call) for call in rows["calls"]]
        nothing = pa.schema(TABLES["clusters"]).empty_table()
        return PageRows(clusters, calls, rows["documents"], texts_of(rows["texts"]), nothing)

    def _of(self, table: str) -> Any:
        return self._report.where(f"{table} is not null").select(f"{table}.*")

    @cached_property
    def _report(self) -> Any:
        """Rows of all tables, each in a column of its own, and one of what the page shows."""
        found = arrow_schema(self.found)
        more: dict[str, dict[str, pa.DataType]] = {
            "documents": {
                **({"copy_score": _REAL} if self.copies_differ else {}),
                **(KEPT if self.dedup else {}),
            },
            "pairs": {name: found.field(name).type for name in self.evidence},
            "clusters": {},
        }
        tables = {name: pa.struct({**known, **more[name]}) for name, known in TABLES.items()}
        schema = pa.schema({**tables, "shown": _TEXT})
        make = partial(
            WholeReport.of,
            sources=self.sources,
            evidence=self.evidence,
            max_pairs=self.max_pairs,
            dedup=self.dedup,
        )
        rows = self.numbered.unionByName(self.found, allowMissingColumns=True).coalesce(1)
        return self.work.kept("report", mapped(rows, partial(_rows, make, schema), spelt(schema)))


def are_few(tables: SparkTables) -> bool:
    """Whether one task has room for what was found."""
    sums = tables.figures.sums
    listed = sums["implied"] if tables.are_listed else sums["pairs"]
    return listed + sums["clustered"] <= FEW


def _rows(
    make: Callable[[Iterator[pa.RecordBatch]], WholeReport],
    schema: pa.Schema,
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    report = make(batches)
    for name in TABLES:
        kind, table = schema.field(name).type, getattr(report, name)
        columns = [_narrow(table[field.name]).cast(field.type) for field in kind]
        rows = pa.StructArray.from_arrays(columns, fields=list(kind))
        for begin in range(0, len(rows), AT_ONCE):
            yield with_nulls(schema, {name: rows[begin : begin + AT_ONCE]})
    yield with_nulls(schema, {"shown": text([report.shown])})


def _narrow(values: pa.ChunkedArray) -> pa.Array:
    whole = values.combine_chunks()
    return narrow(whole) if whole.type == pa.large_string() else whole
