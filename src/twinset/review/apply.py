"""Decisions carried out: which documents go, and a report as `dedup` writes it, without them.

As in `dedup` nothing goes by a chain: a document is removed for one that stays and that it is a
listed pair with, or that a person has called its copy. The user's own files are read and never
written.
"""

from __future__ import annotations

import math
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.finding.clusters.base import Graph
from twinset.finding.clusters.of_pairs import anchors
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import column, words
from twinset.plan.reading import OutputForm
from twinset.result import Report, ReportPlaces, Results, ensure_free, write
from twinset.result.tables import DECIDED, EQUAL, NEAR
from twinset.result.texts import reopen
from twinset.result.words import older
from twinset.review.decisions import NAME, Decisions, Journal, pairs_of
from twinset.review.index import ReportIndex
from twinset.review.threshold import Links, preference
from twinset.run.findings import outcomes_of
from twinset.system.remote import Place
from twinset.writing import write_documents

Undecided = Literal["keep", "remove"]
SAID = math.inf
"""A person's word stands above any similarity, which may be a count."""
Edge = tuple[int, int, float]


@dataclass(frozen=True)
class Settled:
    """For each document the one it goes for (itself when it stays), their score, and why.

    ``decided`` marks those that go by a person's word; ``unknown`` counts documents that decisions
    name and the report does not have.
    """

    target: Ints
    score: Floats
    decided: NDArray[np.bool_]
    unknown: int

    @property
    def goes(self) -> NDArray[np.bool_]:
        """The documents that are removed."""
        marks: NDArray[np.bool_] = self.target != np.arange(len(self.target))
        return marks

    def counts(self) -> dict[str, int]:
        """How many documents stay, go, and go by decision."""
        kept, removed = int((~self.goes).sum()), int(self.goes.sum())
        return {"kept": kept, "removed": removed, "by_decision": int(self.decided.sum())}


def settle(index: ReportIndex, decisions: Decisions, undecided: Undecided = "keep") -> Settled:
    """Work the decisions out; ``undecided`` says what happens to near-duplicates without one."""
    if older(index.manifest) is not None:
        raise ReportError(
            "there is nothing to decide: these documents were held against older ones, which stay; "
            "'twinset dedup NEW --against OLD' writes what is new"
        )
    ids = {id for decision in decisions.standing for id in decision.ids}
    known = index.numbers_of(sorted(ids))
    verdicts = _Verdicts(decisions, known)
    edges = list(verdicts.edges())
    ends, score = np.empty((2, 0), np.int64), np.empty(0)
    taking_part = np.zeros(len(index), bool)
    taking_part[list(verdicts.lines)] = True
    if undecided == "remove":
        links = Links.of(index)
        taking_part[links.leaders] = True
        special, more = _written_out(index, links, verdicts)
        edges += [edge for edge in more if verdicts.on(edge[0], edge[1]) is None]
        ends = np.stack([links.leaders[links.earlier], links.leaders[links.later]])
        some = ~(special[ends].any(axis=0) | links.apart)
        ends, score = ends[:, some], links.score[some]
    decided_ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2).T
    ends = np.concatenate([decided_ends, ends], axis=1)
    score = np.concatenate([[edge[2] for edge in edges], score])
    preferred = preference(index, removing=True)
    chosen = np.zeros(len(index), bool)
    chosen[list(verdicts.chosen)] = True
    slots = preferred.order[taking_part[preferred.order]]
    # Others that stay are in their places: parts of files stay, too, but no file goes for one.
    slots = slots[np.argsort(~chosen[slots], kind="stable")]
    slot = np.zeros(len(index), np.uint32)
    slot[slots] = np.arange(len(slots), dtype=np.uint32)
    low, high = map(np.ascontiguousarray, np.sort(slot[ends], axis=0))
    kept = (preferred.kept | chosen)[slots].astype(np.uint8)
    anchor, similarity = anchors(Graph(kept, low, high, score, index.copies[slots]))
    target, scores = np.arange(len(index)), np.ones(len(index))
    target[slots], scores[slots] = slots[anchor], similarity
    if undecided == "remove":
        # Documents that no decision names go where the one that stands for them goes.
        others = np.ones(len(index), bool)
        others[slots] = False
        target[others] = target[index.leader[others]]
        scores[others] = scores[index.leader[others]]
        target[preferred.kept] = np.flatnonzero(preferred.kept)
        same = (index.leader[target] == index.leader) & (scores < SAID)
        scores[same] = index.copies[same]
    decided = (scores >= SAID) & (target != np.arange(len(index)))
    for document in np.flatnonzero(decided).tolist():
        scores[document] = index.score(document, int(target[document]))
    return Settled(target, scores, decided, len(ids) - len(known))


class _Verdicts:
    """What was decided on two documents: the latest decision that names both."""

    def __init__(self, decisions: Decisions, known: dict[str, int]) -> None:
        self.by_line = {d.line: d for d in decisions.standing}
        self.known = known
        self.lines: dict[int, set[int]] = defaultdict(set)
        self.chosen: set[int] = set()
        for decision in sorted(decisions.standing, key=lambda decision: decision.line):
            members = [known[id] for id in decision.ids if id in known]
            for document in members:
                self.lines[document].add(decision.line)
            if decision.keep in known:
                self.chosen.difference_update(members)
                self.chosen.add(known[decision.keep])

    def on(self, left: int, right: int) -> str | None:
        """The verdict on two documents."""
        common = self.lines.get(left, set()) & self.lines.get(right, set())
        return self.by_line[max(common)].verdict if common else None

    def edges(self) -> Iterator[Edge]:
        """The pairs that were called copies, and by no later word something else."""
        called = (d for d in self.by_line.values() if d.verdict == "duplicate")
        for left, right in (pair for decision in called for pair in pairs_of(decision)):
            if left in self.known and right in self.known:
                first, second = self.known[left], self.known[right]
                if self.on(first, second) == "duplicate":
                    yield first, second, SAID


def _written_out(
    index: ReportIndex, links: Links, verdicts: _Verdicts
) -> tuple[NDArray[np.bool_], list[Edge]]:
    """Leaders whose documents decisions name, and their listed pairs, document by document."""
    classes: dict[int, set[int]] = {}
    for document in sorted(verdicts.lines):
        leader = int(index.leader[document])
        classes.setdefault(leader, {leader}).add(document)
    special = np.zeros(len(index), bool)
    special[list(classes)] = True
    ends = links.leaders[links.earlier], links.leaders[links.later]
    edges: list[Edge] = []
    for row in np.flatnonzero((special[ends[0]] | special[ends[1]]) & ~links.apart).tolist():
        sides = (classes.get(int(side[row]), {int(side[row])}) for side in ends)
        edges += [(first, second, float(links.score[row])) for first, second in product(*sides)]
    for leader, documents in classes.items():
        copies = float(index.copies[leader])
        edges += [(first, second, copies) for first, second in combinations(sorted(documents), 2)]
    return special, edges


@dataclass(frozen=True)
class Applied:
    """Where the result is and how many documents were kept, removed, and removed by decision."""

    folder: Place
    kept: int
    removed: int
    by_decision: int


def apply(
    index: ReportIndex,
    folder: str | Place,
    *,
    undecided: Undecided = "keep",
    force: bool = False,
    language: str = "en",
    form: OutputForm | None = None,
) -> Applied:
    """Write a new folder with the kept and removed documents, as decided in the report's journal.

    Near-duplicates without a decision are kept, or go as `dedup` would have it.
    """
    report = index.report
    sources = [str(entry["source"]) for entry in index.manifest.get("inputs", [])]
    ensure_free(folder, force, sources)
    index.load()  # which checks the tables before anything is written
    inputs = reopen(index.manifest)
    entries = index.manifest["inputs"]
    inputs.expect({e["source"]: _digest(e) for e in entries if e.get("digest")})
    inputs.reference_documents = _count_references(report)
    decisions = Journal(report.folder).read()
    settled = settle(index, decisions, undecided)

    decided = {**decisions.counts(), "undecided": undecided, "unknown": settled.unknown}
    results = _Decided(report, index, settled, decided)

    def add(places: ReportPlaces) -> None:
        outcomes = outcomes_of(results.documents, results.clusters)
        written = write_documents(inputs, outcomes, places.documents, form or OutputForm())
        results.manifest["written"] = written.described()
        if (report.folder / NAME).is_file():
            shutil.copyfile(report.folder / NAME, places.files / NAME)

    return Applied(write(results, folder, force, add, language), **settled.counts())


def _count_references(report: Report) -> int:
    """Documents that others were only compared with: they come first, and are not written."""
    names = [str(e["source"]) for e in report.manifest["inputs"] if e.get("reference")]
    sources = report.columns("documents", ["source"])["source"].cast(pa.string())
    return int(pc.sum(pc.is_in(sources, value_set=pa.array(names, pa.string()))).as_py() or 0)


def _digest(entry: dict[str, Any]) -> int:
    try:
        return int(entry["digest"], 16)
    except ValueError:
        raise ReportError(
            f"manifest.json has no digest of {entry['source']} but '{entry['digest']}'; "
            "run again with --force"
        ) from None


class _Decided(Results):
    """The tables of a report with what was decided."""

    def __init__(
        self, report: Report, index: ReportIndex, settled: Settled, decided: dict[str, Any]
    ) -> None:
        self.pairs, self.more = report.pairs, report.more
        self.documents = _documents(report.documents, index, settled)
        self.clusters = _clusters(report.clusters, index, settled)
        totals = settled.counts()
        self.manifest = {**report.manifest, "decisions": decided}
        self.manifest["counts"] = {
            **report.manifest["counts"],
            "kept": totals["kept"],
            "removed": totals["removed"],
            "removed_by_decision": totals["by_decision"],
        }
        self._report = report

    def heads(self, ids: Sequence[str]) -> dict[str, str]:
        return self._report.heads(ids)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        return self._report.texts(ids)


def _documents(table: pa.Table, index: ReportIndex, settled: Settled) -> pa.Table:
    goes = settled.goes
    gone = [n for n in ("kept_as", "kept_score", "kept_reason") if n in table.column_names]
    table = table.drop_columns(gone) if gone else table
    same = index.leader[settled.target] == index.leader
    reason = np.where(settled.decided, 2, np.where(same, 1, 0))
    ids = index.ids.combine_chunks()
    kept_as = ids.take(column(np.where(goes, settled.target, 0), missing=~goes))
    why = words(reason, [NEAR, EQUAL, DECIDED])
    table = table.append_column("kept_as", kept_as)
    score = column(settled.score, missing=~goes | np.isnan(settled.score))
    table = table.append_column("kept_score", score)
    return table.append_column("kept_reason", pc.if_else(column(goes), why, None))


def _clusters(table: pa.Table, index: ReportIndex, settled: Settled) -> pa.Table:
    places = pc.index_in(table["id"], value_set=index.ids).combine_chunks()
    goes = settled.goes[places.to_numpy(zero_copy_only=False).astype(np.int64)]
    role = words(goes.astype(np.int64), ["kept", "removed"])
    return table.set_column(table.column_names.index("role"), "role", role)
