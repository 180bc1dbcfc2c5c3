"""New documents held against older ones: each is looked up, and no two new ones are compared.

Who knows the older documents is behind `OlderDocuments`; an index answers (``index.against``). Here
the new ones are read, and what was found becomes the tables of any other run. Older documents have
no row among the documents: a pair names a new one on the left and an older one on the right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.errors import PlanError
from twinset.finding.clusters.base import Graph
from twinset.model import Batch, Clusters, Documents, Floats, Ints, Pairs, spread
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, taken, valid, words
from twinset.plan import Plan, Resources
from twinset.result.tables import EQUAL, NEAR, THERE
from twinset.run.clustering import Clustered
from twinset.run.copies import Classes, Copies
from twinset.run.documents import Collected, ids_of, preference, with_policies
from twinset.run.findings import Findings
from twinset.run.footprint import writers
from twinset.run.manifest import manifest
from twinset.run.pairing import Paired, known
from twinset.run.progress import Clock, Progress
from twinset.run.searching import begin, judge_of
from twinset.run.streaming import Collector, ReadyBatch, collect, survey
from twinset.run.tables import clusters_table, documents_table
from twinset.text.arrow import arrow_text
from twinset.text.wording import rewriter_of

NOBODY: Ints = np.empty(0, np.int64)
STEPS = 1 << 32
"""Scores are weighed up in whole numbers of so many to 1: equal sums are equal on any machine."""
WEIGHED = 1_000_000
"""New times older documents of a component that is weighed up as a whole: 1,000 by 1,000 took .1 to
3 s, and 27 s where the scores were products; beyond that the best score goes first."""
FAR = 1 << 61


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

    def take(self, rows: Ints) -> Matches:
        """Some of the matches, in this order."""
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

    def ask(self, texts: pa.Array) -> tuple[Matches, Ints]:
        """The matches of texts, by score and id, none of them ``itself``; any thread may ask.

        The second value says for each text how many of a crowd it was not compared with.
        """
        ...

    def themselves(self, ids: pa.Array, texts: pa.Array) -> NDArray[np.bool_]:
        """Which of these documents, whose ids are known here, are known with the same text."""
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


@dataclass(slots=True)
class _LookedUp:
    """What is known of the ``rows`` of a batch that have a text.

    Equal texts are asked about once: ``same`` is the text of each row, whose matches begin and end
    at ``ends``. ``own`` is the match that has the id of the row, -1 where there is none, and
    ``itself`` says that it is the same document.
    """

    rows: Ints
    same: Ints
    matches: Matches
    ends: Ints
    own: Ints
    itself: NDArray[np.bool_]
    uncompared: int

    def expanded(self, chosen: Ints, counts: Ints, firsts: Ints) -> Matches:
        """So many matches from the first on for each of the chosen rows."""
        place, nth = spread(counts)
        source = firsts[place] + nth
        row = chosen[place]
        is_own = source == self.own[row]
        matches = self.matches.take(source)
        matches.row, matches.itself = self.rows[row], is_own & self.itself[row]
        if not is_own.any():
            return matches
        # Of equal scores that of the same id comes first.
        return matches.take(np.lexsort((source, ~is_own, -matches.score, row)))


class _Lookup:
    """Takes batches in and asks about each; batches come in the order of the input.

    Above ``most`` matches only the best of each document is kept.
    """

    def __init__(self, collector: Collector, older: OlderDocuments, dedup: bool, most: int) -> None:
        self._collector, self._older = collector, older
        self._dedup, self._most = dedup, most
        self._parts: list[Matches] = []
        self.total = self.matched = self.already_there = self.uncompared = 0

    def work(self, batch: Batch) -> tuple[ReadyBatch, _LookedUp]:
        """Everything that may be done beside other batches."""
        rows = np.flatnonzero(valid(batch.texts))
        ids, texts = ids_of(batch), batch.texts
        if len(rows) < len(batch):
            ids, texts = taken(ids, rows), taken(texts, rows)
        return self._collector.work(batch), self._look_up(rows, ids, texts)

    def _look_up(self, rows: Ints, ids: pa.Array, texts: pa.Array) -> _LookedUp:
        digests = _kernels.text_digests(*arrow_text(texts), 1)
        _, first, same = np.unique(digests, return_index=True, return_inverse=True)
        same = same.reshape(-1)  # NumPy 2.0.0 gives it the shape of the input
        matches, uncompared = self._older.ask(taken(texts, first))
        ends = np.searchsorted(matches.row, np.arange(len(first) + 1))
        own = _own_matches(ids, same, matches)
        itself = np.zeros(len(rows), bool)
        if len(known := np.flatnonzero(own >= 0)):
            itself[known] = self._older.themselves(taken(ids, known), taken(texts, known))
        return _LookedUp(rows, same, matches, ends, own, itself, int(uncompared[same].sum()))

    def take(self, ready: tuple[ReadyBatch, _LookedUp]) -> None:
        """Keep a batch and its matches."""
        batch, found = ready
        before = self._collector.count
        self._collector.take(batch)
        self.already_there += int(found.itself.sum())
        self.uncompared += found.uncompared
        counts = np.diff(found.ends)[found.same]
        # Without dedup a document is no near-duplicate of itself.
        others = counts if self._dedup else counts - found.itself
        self.matched += int((others > 0).sum())
        was_whole = self.total <= self._most
        self.total += int(others.sum())
        chosen = np.flatnonzero(others > 0)
        if self.total <= self._most:
            matches = found.expanded(chosen, counts[chosen], found.ends[found.same[chosen]])
            if not self._dedup:
                matches = matches.take(np.flatnonzero(~matches.itself))
        else:
            if was_whole:
                self._parts = [part.take(np.flatnonzero(part.is_best)) for part in self._parts]
            matches = self._best(found, chosen)
        matches.row = matches.row + before
        self._parts.append(matches)

    def _best(self, found: _LookedUp, chosen: Ints) -> Matches:
        """The best match of each of the chosen rows."""
        first, own = found.ends[found.same[chosen]], found.own[chosen]
        score = found.matches.score
        tied = (own >= 0) & (score[np.maximum(own, 0)] == score[first])
        if self._dedup:
            best = np.where(tied, own, first)
        else:
            itself = found.itself[chosen]
            best = np.where(tied & ~itself, own, first + (itself & (own == first)))
        return found.expanded(chosen, np.ones(len(chosen), np.int64), best)

    def matches(self) -> Matches:
        """All that are kept; the list is empty afterwards."""
        parts, self._parts = self._parts, []
        return Matches.joined(parts)


def _own_matches(ids: pa.Array, same: Ints, matches: Matches) -> Ints:
    """For each row the match that has its id; -1 where there is none.

    ``same`` is the text that a row has, and the row of a match the text that was asked about.
    """
    own = np.full(len(ids), -1)
    if not len(matches):  # then nothing has to be loaded
        return own
    coded = ids.cast(pa.large_string()).dictionary_encode()
    known = numbers(pc.index_in(matches.ids, value_set=coded.dictionary), missing=-1)
    places = np.flatnonzero(known >= 0)
    if not len(places):
        return own
    keys = matches.row[places] * len(coded.dictionary) + known[places]
    order = np.argsort(keys, kind="stable")
    keys, places = keys[order], places[order]
    wanted = same * len(coded.dictionary) + numbers(coded.indices)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, places[at], own)


def one_to_one(matches: Matches) -> tuple[Matches, int]:
    """Of the matches those of the largest sum of scores in which no document comes twice.

    Ties go by the order of the new documents, and of the matches of each. What no chain of matches
    connects is weighed up apart; the second value counts the matches that are taken where that is
    too large, and the best scores go first.
    """
    older = matches.ids.dictionary_encode()
    # Documents of several files may have one id: of their matches with a new one the best counts.
    named = matches.row * len(older.dictionary) + numbers(older.indices)
    first = np.sort(np.unique(named, return_index=True)[1])
    matches, older = matches.take(first), older.take(first)
    rows, row = np.unique(matches.row, return_inverse=True)
    row, place = row.reshape(-1), numbers(older.indices).astype(np.int64)
    weight = np.rint(matches.score * STEPS).astype(np.int64)
    ends = row.astype(np.uint32), (place + len(rows)).astype(np.uint32)
    root = _kernels.component_roots(len(rows) + len(older.dictionary), *ends)[row]
    order = np.argsort(root, kind="stable")
    begins = np.flatnonzero(np.diff(root[order], prepend=-1))
    sizes = np.diff(begins, append=len(order))
    chosen, greedy = [order[begins[sizes == 1]]], 0
    for at in np.flatnonzero(sizes > 1).tolist():
        edges = order[begins[at] : begins[at] + sizes[at]]
        left, right = (np.unique(side[edges], return_inverse=True)[1] for side in (row, place))
        is_large = (int(left.max()) + 1) * (int(right.max()) + 1) > WEIGHED
        partner = (_best_first if is_large else _assigned)(left, right, weight[edges])
        chosen.append(edges[partner[left] == right])
        greedy += is_large * len(chosen[-1])
    return matches.take(np.sort(np.concatenate(chosen))), greedy


def _best_first(left: Ints, right: Ints, weight: Ints) -> Ints:
    """For each left one its right one, -1 for none: of the pairs that are free the best."""
    partner, gone = np.full(int(left.max()) + 1, -1), np.zeros(int(right.max()) + 1, bool)
    order = np.lexsort((right, left, -weight))
    for one, other in zip(left[order].tolist(), right[order].tolist(), strict=True):
        if partner[one] < 0 and not gone[other]:
            partner[one], gone[other] = other, True
    return partner


def _assigned(left: Ints, right: Ints, weight: Ints) -> Ints:
    """For each left one its right one, -1 for none: the largest sum of weights, which are above 0.

    Kuhn: The Hungarian method for the assignment problem (1955), by shortest augmenting paths:
    Jonker, Volgenant 1987. A path ends at a free column, or at a row that does better without one.
    """
    rows, columns = int(left.max()) + 1, int(right.max()) + 1
    cost = np.zeros((rows, columns), np.int64)
    cost[left, right] = -weight
    partner, owner = np.full(rows, -1), np.full(columns, -1)
    of_row, of_column = np.zeros(rows, np.int64), np.zeros(columns, np.int64)  # the dual prices
    for first in range(rows):
        of_row[first] = min(0, int((cost[first] - of_column).min()))
        distance, before = np.full(columns, FAR), np.full(columns, -1)
        passed = np.zeros(columns, bool)
        row, end, least, length = first, first, -int(of_row[first]), 0
        while True:
            reached = cost[row] - of_column + (length - of_row[row])
            nearer = (reached < distance) & ~passed
            distance[nearer], before[nearer] = reached[nearer], row
            ahead = np.where(passed, FAR, distance)
            at = int((ahead << 1 | (owner >= 0)).argmin())  # of equal ones one that is free
            length = int(ahead[at])
            if length >= least:
                at, length = int(partner[end]), least
                partner[end] = -1
                break
            if owner[at] < 0:
                break
            passed[at] = True
            row = int(owner[at])
            if length - of_row[row] < least:
                end, least = row, length - int(of_row[row])
        slack = length - distance[passed]
        of_row[first] += length
        of_row[owner[passed]] += slack
        of_column[passed] -= slack
        while at >= 0:
            row = int(before[at])
            owner[at], at, partner[row] = row, int(partner[row]), at
    return partner


def run_against(
    documents: Documents,
    plan: Plan,
    older: OlderDocuments,
    *,
    dedup: bool,
    resources: Resources,
    progress: Progress,
    statistics: Any = None,
) -> Findings:
    """Find new documents that are near older ones; with ``dedup`` those go."""
    clock = Clock()
    search = begin(plan, resources, statistics)
    rewriter = rewriter_of(plan)
    survey(documents, search.surveys(), progress, rewriter, resources.threads)
    collector = Collector(search, resources, rewriter=rewriter)
    lookup = _Lookup(collector, older, dedup, plan.max_pairs)
    collected = collect(documents, collector, progress, lookup)
    del collector
    clock.lap("read and look up")
    matches = lookup.matches()
    matched, implied, rules, once = lookup.matched, lookup.total - len(matches), [], {}
    if plan.match == "one":
        if implied:
            raise PlanError(
                [
                    f"match one weighs up all pairs, and there are {lookup.total:,}: give "
                    f"max-pairs {lookup.total} or more, which takes 100 bytes of memory each, or a "
                    "higher threshold"
                ]
            )
        matches, greedy = one_to_one(matches)
        matched, once = len(matches), {"greedy": greedy}
        rules = [{"by": "match", "bound": 1, "pairs": lookup.total - matched}]
    plan = with_policies(plan, collected, dedup=False)
    number = np.arange(len(collected))
    nowhere = np.zeros(len(collected), bool)
    classes = Classes(number, nowhere)
    copies = Copies(number, np.broadcast_to(1.0, len(collected)), nowhere)
    listed = Pairs(matches.row, np.full(len(matches), -1), matches.shared, matches.score)
    none, nothing = np.empty(0), np.empty(0, bool)
    no_clusters = Clusters(NOBODY, NOBODY, NOBODY, none, none, nothing)
    clustered = Clustered(no_clusters, True, NOBODY, 0)
    rows, keep = documents_table(collected, classes, copies), None
    if dedup:
        stays = preference(collected, plan, dedup).kept
        best = matches.take(np.flatnonzero(matches.is_best & ~stays[matches.row]))
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
        paired=_no_pairs(collected, copies, lookup.uncompared),
        listed=listed,
        implied=implied,
        clustered=clustered,
        image_facts=None,
        keep=keep,
        kinds=None,
        timings=clock.seconds,
        threads=resources.threads,
    )
    there = {"matched": matched, "already_there": lookup.already_there}
    facts["against"] = older.facts() | there | once
    facts["pairs_left_out"] += rules
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
        writers=writers(len(collected), collected.ids.nbytes, resources),
        older=older,
    )


def _no_pairs(collected: Collected, copies: Copies, uncompared: int) -> Paired:
    """No two documents of the run are compared; so many pairs with older ones are not, either."""
    leaders = np.flatnonzero(collected.status == 0)
    slots = np.empty(0, np.uint32)
    graph = Graph(np.zeros(len(leaders), np.uint8), slots, slots, np.empty(0), np.empty(0))
    pairs = Pairs(NOBODY, NOBODY, NOBODY, np.empty(0))
    return Paired(pairs, graph, leaders, known(pairs, copies), 1.0, 0, 0, uncompared)


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
