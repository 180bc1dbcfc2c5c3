"""Documents in, families out: two passes over the input, neither of which holds all of it.

The first pass chooses the documents with the smallest keys (a sample that does not depend on the
reading order) and keeps a few texts as material for the operations; the second makes the variants.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from twinset.engine import Progress
from twinset.engine.documents import ids_of
from twinset.lab.generation.draw import key_of
from twinset.lab.generation.family import Document, Family, make_family
from twinset.lab.generation.ids import IdCounts, UniqueIds, is_html_name
from twinset.lab.generation.material import Others
from twinset.lab.generation.recipe import Making
from twinset.lab.generation.units import has_words
from twinset.model import Documents, Fault
from twinset.plan import Html
from twinset.text.pages import is_marked_up

OTHERS = 200  # documents that paragraphs and words may be drawn from
TOO_SMALL = "its share of so short a document rounds to zero"
_Row = tuple[int, str, int, str]
T = TypeVar("T", tuple[int, int], tuple[int, int, str])


@dataclass
class Stream:
    """Makes the families of one collection and fills ``counts``, ``faults`` and ``idle``.

    ``idle`` counts operations that changed nothing in a document, by name and reason.
    """

    documents: Documents
    making: Making
    html: Html
    threads: int
    progress: Progress
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    idle: Counter[tuple[str, str]] = field(default_factory=Counter)
    _names: UniqueIds = field(default_factory=UniqueIds)

    def families(self) -> Iterator[Family]:
        """Every document that stays or has variants, in reading order."""
        chosen, others = self._choose()
        left = self.counts["sources"]
        self.progress.stage("making", left)
        for number, id, nth, text in self._rows(is_first=False):
            is_source = has_words(text) if chosen is None else number in chosen
            if not is_source and self.making.originals != "all":
                continue
            name = self._names.original(id, nth)
            source = Document(name, text, None, self._is_html(id, text))
            if is_source:
                family = make_family(source, self.making, self._names, others, self.threads)
                self._count_idle(family)
                yield family
                self.progress.advance(1)
                left -= 1
            else:
                yield Family(source)
            if left == 0 and self.making.originals != "all":
                return

    def _count_idle(self, family: Family) -> None:
        for _, variant in family.variants:
            for step in variant.steps:
                if step.is_idle and step.strength != 0:
                    self.idle[step.name, (*step.notes, TOO_SMALL)[0]] += 1

    def notes(self) -> list[str]:
        """Which operations changed nothing, as sentences."""
        return [
            f"Unchanged by {name}: {count:,} of {self._made():,} documents; {reason}."
            for (name, reason), count in self.idle.items()
        ]

    def _made(self) -> int:
        return self.counts["sources"] * self.making.variants

    def _choose(self) -> tuple[set[int] | None, Others]:
        """The numbers of the sources (None for all documents with words) and the other texts."""
        limit, seed = self.making.limit, self.making.seed
        sources: list[tuple[int, int]] = []
        others: list[tuple[int, int, str]] = []
        documents = empty = 0
        self.progress.stage("reading", self.documents.total_bytes or None)
        for number, id, nth, text in self._rows(is_first=True):
            documents += 1
            self._names.learn(id)
            if not has_words(text):
                empty += 1
                continue
            key = key_of(seed, "choose", id, nth)
            _keep_smallest(sources, (-key, -number), limit or 0)
            _keep_smallest(others, (-key, -number, text), OTHERS)
        full = documents - empty
        self.counts |= {"documents": documents, "empty": empty}
        self.counts["sources"] = full if limit is None else len(sources)
        chosen = None if limit is None else {-number for _, number in sources}
        return chosen, Others([text for _, _, text in sorted(others, reverse=True)])

    def _rows(self, is_first: bool) -> Iterator[_Row]:
        """Number, id, occurrence of the id (1 for the first) and text of each readable document."""
        occurrences, number = IdCounts(), -1
        before = 0
        for batch in self.documents.batches():
            if is_first:
                self.faults += batch.faults
                before = self._advance(before)
            for id, text in zip(ids_of(batch).to_pylist(), batch.texts.to_pylist(), strict=True):
                number += 1
                if text is not None:
                    yield number, id, occurrences.next(id), text

    def _advance(self, before: int) -> int:
        done: Any = getattr(self.documents, "bytes_read", before)
        self.progress.advance(done - before)
        return int(done)

    def _is_html(self, id: str, text: str) -> bool:
        if self.html == "auto":
            return is_html_name(id) or is_marked_up(text)
        return self.html == "yes"


def _keep_smallest(kept: list[T], entry: T, room: int) -> None:
    """Add an entry (with a negative key) to a heap of limited size."""
    if len(kept) < room:
        heapq.heappush(kept, entry)
    elif room:
        heapq.heappushpop(kept, entry)
