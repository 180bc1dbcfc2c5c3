"""The work of an index whose store is at hand."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import closing
from heapq import nsmallest
from operator import neg
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from twinset.errors import PlanError
from twinset.index.contents import Contents
from twinset.index.entries import Entries, EntryMaker, unpacked
from twinset.index.matching import Found, MemoryView, matches_of
from twinset.index.store import StoreView, read_anew
from twinset.index.work import (
    TOP,
    Added,
    QueryAnswer,
    QueryMatch,
    ensure_all_read,
    ensure_strings,
    readable,
)
from twinset.model import Batch, Ints, Ragged
from twinset.model.columns import byte_rows, taken, utf8
from twinset.plan import Plan, Resources
from twinset.plan.spec import spell
from twinset.system.schemes import KIND, without_secrets
from twinset.system.threads import in_order

if TYPE_CHECKING:
    from twinset.index.folder import FolderStore
    from twinset.index.postgres import PostgresStore

    Store: TypeAlias = FolderStore | PostgresStore

SERVICES = ("http://", "https://")

LOWER = 3
"""Similarities below the threshold that are told of."""
TOGETHER = 50
"""Documents of a crowd that are held against each other at a time: all are, and one stays."""
AT_ONCE = 1000
"""Documents that are held against each other and the index before they are kept."""
PART = 1 << 28
"""Bytes of entries that are written at a time by a long addition."""


class LocalWork:
    """Asks and fills a store."""

    def __init__(self, store: Store) -> None:
        self.store, self.place = store, store.place
        self.contents, self.plan = store.contents, store.contents.plan
        self.maker = EntryMaker(store.contents)

    # adding

    def add_texts(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        replace: bool,
        dedup: bool,
    ) -> Added:
        """Take in documents that are at hand, all or none; they are safe when this returns."""
        names, contents = text_column(ids, "ids"), text_column(texts, "texts")
        _ensure_pairs(names, contents)
        return self._write(self.maker.prepare(names, contents), contents, replace, dedup)

    def _write(self, entries: Entries, texts: pa.Array | None, replace: bool, dedup: bool) -> Added:
        duplicates: list[QueryAnswer] = []
        if dedup and texts is not None:
            rows, duplicates = self._new_ones(entries, texts, replace)
            entries = entries.take(rows)
        if not len(entries):
            return Added(duplicates=duplicates)
        written = self.store.write(entries, replace)
        added, replaced = int(written.added.sum()), int(written.replaced.sum())
        return Added(added, replaced, len(entries) - added - replaced, 0, duplicates)

    def _new_ones(
        self, entries: Entries, texts: pa.Array, replace: bool
    ) -> tuple[Any, list[QueryAnswer]]:
        """The rows without a near-duplicate in the index or before them; answers for the rest."""
        ids = entries.ids.to_pylist()
        answers = self.query_texts(ids, texts, top=TOP)
        ensure_all_read(sum(answer.unread for answer in answers))
        stays: list[int] = []
        duplicates = []
        there = self._unchanged(entries)
        totals = MemoryView(entries).search(entries.keys).totals
        size = TOGETHER if totals.max(initial=0) > TOGETHER else len(entries)
        for row, answer in enumerate(answers):
            if row % size == 0:
                some = np.arange(row, min(row + size, len(entries)))
                before, kept = self._before(entries, texts, stays, some), {*map(str, stays)}
            # a version that is replaced does not count
            older = [match for match in answer.matches if not (replace and match.id == ids[row])]
            older += [
                dataclasses.replace(match, id=ids[int(match.id)])
                for match in before.get(row, ())
                if match.id in kept
            ]
            if row not in there and older:
                matches = sorted(older, key=lambda each: (-each.score, each.id))
                duplicates.append(QueryAnswer(answer.id, tuple(matches), answer.more))
            else:
                stays.append(row)
                kept.add(str(row))
        return np.array(stays, np.int64), duplicates

    def _before(
        self, entries: Entries, texts: pa.Array, stays: list[int], some: Ints
    ) -> dict[int, tuple[QueryMatch, ...]]:
        """What some rows match among those that stay and among themselves, by rows."""
        held = np.concatenate([np.array(stays, np.int64), some])
        view = MemoryView(entries.take(held))
        parts, _ = matches_of(self.maker, view, taken(texts, some), every=True)
        return {
            int(some[row]): tuple(
                dataclasses.replace(match, id=str(held[int(match.id)])) for match in matches
            )
            for found in parts
            for row, matches, _ in _listed(found, 0)
        }

    @read_anew
    def _unchanged(self, entries: Entries) -> set[int]:
        """The rows that are in the index as they are."""
        with self.store.view() as view:
            known = view.known(entries.ids)
        return {row for row, (_, digest) in known.items() if digest == int(entries.digests[row])}

    def add_batches(
        self, batches: Iterable[Batch], *, replace: bool, dedup: bool, resources: Resources
    ) -> Added:
        """Take in documents that are read, part by part."""
        total = Added()
        if dedup:  # what comes later is held against what came before
            for batch in batches:
                ids, texts = readable(batch)
                for at in range(0, len(ids), AT_ONCE):
                    some = ids[at : at + AT_ONCE], texts[at : at + AT_ONCE]
                    total.include(self.add_texts(*some, replace=replace, dedup=True))
                total.unread += len(batch) - len(ids)
            return total
        room = min(PART, resources.room // 4)
        waiting: list[Entries] = []
        size = 0
        with closing(in_order(self._prepared, batches, resources.threads)) as prepared:
            for entries, unread in prepared:
                total.unread += unread
                waiting.append(entries)
                size += entries.bodies.flat.nbytes + entries.keys.flat.nbytes * 3
                if size > room:
                    total.include(self._write(_joined(waiting), None, replace, False))
                    waiting, size = [], 0
        if waiting:
            total.include(self._write(_joined(waiting), None, replace, False))
        return total

    def _prepared(self, batch: Batch) -> tuple[Entries, int]:
        ids, texts = readable(batch)
        return self.maker.prepare(ids, texts), len(batch) - len(ids)

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        return self.store.remove(text_column(ids, "ids").to_pylist())

    # asking

    @read_anew
    def query_texts(
        self,
        ids: Sequence[str | None],
        texts: Sequence[str],
        *,
        top: int,
        least: float | None = None,
    ) -> list[QueryAnswer]:
        """The matches of texts that are at hand; ``top`` 0 lists all."""
        self.maker.ensure_least(least)
        if not len(texts):
            return []
        contents = _text_rows(texts, "texts")
        _ensure_pairs(ids, contents)
        names = ids.to_pylist() if isinstance(ids, pa.Array) else list(ids)
        below = least is not None and least < self.plan.threshold
        recall = self._recall(least) if below else None
        answers = [QueryAnswer(name, recall=recall) for name in names]
        with self.store.view() as view:
            unread: dict[int, int] = {}
            asked = self.maker, view, contents, names, unread, least
            parts, uncompared = matches_of(*asked, every=top == 0)
            for row, matches, more in (each for found in parts for each in _listed(found, top)):
                left = int(uncompared[row])
                answers[row] = QueryAnswer(names[row], matches, more, 0, recall, left)
            for row, count in unread.items():
                answers[row] = dataclasses.replace(answers[row], unread=count)
        return answers

    @read_anew
    def matches(self, texts: pa.Array) -> tuple[list[Found], Ints]:
        """The matches of texts as columns, and how many of a crowd each was not compared with."""
        unread: dict[int, int] = {}
        with self.store.view() as view:
            found = matches_of(self.maker, view, texts, (), unread)
        ensure_all_read(sum(unread.values()))
        return found

    @read_anew
    def text(self, id: str) -> str | None:
        """The text of a document as it is compared; None where it is not there."""
        with self.store.view() as view:
            known = view.known(text_column([id], "ids"))
            return _text_at(view, known[0][0]) if known else None

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[tuple[str, str]]:
        """All documents, id and text, in the order in which they were added.

        With ``on_fault`` what is damaged is passed over, and said.
        """
        for kept in self.store.documents(on_fault):
            yield from zip(kept.ids, unpacked(kept.bodies).to_pylist(), strict=True)

    # the rest

    def info(self) -> dict[str, Any]:
        """What the index is made by, counts and sizes."""
        plan = self.plan
        return {
            "index": self.place,
            "method": spell("method", plan.method),
            "threshold": plan.threshold,
            "recall": self._recall(),
            "recalls": self._recalls(),
            "plan": plan.as_dict(),
            "options": dataclasses.replace(plan, method=Plan().method).arguments(),
            **self.store.info(),
        }

    def _recall(self, least: float | None = None) -> float | None:
        """The chance that a pair at the threshold, or of another score, is found, where known."""
        if self.maker.by_terms:  # of what a model accepts nobody knows
            return 1.0 if least is None and self.maker.has_threshold else None
        search = self.maker.search
        similarity = search.goal.measure.least_jaccard(least or self.plan.threshold)
        return None if similarity is None else search.probability(similarity)

    def _recalls(self) -> list[tuple[float, float]]:
        """The same at some tenths below the threshold."""
        tenths = [step / 10 for step in range(9, 0, -1) if step / 10 < self.plan.threshold][:LOWER]
        known = ((least, self._recall(least)) for least in tenths)
        return [(least, recall) for least, recall in known if recall is not None]

    def compact(self) -> None:
        """Rewrite everything without what was removed."""
        self.store.compact()

    def check(self) -> list[str]:
        """What is damaged, a sentence each; empty where nothing is."""
        return self.store.check()

    def close(self) -> None:
        """Let go of files and connections."""
        self.store.close()


def text_column(texts: Any, what: str) -> pa.Array:
    """Texts as an Arrow array."""
    rows = _text_rows(texts, what)
    return utf8(rows) if isinstance(rows, Ragged) else rows


def _text_rows(texts: Any, what: str) -> pa.Array | Ragged[np.uint8]:
    """The same as rows, which cost less where there is one; an Arrow array stays as it is."""
    if isinstance(texts, pa.Array):
        return texts
    ensure_strings(texts, what)
    return byte_rows([text.encode() for text in texts])


def _text_at(view: StoreView, number: int) -> str:
    text: str = unpacked(view.fetch(np.array([number], np.uint32)).bodies)[0].as_py()
    return text


def _ensure_pairs(ids: Sized, texts: Sized) -> None:
    if len(ids) != len(texts):
        raise PlanError([f"there are {len(ids)} ids for {len(texts)} texts: give one for each"])


def _joined(parts: list[Entries]) -> Entries:
    return Entries(
        pa.concat_arrays([part.ids for part in parts]),
        np.concatenate([part.digests for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        Ragged.concatenate([part.keys for part in parts], np.uint64),
        Ragged.concatenate([part.bodies for part in parts], np.uint8),
    )


def _listed(found: Found, top: int) -> Iterator[tuple[int, tuple[QueryMatch, ...], int]]:
    """For each row that has matches the best of them, and how many more there are."""
    ids, sizes = found.kept.ids, found.kept.sizes
    columns = (found.left, found.scores, found.right, found.shared, found.left_sizes)
    rows, scores, places, *counts = (column.tolist() for column in columns)
    begin = 0
    while begin < len(rows):
        row = rows[begin]
        end = bisect_right(rows, row, begin)
        matches = zip(
            map(neg, scores[begin:end]),
            map(ids.__getitem__, places[begin:end]),
            places[begin:end],
            *(each[begin:end] for each in counts),
            strict=True,
        )
        best = nsmallest(top, matches) if 0 < top < end - begin else sorted(matches)
        listed = (
            _match(-score, id, shared, size, int(sizes[place]))
            for score, id, place, shared, size in best
        )
        yield row, tuple(listed), end - begin - len(best)
        begin = end


def _match(score: float, id: str, shared: int, left: int, right: int) -> QueryMatch:
    if shared < 0:
        return QueryMatch(id, score)
    return QueryMatch(
        id, score, shared, shared / left if left else 0.0, shared / right if right else 0.0
    )


def is_database(place: str) -> bool:
    """Whether this is the address of a database."""
    return place.startswith(("postgresql://", "postgres://"))


def _kind_of(place: str) -> type[FolderStore] | type[PostgresStore]:
    """The store of a folder or an address; raises for an address of another kind."""
    if is_database(place):
        from twinset.index.postgres import PostgresStore

        return PostgresStore
    if KIND.match(place):
        raise PlanError(
            [
                f"{without_secrets(place)} is no place of an index: name a folder, or "
                "postgresql://USER@HOST/DATABASE"
            ]
        )
    from twinset.index.folder import FolderStore

    return FolderStore


def open_store(place: str) -> Store:
    """The store at a folder or an address."""
    return _kind_of(place)(place)


def create_store(place: str, contents: Contents) -> Store:
    """A new store at a folder or an address."""
    if place.startswith(SERVICES):
        raise PlanError(
            [f"{without_secrets(place)} is a service: create the index where the service runs"]
        )
    return _kind_of(place).create(place, contents)
