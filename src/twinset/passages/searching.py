"""Passes over documents that find repeated stretches, each as a run of N-grams.

The first pass takes a sample of every N-gram, a k-gram of it. Neighbours with one sample are a
block: blocks are counted, and N-grams of their own only where their sample has blocks of several
kinds. Which blocks a text has is kept in a file of marks. By these the last pass joins the N-grams
that occur more than once to runs. It needs no texts where units are words, whose places are kept as
bits; texts of characters are held in memory if they take little of it, and read again otherwise.

Where not all kinds of blocks have room, a second pass counts those whose samples are repeated: all
others occur once. Where these are too many, they are counted a part at a time, and what is known of
each N-gram is kept in a file until it is known of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.progress import Progress
from twinset.engine.streaming import watched
from twinset.model import Batch, Documents, Ints, offsets_of
from twinset.passages.counting import Counting, Marked, joined
from twinset.passages.grams import Data, Grams
from twinset.passages.noting import DocumentNotes, ReadDocuments
from twinset.passages.number_file import NumberFile
from twinset.plan import Resources
from twinset.system.pool import in_order
from twinset.text import arrow_text

Masks = tuple[Ints, NDArray[np.uint64]]
"""How many characters some texts have, and which of them words begin with or end before."""
CHARACTERS_OF_MASK = 64
Result = TypeVar("Result")


class Runs(NamedTuple):
    """Runs of repeated N-grams in reading order; equal runs have equal ``key`` and ``check``.

    Those of characters or bytes begin with a ``lead`` of so many characters and units, which belong
    to a grapheme cluster that began before them.
    """

    key: NDArray[np.uint64]
    check: NDArray[np.uint32]
    document: Ints
    start: Ints
    end: Ints
    units: Ints
    lead: Ints
    lead_units: Ints


class RunSearch:
    """Finds the runs of some documents."""

    def __init__(
        self, documents: Documents, grams: Grams, resources: Resources, progress: Progress
    ) -> None:
        self.documents, self.grams = documents, grams
        self.resources, self.progress = resources, progress
        self.samples = _kernels.GramSamples(resources.room // 8, resources.folder)
        self._first = Counting(self.samples, 0, grams, resources)
        self._masks = NumberFile(np.uint64, resources.folder)
        self._characters: list[Ints] = []  # of the texts of a batch
        self._held: list[Data] | None = []

    def read(self) -> ReadDocuments:
        """The first pass: takes the samples, and counts all blocks while there is room."""
        reading, held, of_words = DocumentNotes(), 0, self.grams.of_words

        def work(batch: Batch) -> tuple[Batch, Data, Marked, Masks | None]:
            data = arrow_text(batch.texts)
            masks = _kernels.word_masks(*data) if of_words else None
            return batch, data, self._first.count(data), masks

        batches = watched(self.documents, "reading", self.progress, self.resources.threads)
        for batch, data, marked, masks in self._side_by_side(work, batches):
            reading.take(batch, masks[0] if masks else None)
            if not len(batch):
                continue
            if self._first.is_whole:
                self._first.take(marked)
            if masks:
                self._characters.append(masks[0])
                self._masks.append(masks[1])
            held += int(data[1][-1] - data[1][0])
            if held > self.resources.room // 4:
                self._held = None
            if self._held is not None:
                self._held.append(data)
        return reading.finish(self.resources.threads)

    def runs(self) -> Runs:
        """The passes after it."""
        with closing(self._first) as counting, closing(self._masks):
            counting.finish(self.resources.threads)
            if counting.is_whole:
                return self._whole(counting)
            self.samples.finish(self.resources.threads)
            return self._counted_again()

    def _counted_again(self) -> Runs:
        """Runs by the blocks whose samples are repeated alone, in one round or several."""
        with closing(NumberFile(np.uint32, self.resources.folder)) as facts:
            first = 0
            while first < _kernels.GRAM_PARTS:
                with closing(Counting(self.samples, first, self.grams, self.resources)) as counting:
                    texts = self._texts("counting repeats")
                    for marked in self._side_by_side(counting.count, texts):
                        counting.take(marked)
                    counting.finish(self.resources.threads)
                    if first == 0 and counting.is_whole:
                        return self._whole(counting)
                    counting.keep_facts(facts)
                    first = counting.counts.end
            return self._runs(self._by_texts(self.samples.runs, facts, counting.candidates))

    def _whole(self, counting: Counting) -> Runs:
        """Runs by the marks of all texts."""
        if not self.grams.of_words:
            find = counting.counts.runs
            return self._runs(self._by_texts(find, counting.marks, counting.marks_of))
        marks_of, characters = counting.marks_of, joined(self._characters, np.int64)
        marks = offsets_of(marks_of)
        masks = offsets_of(2 * (characters // CHARACTERS_OF_MASK + 1))

        def work(documents: tuple[int, int]) -> Any:
            first, last = documents
            own = slice(first, last)
            key, check, document, *places = counting.counts.word_runs(
                self.grams.least,
                marks_of[own],
                counting.marks.read(int(marks[first]), int(marks[last])),
                characters[own],
                self._masks.read(int(masks[first]), int(masks[last])),
            )
            return key, check, document + first, *places

        self.progress.stage("joining repeats", None)
        ends = accumulate((len(batch) for batch in self._characters), initial=0)
        return self._runs(self._side_by_side(work, pairwise(ends)))

    def _by_texts(
        self, find: Callable[..., Any], known: NumberFile, known_of: Ints
    ) -> Iterator[Any]:
        """Runs of the texts, and what is known of them, of each so many numbers."""
        before = offsets_of(known_of)

        def work(placed: tuple[int, Data]) -> Any:
            first, data = placed
            last = first + len(data[1]) - 1
            numbers = known.read(int(before[first]), int(before[last]))
            key, check, document, *places = find(*data, *self.grams, known_of[first:last], numbers)
            return key, check, document + first, *places

        def placed() -> Iterator[tuple[int, Data]]:
            first = 0
            for data in self._texts("joining repeats"):
                yield first, data
                first += len(data[1]) - 1

        return self._side_by_side(work, placed())

    @staticmethod
    def _runs(parts: Iterator[Any]) -> Runs:
        """The runs of several texts, in their order."""
        columns = list(zip(*parts, strict=True)) or [()] * len(Runs._fields)
        kinds = (np.uint64, np.uint32, *[np.int64] * 6)
        return Runs(*map(joined, columns, kinds))

    def _texts(self, stage: str) -> Iterator[Data]:
        if self._held is not None:
            self.progress.stage(stage, None)
            yield from self._held
            return
        for batch in watched(self.documents, stage, self.progress, self.resources.threads):
            if len(batch):
                yield arrow_text(batch.texts)

    def _side_by_side(
        self, work: Callable[[Any], Result], items: Iterator[Any]
    ) -> Iterator[Result]:
        flag = _kernels.StopFlag()
        with closing(in_order(work, items, self.resources.threads, flag=flag)) as results:
            yield from results
