"""New documents held against older ones: each is looked up, and no two new ones are compared.

Who knows the older documents is behind `OlderDocuments`; an index answers (``index.against``). Here
the new ones are read, and what was found becomes the tables of any other run. Older documents have
no row among the documents: a pair names a new one on the left and an older one on the right.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.clusters.base import Graph
from twinset.engine.clock import Clock
from twinset.engine.clustering import Clustered
from twinset.engine.copies import Classes, Copies
from twinset.engine.documents import Collected, ids_of, preference, with_policies
from twinset.engine.findings import Findings
from twinset.engine.manifest import manifest
from twinset.engine.pairing import Paired, known
from twinset.engine.progress import Progress
from twinset.engine.searching import begin, judge_of
from twinset.engine.streaming import Collector, ReadyBatch, collect, survey
from twinset.engine.tables import clusters_table, documents_table
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Clusters, Documents, Floats, Ints, Pairs
from twinset.model.columns import column, taken, valid, words
from twinset.plan import Plan, Resources
from twinset.report.numbered import KnownNumbers
from twinset.report.tables import EQUAL, NEAR, THERE
from twinset.text.statistics import Statistics
from twinset.text.wording import rewriter_of

NOBODY: Ints = np.empty(0, np.int64)


@dataclass(slots=True)
class Matches:
    """Older documents near new ones: those of a row stand together, best first.

    ``shared`` is -1 and the containments are NaN where they are not known; ``itself`` marks an
    older document that is the new one, with its id and its text.
    """

    row: Ints
    ids: pa.Array
    score: Floats
    shared: Ints
    containment_left: Floats
    containment_right: Floats
    itself: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.row)

    def among(self, chosen: NDArray[np.bool_]) -> Matches:
        """Some of the matches."""
        rows = np.flatnonzero(chosen)
        return Matches(
            self.row[rows],
            taken(self.ids, rows),
            self.score[rows],
            self.shared[rows],
            self.containment_left[rows],
            self.containment_right[rows],
            self.itself[rows],
        )

    @property
    def is_best(self) -> NDArray[np.bool_]:
        """The first match of each row."""
        best: NDArray[np.bool_] = np.diff(self.row, prepend=-1) != 0
        return best

    @classmethod
    def joined(cls, parts: list[Matches]) -> Matches:
        """Matches of several batches."""
        ids = [part.ids for part in parts]
        return cls(
            np.concatenate([NOBODY, *(part.row for part in parts)]),
            pa.concat_arrays([pa.array([], pa.large_string()), *ids]),
            np.concatenate([np.empty(0), *(part.score for part in parts)]),
            np.concatenate([NOBODY, *(part.shared for part in parts)]),
            np.concatenate([np.empty(0), *(part.containment_left for part in parts)]),
            np.concatenate([np.empty(0), *(part.containment_right for part in parts)]),
            np.concatenate([np.empty(0, bool), *(part.itself for part in parts)]),
        )


class OlderDocuments(Protocol):
    """What new documents are held against."""

    def ask(self, ids: pa.Array, texts: pa.Array) -> Matches:
        """The matches of texts; several threads may ask."""
        ...

    def facts(self) -> dict[str, Any]:
        """What they are, for the manifest."""
        ...

    def origins(self, ids: pa.Array) -> pa.Table | None:
        """Id, source and place of these documents; None where only an index knows them."""
        ...

    def texts(self, ids: list[str]) -> dict[str, str]:
        """The texts of these documents, as far as they can be had."""
        ...


class _Lookup:
    """Takes batches in and asks about each; batches come in the order of the input.

    Above ``most`` matches only the best of each document is kept.
    """

    def __init__(self, collector: Collector, older: OlderDocuments, dedup: bool, most: int) -> None:
        self._collector, self._older = collector, older
        self._dedup, self._most = dedup, most
        self._parts: list[Matches] = []
        self.total = self.matched = self.already_there = 0

    def work(self, batch: Batch) -> tuple[ReadyBatch, Matches]:
        """Everything that may be done beside other batches."""
        rows = np.flatnonzero(valid(batch.texts))
        ids, texts = ids_of(batch), batch.texts
        if len(rows) < len(batch):
            ids, texts = taken(ids, rows), taken(texts, rows)
        matches = self._older.ask(ids, texts)
        matches.row = rows[matches.row]
        return self._collector.work(batch), matches

    def take(self, ready: tuple[ReadyBatch, Matches]) -> None:
        """Keep a batch and its matches."""
        batch, matches = ready
        matches.row = matches.row + self._collector.count
        self._collector.take(batch)
        self.already_there += len(np.unique(matches.row[matches.itself]))
        if not self._dedup:  # a document is no near-duplicate of itself
            matches = matches.among(~matches.itself)
        self.matched += int(matches.is_best.sum())
        was_whole = self.total <= self._most
        self.total += len(matches)
        if self.total > self._most:
            if was_whole:
                self._parts = [part.among(part.is_best) for part in self._parts]
            matches = matches.among(matches.is_best)
        self._parts.append(matches)

    def matches(self) -> Matches:
        """All that are kept; the list is empty afterwards."""
        parts, self._parts = self._parts, []
        return Matches.joined(parts)


def run_against(
    documents: Documents,
    plan: Plan,
    older: OlderDocuments,
    *,
    dedup: bool,
    resources: Resources,
    progress: Progress,
    statistics: Statistics | None = None,
) -> Findings:
    """Find new documents that are near older ones; with ``dedup`` those go."""
    clock = Clock()
    search = begin(plan, resources, statistics)
    rewriter = rewriter_of(plan)
    survey(documents, search, progress, rewriter, resources.threads)
    collector = Collector(search, resources, rewriter=rewriter)
    lookup = _Lookup(collector, older, dedup, plan.max_pairs)
    collected = collect(documents, collector, progress, lookup)
    del collector
    clock.lap("read and look up")
    matches = lookup.matches()
    plan = with_policies(plan, collected, dedup=False)
    number = np.arange(len(collected))
    nowhere = np.zeros(len(collected), bool)
    classes = Classes(number, nowhere)
    copies = Copies(number, np.broadcast_to(1.0, len(collected)), nowhere)
    listed = Pairs(matches.row, np.full(len(matches), -1), matches.shared, matches.score)
    clustered = _no_clusters()
    rows, keep = documents_table(collected, classes, copies), None
    if dedup:
        stays = preference(collected, plan).kept
        best = matches.among(matches.is_best & ~stays[matches.row])
        keep = np.ones(len(collected), bool)
        keep[best.row] = False
        rows = _with_kept_as(rows, best)
    facts = manifest(
        plan=plan,
        search=search,
        judge=judge_of(plan, resources),
        documents=documents,
        collected=collected,
        classes=classes,
        paired=_no_pairs(collected, copies),
        listed=listed,
        implied=lookup.total - len(matches),
        clustered=clustered,
        image_facts=None,
        keep=keep,
        kinds=None,
        timings=clock.seconds,
        threads=resources.threads,
    )
    facts["against"] = older.facts() | {
        "matched": lookup.matched,
        "already_there": lookup.already_there,
    }
    pairs = _pairs_table(collected, matches)
    clusters = clusters_table(collected, clustered.clusters, keep, np.empty(0, np.int8))
    origins = older.origins(matches.ids)
    clock.lap("tables")
    collected.release_features()
    return Findings(
        rows,
        pairs,
        clusters,
        facts,
        keep,
        collected.heads.read,
        documents,
        {} if origins is None else {"older": origins},
        writers=resources.processes,
        row_numbers=KnownNumbers(
            number,
            NOBODY,
            NOBODY,
            listed.left,
            listed.right,
            None if keep is None else np.where(keep, number, -1),
        ),
        older=older,
    )


def _no_pairs(collected: Collected, copies: Copies) -> Paired:
    """No two documents of the run are compared."""
    leaders = np.flatnonzero(collected.status == 0)
    slots = np.empty(0, np.uint32)
    graph = Graph(np.zeros(len(leaders), np.uint8), slots, slots, np.empty(0), np.empty(0))
    pairs = Pairs(NOBODY, NOBODY, NOBODY, np.empty(0))
    return Paired(pairs, graph, leaders, known(pairs, copies), 1.0, 0)


def _no_clusters() -> Clustered:
    none, nothing = np.empty(0), np.empty(0, bool)
    return Clustered(Clusters(NOBODY, NOBODY, NOBODY, none, none, nothing), True, NOBODY, 0)


def _pairs_table(documents: Collected, matches: Matches) -> pa.Table:
    """One row a pair, in reading order of the new documents, the best match of each first."""
    shares = matches.containment_left, matches.containment_right
    left, right = (column(share, missing=_unless_any(np.isnan(share))) for share in shares)
    return pa.table(
        {
            "left": taken(documents.ids, matches.row),
            "right": matches.ids,
            "score": column(matches.score),
            "containment_left": left,
            "containment_right": right,
            "shared": column(matches.shared, missing=_unless_any(matches.shared < 0)),
            "kind": pa.nulls(len(matches), pa.string()),
        }
    )


def _unless_any(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return missing if missing.any() else None


def _with_kept_as(documents: pa.Table, best: Matches) -> pa.Table:
    """The documents with the older one that each removed one goes for, their similarity and why."""
    count = len(documents)
    place = np.zeros(count, np.int64)
    place[best.row] = np.arange(len(best))
    goes = np.zeros(count, bool)
    goes[best.row] = True
    chosen = column(place, missing=~goes)
    equal = (best.containment_left == 1) & (best.containment_right == 1)
    reason = words(np.where(best.itself, 2, np.where(equal, 1, 0)), [NEAR, EQUAL, THERE])
    columns = {
        "kept_as": best.ids,
        "kept_score": column(best.score),
        "kept_because": reason,
    }
    for name, values in columns.items():
        documents = documents.append_column(name, values.take(chosen))
    return documents
