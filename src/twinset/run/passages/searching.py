"""Exact spans: stretches of at least N units that stand in two places or more.

Katherine Lee, Daphne Ippolito, Andrew Nystrom, Chiyuan Zhang, Douglas Eck, Chris Callison-Burch,
Nicholas Carlini: Deduplicating Training Data Makes Language Models Better. ACL 2022.

The paper sorts all suffixes. Here S(p) are all places that begin with the same N units as p, and
starts p and p + 1 belong to one span when S(p) + 1 = S(p + 1). What spans cover is what repeats of
N units or more cover in the suffix array.

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
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Batch, Documents, Fault, Ints, offsets_of
from twinset.model import compute as pc
from twinset.model.columns import column, numbers, words
from twinset.plan import Resources
from twinset.run.columns import NumberColumn, NumberFile, give_back_memory
from twinset.run.documents import DocumentLog, ids_of
from twinset.run.progress import Progress
from twinset.run.streaming import watched
from twinset.system.threads import in_order
from twinset.text.arrow import arrow_text


@dataclass
class ReadDocuments:
    """What is known of the documents after the first pass; arrays are indexed by their number."""

    ids: pa.Array
    sources: list[str]
    source: Ints
    places: Ints
    reference: NDArray[np.bool_]
    repeated_ids: int
    faults: list[Fault]
    fault_counts: dict[str, int]
    read_counts: dict[str, int]
    characters: Ints

    def __len__(self) -> int:
        return len(self.characters)

    def placed(self) -> dict[str, pa.Array]:
        """The columns that a table of documents begins with."""
        return {
            "id": self.ids,
            "source": words(self.source, self.sources),
            "place": column(self.places.astype(np.int64)),
            "characters": column(self.characters),
        }


class ReadingLog(DocumentLog):
    """A log with the number of characters of each document."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = NumberColumn()

    def take(self, batch: Batch, characters: Ints | None = None) -> None:
        """Note the documents of a batch, their ``characters`` if known, and its faults."""
        self.add(batch, ids_of(batch))
        if len(batch):
            if characters is None:
                characters = numbers(pc.fill_null(pc.utf8_length(batch.texts), 0).cast(pa.int64()))
            self.characters.append(characters)

    def read(self, threads: int) -> ReadDocuments:
        """What is known once all were seen."""
        characters = self.characters.finish().astype(np.int64)
        return ReadDocuments(**self.finish(threads), characters=characters)


class Stretches(NamedTuple):
    """Characters ``start`` to ``end`` of documents, in reading order; no two touch each other."""

    document: Ints
    start: Ints
    end: Ints

    def characters(self, documents: int) -> Ints:
        """How many they are in each of so many documents."""
        sums = np.bincount(self.document, self.end - self.start, minlength=documents)
        return sums.astype(np.int64)


def united(document: Ints, start: Ints, end: Ints, characters: Ints) -> Stretches:
    """The characters that lie in any of these stretches; ``characters`` are those of documents."""
    # one number line for all documents, with a gap of one behind each
    before = offsets_of(characters + 1)
    # where all that began before have ended, the number of beginnings is that of ends
    left, right = np.sort(before[document] + start), np.sort(before[document] + end)
    begins = np.ones(len(left), bool)
    begins[1:] = left[1:] > right[:-1]
    left, right = left[begins], right[np.roll(begins, -1)]
    of = np.searchsorted(before, left, side="right") - 1
    return Stretches(of, left - before[of], right - before[of])


def repeated(
    rows: Occurrences, characters: Ints, is_reference: NDArray[np.bool_], every: bool = False
) -> Stretches:
    """What is dropped: all places of the spans but the first of each, or ``every`` place.

    Nothing is dropped from references. What is left holds no N units twice that stood together
    before, and every unit that was dropped stands in a place before it that stays.
    """
    goes = ~is_reference[rows.document]
    if not every:
        goes &= ~rows.is_first
    return united(rows.document[goes], rows.start[goes], rows.end[goes], characters)


UNITS = {"word": 0, "char": 1, "byte": 2}
MOST_LEFT_OUT = 1 << 15
"""Units that a sample may be shorter than its N-gram: kernels keep a table of that size."""
Data = tuple[NDArray[np.uint8], Ints]
"""The bytes of some texts, and where each begins."""


class Grams(NamedTuple):
    """Which N-grams are looked at, as the kernels want it: of ``least`` units of a kind."""

    unit: int
    least: int
    sample: int

    @property
    def of_words(self) -> bool:
        return self.unit == UNITS["word"]

    @classmethod
    def of(cls, unit: str, least: int) -> Grams:
        """With a sample that is seldom repeated by chance, and of which there are few.

        Characters say less than words: of these a longer part is needed.
        """
        sample = 3 * least // 5 if unit == "word" else 3 * least // 4
        return cls(UNITS[unit], least, max(sample, least - MOST_LEFT_OUT, 1))


MARKS_AT_ONCE = 1 << 17
Marked = tuple[Ints, Ints, NDArray[np.uint64]]
"""Of some texts: how many marks each has, how many N-grams that may repeat, and all marks."""


class Counting:
    """Counts of the blocks of texts, as many as there is room for, and what the texts leave behind.

    These are marks of their blocks, how many each has, and how many of its N-grams may repeat.
    """

    def __init__(
        self, samples: _kernels.GramSamples, first: int, grams: Grams, resources: Resources
    ) -> None:
        most, folder = resources.room // 2, resources.folder
        self.counts = _kernels.GramCounts(samples, first, most, folder)
        self.marks = NumberFile(np.uint64, folder)
        self._grams, self._marks_of, self._candidates = grams, list[Ints](), list[Ints]()

    @property
    def is_whole(self) -> bool:
        """Whether there was room for all from the first on."""
        return self.counts.end == _kernels.GRAM_PARTS

    def count(self, data: Data) -> Marked:
        """Count the blocks of some texts; any thread may."""
        return self.counts.count(*data, *self._grams)

    def take(self, marked: Marked) -> None:
        """Keep what they left, text by text."""
        marks_of, candidates, marks = marked
        self._marks_of.append(marks_of)
        self._candidates.append(candidates)
        self.marks.append(marks)

    def finish(self, threads: int) -> None:
        """Find out what is true of the N-grams, once all are counted."""
        self.counts.finish(threads)
        give_back_memory()

    @property
    def marks_of(self) -> Ints:
        """How many marks each text has."""
        return joined(self._marks_of, np.int64)

    @property
    def candidates(self) -> Ints:
        """How many N-grams of each may be repeated."""
        return joined(self._candidates, np.int64)

    def keep_facts(self, facts: NumberFile) -> None:
        """Add what one round knows to what others do: 0 until its part is counted."""
        at = 0
        for begin in range(0, len(self.marks), MARKS_AT_ONCE):
            marks = self.marks.read(begin, min(begin + MARKS_AT_ONCE, len(self.marks)))
            known = self.counts.facts(marks)
            before = facts.read(at, at + len(known))
            facts.write(at, np.where(known != 0, known, before) if len(before) else known)
            at += len(known)

    def close(self) -> None:
        self.marks.close()


def joined(parts: Any, kind: Any) -> NDArray[Any]:
    """Arrays one behind the other; those of no parts are empty, of this kind."""
    return np.concatenate([np.empty(0, kind), *parts])


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
        reading, held, of_words = ReadingLog(), 0, self.grams.of_words

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
        return reading.read(self.resources.threads)

    def runs(self) -> Runs:
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


class Occurrences(NamedTuple):
    """Places of spans, span by span and in reading order: characters of a document, and units."""

    span: Ints
    document: Ints
    start: Ints
    end: Ints
    units: Ints

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Which of them are the first of their span."""
        is_first: NDArray[np.bool_] = np.diff(self.span, prepend=-1) != 0
        return is_first

    @property
    def spans(self) -> int:
        return int(self.span[-1]) + 1 if len(self.span) else 0

    def taken(self, rows: NDArray[np.bool_]) -> Occurrences:
        """Some of the spans, which are numbered anew."""
        if rows.all():
            return self
        chosen = Occurrences(*(column[rows] for column in self))
        return chosen._replace(span=np.cumsum(chosen.is_first) - 1)


def numbered(
    runs: Runs, least: int, is_reference: NDArray[np.bool_], by_length: bool
) -> Occurrences:
    """The spans of at least so many units that not only references have.

    ``by_length`` says that equal runs are equally long texts, all shrunk as far as one of them had
    to be in order to begin and end with a whole grapheme cluster.
    """
    order, begins = _kernels.group_runs(runs.key, runs.check)
    span = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    places = (runs.document, runs.start, runs.end, runs.units)
    rows = Occurrences(span, *(column[order] for column in places))
    if not len(order):
        return rows
    begins, units = begins[:-1], rows.units
    if by_length:  # equal runs of words have as many
        units = np.minimum.reduceat(units, begins)[rows.span]
        shortest = np.minimum.reduceat(rows.end - rows.start, begins)[rows.span]
        lead = np.maximum.reduceat(runs.lead[order], begins)[rows.span]
        units = units - np.maximum.reduceat(runs.lead_units[order], begins)[rows.span]
        rows = rows._replace(start=rows.start + lead, end=rows.start + shortest)
    stays = units >= least
    if is_reference.any():
        stays &= np.logical_or.reduceat(~is_reference[rows.document], begins)[rows.span]
    return rows._replace(units=units).taken(stays)
