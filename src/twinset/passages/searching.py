"""Passes over documents that find repeated stretches, each as a run of N-grams.

The first pass takes a sample of every N-gram, a k-gram of it, and remembers which samples occur
more than once. The second counts the N-grams that have such a sample: all others occur once.
Neighbours with one sample are counted as a block where they always are together; which blocks a
text has is kept in a file of marks. By these the third pass joins the N-grams that occur more than
once to runs, and needs the texts for their places alone. Texts are held in memory if they take
little of it, and read again otherwise. Where the counts would take too much, they are made for a
part of the N-grams at a time, and what is known of each is kept in a file until it is known of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.engine.columns import NumberColumn, RunColumn, TextColumn, give_back_memory
from twinset.engine.documents import distinct_ids, ids_of
from twinset.engine.progress import Progress
from twinset.engine.streaming import watched
from twinset.lazy_dataclass import dataclass
from twinset.model import Batch, Documents, Fault, Ints
from twinset.model import compute as pc
from twinset.model.columns import numbers
from twinset.passages.number_file import NumberFile
from twinset.plan import Resources
from twinset.system.pool import in_order
from twinset.text import arrow_text

UNITS = {"word": 0, "char": 1, "byte": 2}
MOST_FAULTS = 100
MOST_LEFT_OUT = 1 << 15
"""Units that a sample may be shorter than its N-gram: kernels keep a table of that size."""
MARKS_AT_ONCE = 1 << 17
Result = TypeVar("Result")
Data = tuple[NDArray[np.uint8], Ints]
"""The bytes of some texts, and where each begins."""


class Grams(NamedTuple):
    """Which N-grams are looked at, as the kernels want it: of ``least`` units of a kind."""

    unit: int
    least: int
    sample: int

    @classmethod
    def of(cls, unit: str, least: int) -> Grams:
        """With a sample that is seldom repeated by chance, and of which there are few.

        Characters say less than words: of these a longer part is needed.
        """
        sample = 4 * least // 5 if unit == "word" else 3 * least // 4
        return cls(UNITS[unit], least, max(sample, least - MOST_LEFT_OUT, 1))


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


@dataclass
class ReadDocuments:
    """What is known of the documents after the first pass; arrays are indexed by their number."""

    ids: pa.Array
    sources: list[str]
    source: Ints
    places: Ints
    characters: Ints
    reference: NDArray[np.bool_]
    faults: list[Fault]
    fault_counts: Counter[str]
    read_counts: Counter[str]
    repeated_ids: int

    def __len__(self) -> int:
        return len(self.characters)


@dataclass
class DocumentNotes:
    """Collects what a pass sees of the documents."""

    ids: TextColumn = field(default_factory=TextColumn)
    places: NumberColumn = field(default_factory=NumberColumn)
    characters: NumberColumn = field(default_factory=NumberColumn)
    source: RunColumn = field(default_factory=lambda: RunColumn(np.uint32))
    reference: RunColumn = field(default_factory=lambda: RunColumn(bool))
    sources: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    fault_counts: Counter[str] = field(default_factory=Counter)
    read_counts: Counter[str] = field(default_factory=Counter)

    def take(self, batch: Batch) -> None:
        """Note the documents of a batch, and its faults."""
        for fault in batch.faults:
            self.fault_counts[fault.kind] += 1
            if self.fault_counts[fault.kind] <= MOST_FAULTS:
                self.faults.append(fault)
        self.read_counts.update(batch.counts)
        if not len(batch):
            return
        self.ids.append(ids_of(batch))
        self.places.append(batch.places)
        lengths = pc.fill_null(pc.utf8_length(batch.texts), 0).cast(pa.int64())
        self.characters.append(numbers(lengths))
        number = self.sources.setdefault(batch.source, len(self.sources))
        self.source.append(number, len(batch))
        self.reference.append(batch.is_reference, len(batch))

    def finish(self, threads: int) -> ReadDocuments:
        """What is known once all were seen."""
        ids, repeated = distinct_ids(self.ids.finish(), threads)
        return ReadDocuments(
            ids,
            list(self.sources),
            self.source.finish(),
            self.places.finish(),
            self.characters.finish().astype(np.int64),
            self.reference.finish(),
            self.faults,
            self.fault_counts,
            self.read_counts,
            repeated,
        )


@dataclass
class MarkedTexts:
    """Marks of the blocks of all documents, how many each has, and how many N-grams may repeat."""

    marks: NumberFile
    marks_of: Ints
    candidates: Ints


class RunSearch:
    """Finds the runs of some documents."""

    def __init__(
        self, documents: Documents, grams: Grams, resources: Resources, progress: Progress
    ) -> None:
        self.documents, self.grams = documents, grams
        self.resources, self.progress = resources, progress
        self.samples = _kernels.GramSamples(resources.room // 8, resources.folder)
        self._held: list[Data] | None = []

    def read(self) -> ReadDocuments:
        """The first pass: takes the samples."""
        reading, held = DocumentNotes(), 0

        def work(batch: Batch) -> tuple[Batch, Data]:
            data = arrow_text(batch.texts)
            self.samples.add(*data, *self.grams)
            return batch, data

        batches = watched(self.documents, "reading", self.progress, self.resources.threads)
        for batch, data in self._side_by_side(work, batches):
            reading.take(batch)
            held += int(data[1][-1] - data[1][0])
            if held > self.resources.room // 4:
                self._held = None
            if self._held is not None and len(batch):
                self._held.append(data)
        self.samples.finish(self.resources.threads)
        give_back_memory()
        return reading.finish(self.resources.threads)

    def runs(self) -> Runs:
        """The passes after it."""
        counts, marked = self._counted(0)
        if counts.end == _kernels.GRAM_PARTS:
            with closing(marked.marks):
                return self._runs(counts.runs, marked.marks, marked.marks_of)
        with closing(NumberFile(np.uint32, self.resources.folder)) as facts:
            self._keep_facts(counts, marked, facts)
            while (first := counts.end) < _kernels.GRAM_PARTS:
                del counts
                counts, marked = self._counted(first)
                self._keep_facts(counts, marked, facts)
            return self._runs(self.samples.runs, facts, marked.candidates)

    def _counted(self, first: int) -> tuple[_kernels.GramCounts, MarkedTexts]:
        """Counts of the parts from ``first`` on, as many as there is room for."""
        most, folder = self.resources.room // 2, self.resources.folder
        counts = _kernels.GramCounts(self.samples, first, most, folder)
        marks = NumberFile(np.uint64, folder)

        def work(data: Data) -> tuple[Ints, Ints, NDArray[np.uint64]]:
            return counts.count(*data, *self.grams)

        marks_of, candidates = [], []
        for own, repeatable, kinds in self._side_by_side(work, self._texts("counting repeats")):
            marks_of.append(own)
            candidates.append(repeatable)
            marks.append(kinds)
        counts.finish(self.resources.threads)
        return counts, MarkedTexts(
            marks, _joined(marks_of, np.int64), _joined(candidates, np.int64)
        )

    def _keep_facts(
        self, counts: _kernels.GramCounts, marked: MarkedTexts, facts: NumberFile
    ) -> None:
        """Add what one round knows to what others do: 0 until its part is counted."""
        at = 0
        with closing(marked.marks) as marks:
            for begin in range(0, len(marks), MARKS_AT_ONCE):
                known = counts.facts(marks.read(begin, min(begin + MARKS_AT_ONCE, len(marks))))
                before = facts.read(at, at + len(known))
                facts.write(at, np.where(known != 0, known, before) if len(before) else known)
                at += len(known)

    def _runs(self, find: Callable[..., Any], known: NumberFile, known_of: Ints) -> Runs:
        """Runs by what is known of the documents, of each so many numbers."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(known_of)])

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

        parts = list(self._side_by_side(work, placed()))
        columns = list(zip(*parts, strict=True)) or [()] * len(Runs._fields)
        kinds = (np.uint64, np.uint32, *[np.int64] * 6)
        return Runs(*map(_joined, columns, kinds))

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


def _joined(parts: Any, kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts])
