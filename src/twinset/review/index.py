"""A report as small arrays: a million documents and their clusters stay quick to look into.

The tables of the report hold ids as strings; here every document is its number in reading order.
Each part loads at first use, a column at a time.
"""

from __future__ import annotations

import dataclasses
import math
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset.errors import ReportError
from twinset.model import Floats, Ints
from twinset.model import compute as pc
from twinset.model.columns import flags, numbers, text, valid
from twinset.model.flow import KINDS
from twinset.pages.shown import brief
from twinset.result import Report, read
from twinset.result.checked import ensure_known
from twinset.result.places import MANIFEST
from twinset.result.texts import number_of
from twinset.result.words import older
from twinset.system.remote import is_remote

Kept = TypeVar("Kept")
MOST_OPEN = 3
"""Reports that stay open."""
_lock = threading.Lock()
Numbers = NDArray[np.int32]


class Inside(NamedTuple):
    """For each cluster its lowest similarity, NaN where unknown, and whether it is chained."""

    weakest: Floats
    chained: NDArray[np.bool_]


@dataclass(frozen=True)
class Grouping:
    """Members lie in ``document``, those of the n-th cluster from ``starts[n]`` to ``starts[n+1]``.

    ``number`` names the clusters; ``anchor`` (-1 where there is none) and ``score`` (NaN) stand
    beside the members; ``shared`` beside the clusters where all members share so many features.
    ``kind`` has the least close kind of each
    cluster, a place in `KINDS`, -1 where it was not computed; None at another threshold.
    ``look_inside`` tells what takes long to find out, when it is asked for.
    """

    number: Ints
    starts: Ints
    document: Numbers
    anchor: Numbers
    score: Floats
    look_inside: Callable[[], Inside]
    shared: Ints | None = None
    kind: NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def _inside(self) -> Inside:
        return self.look_inside()

    @cached_property
    def weakest(self) -> Floats:
        """The least similarity to the anchor or, where there is none, inside; NaN where unknown."""
        least = np.fmin.reduceat(self.score, self.starts[:-1]) if len(self) else np.empty(0)
        without = np.isnan(least)
        return np.where(without, self._inside.weakest, least) if without.any() else least

    @property
    def chained(self) -> NDArray[np.bool_]:
        """For each cluster whether a pair inside is below the threshold."""
        return self._inside.chained

    @cached_property
    def sizes(self) -> Ints:
        """How many members each cluster has."""
        return np.diff(self.starts)

    @cached_property
    def documents(self) -> int:
        """How many documents are in a cluster, each counted once."""
        return int(np.count_nonzero(np.bincount(self.document))) if len(self.document) else 0

    @cached_property
    def _by_document(self) -> tuple[Numbers, Ints]:
        order = np.argsort(self.document, kind="stable")
        return self.document[order], order

    def row_of(self, number: int) -> int | None:
        """Where the cluster of this number stands."""
        row = int(np.searchsorted(self.number, number))
        return row if row < len(self) and self.number[row] == number else None

    def members(self, row: int) -> slice:
        """Where the members of a cluster lie."""
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    def rows_with(self, document: int) -> list[int]:
        """The clusters that hold a document."""
        sorted_, order = self._by_document
        first, last = np.searchsorted(sorted_, [document, document + 1])
        rows: list[int] = (np.searchsorted(self.starts, order[first:last], "right") - 1).tolist()
        return sorted(rows)

    def rows_with_any(self, documents: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each cluster, whether it holds one of the marked documents."""
        if not len(self):
            return np.zeros(0, bool)
        flags: NDArray[np.bool_] = np.logical_or.reduceat(
            documents[self.document], self.starts[:-1]
        )
        return flags


def begins(cluster: Ints) -> Ints:
    """Where each cluster begins, in rows (one per member) sorted by cluster."""
    starts: Ints = np.flatnonzero(
        np.concatenate([[True], cluster[1:] != cluster[:-1]])[: len(cluster)]
    )
    return starts


@dataclass(frozen=True)
class PairIndex:
    """Listed pairs of document numbers, left < right, sorted.

    ``kind`` is a place in `KINDS`, -1 where the run did not compute it.
    """

    left: Numbers
    right: Numbers
    score: Floats
    kind: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.left)

    def row_of(self, left: int, right: int) -> int | None:
        """Where a pair stands, left < right; None where it is not listed."""
        first, last = np.searchsorted(self.left, [left, left + 1])
        row = int(first + np.searchsorted(self.right[first:last], right))
        return row if row < last and self.right[row] == right else None


@dataclass(frozen=True)
class ReportIndex:
    """An opened report, read column by column as it is needed."""

    report: Report
    kept_by_name: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Results that other modules derive from this report and cache with it."""
    _lock: Any = field(default_factory=threading.RLock, repr=False, compare=False)
    _known: dict[str, int | None] = field(default_factory=dict, repr=False, compare=False)

    def kept(self, name: str, make: Callable[[], Kept]) -> Kept:
        """A result that is cached with this report; made once, however many ask together."""
        with self._lock:
            if name not in self.kept_by_name:
                self.kept_by_name[name] = make()
            result: Kept = self.kept_by_name[name]
            return result

    def load(self) -> ReportIndex:
        """Read what every page needs, once, however many ask at the same time."""
        with self._lock:
            _ = self.ids, self.leader, self.clusters, self.sorted_scores
        return self

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the run."""
        return self.report.manifest

    @cached_property
    def ids(self) -> pa.ChunkedArray:
        """The ids, in reading order."""
        return self._column("documents", "id")

    @cached_property
    def lower_ids(self) -> pa.ChunkedArray:
        """The ids in small letters, for searches."""
        return pc.utf8_lower(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def id(self, document: int) -> str:
        """The id of a document."""
        return str(self.ids[document].as_py())

    def number(self, id: str) -> int:
        """The number of a document; the id must be one of the report."""
        place = self.report.place
        if older(self.manifest) is not None and id not in self.numbers_of([id]):
            raise ReportError(
                f"there is no document '{brief(id)}' in {place}: an older one is compared with "
                f"'twinset show {place} --pair NEW OLD'"
            )
        return number_of(self.ids, id, place)

    def numbers_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The numbers of these documents; ids that the report does not have are left out."""
        distinct = list(dict.fromkeys(ids))
        new = [id for id in distinct if id not in self._known]
        if new:
            places = pc.index_in(text(new).cast(self.ids.type), value_set=self.ids).to_pylist()
            self._known.update(zip(new, places, strict=True))
        pairs = ((id, self._known[id]) for id in distinct)
        return {id: number for id, number in pairs if number is not None}

    @cached_property
    def leader(self) -> Numbers:
        """For each document the one that stands for all with equal features."""
        same = self._column("documents", "same_as")
        rows = np.flatnonzero(valid(same))
        leaders = np.arange(len(self), dtype=np.int32)
        if len(rows):
            leaders[rows] = self._numbers("documents", "same_as", same.drop_null())
        return leaders

    @cached_property
    def copies(self) -> Floats:
        """The similarity of each document with one of equal features; NaN without features."""
        table = self.report.columns("documents", ["copy_score"])
        return numbers(table["copy_score"]) if table.num_columns else np.ones(len(self))

    @cached_property
    def highest(self) -> float:
        """The greatest score of a pair, listed or of equal documents; 1 at least."""
        copied = self.copies[self.leader[self.leader != np.arange(len(self))]]
        listed = self.sorted_scores[-1:]
        return float(max(1.0, np.nanmax(np.concatenate([[1.0], listed, copied]))))

    @cached_property
    def units(self) -> Ints:
        """How many words or characters each document has."""
        return numbers(self._column("documents", "units"))

    @cached_property
    def source(self) -> tuple[Numbers, list[str]]:
        """Where each document came from, as a number, and the names of these sources."""
        column = self._column("documents", "source").combine_chunks()
        coded = pc.dictionary_encode(column)
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
        return numbers(coded.indices).astype(np.int32), coded.dictionary.to_pylist()

    @cached_property
    def place(self) -> Ints:
        """The line or record of each document in its source."""
        return numbers(self._column("documents", "place"))

    @cached_property
    def removed(self) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """The documents that `dedup` removed; None for other runs."""
        kept = self._kept
        return valid(kept["kept_as"]) if "kept_as" in kept.column_names else None

    def kept_as(self, document: int) -> tuple[str, float] | None:
        """What stays in the place of a document that `dedup` removed, and their score."""
        kept, removed = self._kept, self.removed
        if removed is None or not removed[document] or "kept_score" not in kept.column_names:
            return None
        score = kept["kept_score"][document].as_py()
        return None if score is None else (str(kept["kept_as"][document].as_py()), float(score))

    @cached_property
    def _kept(self) -> pa.Table:
        return self.report.columns("documents", ["kept_as", "kept_score"])

    @cached_property
    def clusters(self) -> Grouping:
        """The clusters of the run."""
        table = self.report.columns(
            "clusters", ["cluster", "score", "weakest", "chained", "kind", "shared"]
        )
        anchor = self._column("clusters", "anchor")
        held = np.full(len(anchor), -1, np.int32)
        there = np.flatnonzero(valid(anchor))
        if len(there):
            held[there] = self._numbers("clusters", "anchor", anchor.drop_null())
        cluster, names = numbers(table["cluster"]), table.column_names
        order = slice(None) if _rises(cluster) else np.argsort(cluster, kind="stable")
        first = begins(cluster[order])
        unknown = np.full(len(cluster), np.nan), np.zeros(len(cluster), bool)
        weakest = numbers(table["weakest"]) if "weakest" in names else unknown[0]
        chained = _flags(table["chained"]) if "chained" in names else unknown[1]
        inside = Inside(weakest[order][first], chained[order][first])
        return Grouping(
            cluster[order][first],
            np.append(first, len(cluster)),
            self._numbers("clusters", "id", self._column("clusters", "id"))[order],
            held[order],
            numbers(table["score"])[order],
            lambda: inside,
            numbers(table["shared"])[order][first] if "shared" in names else None,
            _kinds(table)[order][first],
        )

    @cached_property
    def pairs(self) -> PairIndex:
        """The pairs of documents of the run: none where they were held against older ones."""
        if older(self.manifest) is not None:
            none = np.empty(0, np.int32)
            return PairIndex(none, none, np.empty(0), np.empty(0, np.int8))
        sides = ((side, self._column("pairs", side)) for side in ("left", "right"))
        ends = [self._numbers("pairs", side, column) for side, column in sides]
        left, right = np.minimum(*ends), np.maximum(*ends)
        score, kind = (
            numbers(self._column("pairs", "score")),
            _kinds(self.report.columns("pairs", ["left", "kind"])),
        )
        pa.default_memory_pool().release_unused()
        falls = left[1:] < left[:-1]
        if falls.any() or ((left[1:] == left[:-1]) & (right[1:] < right[:-1])).any():
            order = np.lexsort((right, left))
            left, right, score, kind = left[order], right[order], score[order], kind[order]
        return PairIndex(left, right, score, kind)

    def score(self, left: int, right: int) -> float:
        """The similarity of two documents as the report lists it; NaN where it does not."""
        low, high = sorted((int(self.leader[left]), int(self.leader[right])))
        if low == high:
            return float(self.copies[low])
        row = self.pairs.row_of(low, high)
        return math.nan if row is None else float(self.pairs.score[row])

    @cached_property
    def sorted_scores(self) -> Floats:
        """The scores of all pairs, rising."""
        if older(self.manifest) is not None:
            return np.sort(numbers(self._column("pairs", "score")))
        return np.sort(self.pairs.score)

    def _numbers(self, table: str, name: str, ids: pa.ChunkedArray) -> Numbers:
        """The numbers of documents that a column names, nulls left out before."""
        if not len(ids):
            return np.empty(0, np.int32)
        places = pc.index_in(ids.cast(self.ids.type), value_set=self.ids)
        ensure_known(self.report.folder, table, name, places)
        return numbers(places).astype(np.int32, copy=False)

    def _column(self, table: str, name: str) -> pa.ChunkedArray:
        return self.report.columns(table, [name])[name]


def _kinds(table: pa.Table) -> NDArray[np.int8]:
    """The column ``kind`` as places in `KINDS`, -1 where the run did not compute it."""
    if "kind" not in table.column_names or table["kind"].null_count == len(table):
        return np.full(len(table), -1, np.int8)
    places = pc.index_in(table["kind"].cast(pa.string()), value_set=text(list(KINDS)))
    return numbers(places, missing=-1).astype(np.int8)


def _rises(values: Ints) -> bool:
    return not (values[1:] < values[:-1]).any()


def _flags(column: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return flags(column.combine_chunks()) & valid(column)


def opened(folder: str | Path, within: tuple[str, ...] = ()) -> ReportIndex:
    """A report as arrays, opened once; raises where it is gone or incomplete.

    Where ``within`` names folders, documents that lie elsewhere are not read again, whatever the
    report says of their place, and no address is opened.
    """
    if is_remote(folder):
        return ReportIndex(read(folder, within))
    path = Path(os.path.abspath(folder))
    try:
        status = os.stat(path / MANIFEST)
    except OSError:
        return ReportIndex(read(path))  # which says what is wrong
    with _lock:
        return _opened(path, within, (status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(MOST_OPEN)
def _opened(path: Path, within: tuple[str, ...], mark: tuple[int, ...]) -> ReportIndex:
    """The report that had this ``mark`` when it was opened: one that is replaced has another."""
    return ReportIndex(_bounded(read(path, within), within))


def _bounded(report: Report, within: tuple[str, ...]) -> Report:
    if not within:
        return report
    plan = report.manifest.get("plan", {})
    bounds = {**plan, "read": {**(plan.get("read") or {}), "within": list(within)}}
    return dataclasses.replace(report, manifest={**report.manifest, "plan": bounds})
