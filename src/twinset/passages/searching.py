"""Passes over documents that find repeated stretches, each as a run of N-grams.

The first pass takes a sample of every N-gram, a k-gram of it, and remembers which samples occur
more than once. The second counts the N-grams that have such a sample: all others occur once.
Neighbours with one sample are counted as a block where they always are together. The third pass
joins those that occur more than once to runs. Texts are held in memory if they take little of
it, and read again otherwise. Where the counts would take too much, they are made for a part of the
N-grams at a time, and what is known of each is kept in a file until it is known of all.
"""

from __future__ import annotations

import os
import tempfile
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
from twinset.plan import Resources
from twinset.system.pool import in_order
from twinset.text import arrow_text

UNITS = {"word": 0, "char": 1, "byte": 2}
MOST_FAULTS = 100
MOST_LEFT_OUT = 1 << 15
"""Units that a sample may be shorter than its N-gram: kernels keep a table of that size."""
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
        counts, candidates = self._counted(0)
        if counts.end == _kernels.GRAM_PARTS:
            return self._runs(counts.runs, candidates)
        with closing(KnownFacts(int(candidates.sum()), self.resources.folder)) as facts:
            self._keep_facts(counts, candidates, facts)
            while (first := counts.end) < _kernels.GRAM_PARTS:
                del counts
                counts, _ = self._counted(first)
                self._keep_facts(counts, candidates, facts)
            before = np.concatenate([np.zeros(1, np.int64), np.cumsum(candidates)])
            return self._runs(self.samples.runs, candidates, (facts, before))

    def _counted(self, first: int) -> tuple[_kernels.GramCounts, Ints]:
        """Counts of the parts from ``first`` on, as many as there is room for; candidates."""
        most, folder = self.resources.room // 2, self.resources.folder
        counts = _kernels.GramCounts(self.samples, first, most, folder)

        def work(data: Data) -> Ints:
            return counts.count(*data, *self.grams)

        texts = self._texts("counting repeats")
        candidates = _joined(self._side_by_side(work, texts), np.int64)
        counts.finish(self.resources.threads)
        return counts, candidates

    def _keep_facts(self, counts: _kernels.GramCounts, candidates: Ints, facts: KnownFacts) -> None:
        at = 0
        for known in self._of_documents("counting repeats", counts.facts, candidates):
            facts.add(at, known)
            at += len(known)

    def _runs(
        self,
        find: Callable[..., Any],
        candidates: Ints,
        known: tuple[KnownFacts, Ints] | None = None,
    ) -> Runs:
        parts = list(self._of_documents("joining repeats", find, candidates, known, numbered=True))
        columns = list(zip(*parts, strict=True)) or [()] * len(Runs._fields)
        kinds = (np.uint64, np.uint32, *[np.int64] * 6)
        return Runs(*map(_joined, columns, kinds))

    def _of_documents(
        self,
        stage: str,
        find: Callable[..., Any],
        candidates: Ints,
        known: tuple[KnownFacts, Ints] | None = None,
        numbered: bool = False,
    ) -> Iterator[Any]:
        """What a kernel finds in the documents that have candidates."""

        def work(placed: tuple[int, Data]) -> Any:
            first, data = placed
            last = first + len(data[1]) - 1
            more: tuple[Any, ...] = ()
            if known is not None:
                facts, before = known
                more = (facts.read(int(before[first]), int(before[last])),)
            result = find(*more, *data, *self.grams, candidates[first:last])
            if numbered:
                key, check, document, *places = result
                result = (key, check, document + first, *places)
            return result

        def placed() -> Iterator[tuple[int, Data]]:
            first = 0
            for data in self._texts(stage):
                yield first, data
                first += len(data[1]) - 1

        yield from self._side_by_side(work, placed())

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


class KnownFacts:
    """What is known of each candidate, in a temporary file: 0 until its part was counted."""

    def __init__(self, count: int, folder: str) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        os.truncate(self._file.fileno(), 4 * count)

    def add(self, at: int, facts: NDArray[np.uint32]) -> None:
        """The facts of another round on the candidates from ``at`` on."""
        merged = np.where(facts != 0, facts, self.read(at, at + len(facts)))
        rest, place = memoryview(merged.tobytes()), 4 * at
        while len(rest):
            written = os.pwrite(self._file.fileno(), rest, place)
            rest, place = rest[written:], place + written

    def read(self, begin: int, end: int) -> NDArray[np.uint32]:
        """Those of some candidates. Any thread may call."""
        parts, place, left = [], 4 * begin, 4 * (end - begin)
        while left and (part := os.pread(self._file.fileno(), left, place)):
            parts.append(part)
            place, left = place + len(part), left - len(part)
        return np.frombuffer(b"".join(parts), np.uint32)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


def _joined(parts: Any, kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts])
