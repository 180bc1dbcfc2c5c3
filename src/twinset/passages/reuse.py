"""Reuse: which passages of one set of documents stand in another, as they are or edited.

Seed and extend, as in BLAST: S. F. Altschul, W. Gish, W. Miller, E. W. Myers, D. J. Lipman: Basic
local alignment search tool. Journal of Molecular Biology 215, 1990. Seeds are runs of equal words,
which stand in both; those near each other are chained (`aligned`).

The smaller side is held in memory with an index of its runs, the larger one is read batch by batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import field
from typing import TypeVar

import numpy as np

from twinset import _kernels
from twinset.engine.clock import Clock
from twinset.engine.columns import NumberColumn, give_back_memory
from twinset.engine.progress import Progress, Silent
from twinset.engine.streaming import watched
from twinset.errors import TwinsetError
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Documents
from twinset.passages.aligned import Aligned, Data, Words, align
from twinset.passages.noting import DocumentNotes
from twinset.passages.options import ReuseOptions
from twinset.passages.reuse_findings import ReadSide, ReuseFindings
from twinset.plan import Resources
from twinset.system.pool import in_order
from twinset.text import arrow_text

Result = TypeVar("Result")
MOST_WORDS = 3_000_000_000
"""Words of the side that is held in memory, as many as the index can number."""


def find_reuse(
    left: Documents,
    right: Documents,
    options: ReuseOptions,
    resources: Resources | None = None,
    progress: Progress | None = None,
) -> ReuseFindings:
    """The passages of two sides; the same whatever the threads and the memory."""
    search = ReuseSearch(options, resources or Resources.make(), progress or Silent())
    turned = _right_is_smaller(left, right)
    small, large = (right, left) if turned else (left, right)
    search.index(small)
    search.stream(large)
    sides, rows = search.sides(small, large), search.rows
    if turned:
        sides, rows = sides[::-1], rows.turned()
    return ReuseFindings.of(
        sides,
        rows.ordered(),
        options,
        search.dropped,
        search.clock.seconds,
        search.resources.threads,
    )


def _right_is_smaller(left: Documents, right: Documents) -> bool:
    """Which side to hold: the one that ends first where always the shorter so far goes on."""
    sizes, more = [0, 0], (_sizes(left), _sizes(right))
    while True:
        side = int(sizes[1] < sizes[0])
        size = next(more[side], None)
        if size is None:
            return side == 1
        sizes[side] += size


def _sizes(documents: Documents) -> Iterator[int]:
    """The bytes of files at once; where these are not known, as in memory, those of batches."""
    if documents.total_bytes:
        yield documents.total_bytes
        return
    for batch in copy.copy(documents).batches():
        yield batch.texts.nbytes


@dataclass
class _Side:
    """What is collected of one side."""

    notes: DocumentNotes = field(default_factory=DocumentNotes)
    words: NumberColumn = field(default_factory=NumberColumn)

    def take(self, batch: Batch, words: Words) -> None:
        self.notes.take(batch)
        if len(batch):
            self.words.append(words.lengths)

    def finish(self, documents: Documents, threads: int) -> ReadSide:
        return ReadSide(documents, self.notes.finish(threads), self.words.finish())


class ReuseSearch:
    """An index of one side, and the passages that the other shares with it."""

    def __init__(self, options: ReuseOptions, resources: Resources, progress: Progress) -> None:
        self.options, self.resources, self.progress = options, resources, progress
        self.clock = Clock()
        self._indexed, self._streamed = _Side(), _Side()
        self._texts: list[Data] = []
        self.rows = Aligned.joined([])
        self.dropped = 0

    def index(self, documents: Documents) -> None:
        """The side that stays in memory."""
        parts, count = [], 0
        for batch, words in self._side_by_side(self._worded, documents, "reading"):
            self._indexed.take(batch, words)
            count += len(words.hashes)
            if count > MOST_WORDS:
                raise TwinsetError(
                    f"the smaller side has more than {MOST_WORDS:,} words, which one index cannot "
                    "hold: give it in parts, a run for each"
                )
            if len(batch):
                self._texts.append(arrow_text(batch.texts))
                parts.append(words)
        self._words = Words.joined(parts)
        del parts
        self._index = _kernels.ReuseIndex(
            self._words.hashes,
            self._words.offsets,
            self.options.shingle,
            self.options.frequent,
            self.resources.threads,
        )
        give_back_memory()
        self.clock.lap("read and index")

    def stream(self, documents: Documents) -> None:
        """The other side, which is read twice if some runs of words are frequent."""
        if self._index.needs_count:
            for _ in self._side_by_side(self._counted, documents, "counting frequent words"):
                pass
            self.clock.lap("count")
        self.dropped = self._index.dropped
        parts, before = [], 0
        for batch, words, rows in self._side_by_side(self._compared, documents, "comparing"):
            self._streamed.take(batch, words)
            parts.append(rows._replace(right=rows.right + before))
            before += len(batch)
        self.rows = self._indexed_placed(Aligned.joined(parts))
        self.clock.lap("compare")

    def sides(self, indexed: Documents, streamed: Documents) -> tuple[ReadSide, ReadSide]:
        """What is known of both, the indexed one first."""
        threads = self.resources.threads
        return self._indexed.finish(indexed, threads), self._streamed.finish(streamed, threads)

    def _worded(self, batch: Batch) -> tuple[Batch, Words]:
        return batch, Words.of(batch.texts, 1)

    def _counted(self, batch: Batch) -> None:
        words = Words.of(batch.texts, 1)
        self._index.count(words.hashes, words.offsets)

    def _compared(self, batch: Batch) -> tuple[Batch, Words, Aligned]:
        words = Words.of(batch.texts, 1)
        rows = align(self._index, self._words, words, self.options)
        if len(rows.right):
            rows = rows.turned().left_placed(arrow_text(batch.texts)).turned()
        return batch, words, rows

    def _indexed_placed(self, rows: Aligned) -> Aligned:
        """With the characters of the indexed documents, batch by batch."""
        rows = rows.ordered()
        bounds = np.cumsum([0, *(len(offsets) - 1 for _, offsets in self._texts)])
        cuts = np.searchsorted(rows.left, bounds)
        parts = (
            rows.taken(slice(begin, end)).left_placed(data, first)
            for data, first, begin, end in zip(
                self._texts, bounds[:-1].tolist(), cuts[:-1], cuts[1:], strict=True
            )
            if begin < end
        )
        return Aligned.joined(parts)

    def _side_by_side(
        self, work: Callable[[Batch], Result], documents: Documents, stage: str
    ) -> Iterator[Result]:
        batches = watched(documents, stage, self.progress, self.resources.threads)
        flag = _kernels.StopFlag()
        with closing(in_order(work, batches, self.resources.threads, flag=flag)) as results:
            yield from results
