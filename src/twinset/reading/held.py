"""First passes: batches are held back until it is known what their texts repeat.

From the first page or document on they wait in memory or in a temporary file, and come out trimmed
after the last one.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.model import Batch, Ints
from twinset.reading.arrays import Packing, joined_texts, with_rows
from twinset.reading.batches import empty_batch
from twinset.reading.repeated import Repetition
from twinset.system.processes import Workers
from twinset.system.temporary import TemporaryFile
from twinset.system.threads import in_order
from twinset.text.boilerplate import (
    BoilerplateCutter,
    BoilerplateTally,
    ComparedTexts,
    DigestedParagraphs,
    KeyedParagraphs,
    ParagraphCounter,
)
from twinset.text.page_texts import count_texts, trim_texts
from twinset.text.repeated import (
    LineCounter,
    RepeatedLines,
    RepeatedTally,
)

if TYPE_CHECKING:
    from twinset.text.page_lines import CountedLines, DroppedLines

Answer = TypeVar("Answer")

MOST_IN_MEMORY = 64 << 20
"""Bytes of texts that wait in memory; more wait in a file."""


def without_repeated(
    known: Repetition, batches: Iterator[Batch], threads: int, workers: Workers | None
) -> Iterator[Batch]:
    """The batches of a first pass, trimmed; while they are held back, empty ones come out.

    Lines are counted and dropped by ``workers`` where there are some.
    """
    crew, counter, held = LineCrew(threads, workers or Workers(1)), LineCounter(), HeldBatches()
    try:
        with closing(in_order(crew.counted, batches, threads)) as counted:
            for batch, parts in counted:
                for part in parts:
                    counter.take(part)
                held.append(batch)
                yield empty_batch(batch.source, ())
        known.lines = lines = counter.repeated()
        tally, trim = RepeatedTally(), partial(crew.trimmed, lines)
        with closing(in_order(trim, held, threads)) as trimmed:
            for batch, dropped in trimmed:
                for lost in dropped:
                    tally.merge(lost)
                yield batch
        known.table = tally.table(lines) if tally.pages else None
    finally:
        held.close()


def without_boilerplate(
    known: Repetition,
    batches: Iterator[Batch],
    more_than: float,
    threads: int,
    most_bytes: int,
) -> Iterator[Batch]:
    """The batches without paragraphs that stand in more documents than this.

    In a first pass they are held back as pages are; up to ``most_bytes`` of texts wait in
    memory, and half as much of what is counted.
    """
    if known.boilerplate is None:
        yield from _counted_first(known, batches, more_than, threads, most_bytes)
        return
    with closing(in_order(partial(_cut, known.boilerplate), batches, threads)) as trimmed:
        for batch, _ in trimmed:
            yield batch


def _counted_first(
    known: Repetition,
    batches: Iterator[Batch],
    more_than: float,
    threads: int,
    most_bytes: int,
) -> Iterator[Batch]:
    counter, held = ParagraphCounter(most_bytes // 2), HeldBatches(most_bytes)
    try:
        with closing(in_order(_digested, batches, threads)) as counted:
            for batch, paragraphs in counted:
                counter.take(paragraphs)
                held.append(batch)
                yield empty_batch(batch.source, ())
        boilerplate = BoilerplateCutter(counter.frequent(more_than))
        counter.close()
        if held.bytes > most_bytes:  # what counting has left lies between what is needed
            _kernels.give_back_memory()
        known.boilerplate, tally = boilerplate, BoilerplateTally(boilerplate)
        with closing(in_order(partial(_cut, boilerplate), held, threads)) as trimmed:
            for batch, found in trimmed:
                if found is not None:
                    tally.add(found)
                yield batch
        known.paragraphs = tally.table()
    finally:
        counter.close()
        held.close()


@dataclass
class HeldBatches:
    """Batches that wait; of those that do not fit into memory the texts are in a file."""

    most: int = MOST_IN_MEMORY
    bytes: int = 0
    _batches: list[Batch] = field(default_factory=list)
    _here: int = 0
    _file: TemporaryFile | None = None
    _writer: pa.ipc.RecordBatchStreamWriter | None = None
    _sink: pa.OSFile | None = None

    def append(self, batch: Batch) -> None:
        """Hold a batch."""
        self.bytes += sum(c.nbytes for c in (batch.texts, batch.raw) if c is not None)
        if self.bytes > self.most:
            batch = self._written_to_file(batch)
        else:
            self._here += 1
        self._batches.append(batch)

    def _written_to_file(self, batch: Batch) -> Batch:
        """What is left of a batch without its texts."""
        raw = pa.nulls(len(batch), pa.large_binary()) if batch.raw is None else batch.raw
        # Whoever keeps the ids would keep the texts as well, if both were read from there.
        table = pa.RecordBatch.from_arrays([batch.texts, raw], _NAMES)
        if self._writer is None:
            self._file = TemporaryFile()
            self._sink = pa.OSFile(str(self._file.path), "wb")
            self._writer = pa.ipc.new_stream(self._sink, table.schema)
        self._writer.write_batch(table)
        # not a slice of nothing, which would hold the memory of the texts
        nothing = [pa.nulls(0, kind) for kind in table.schema.types]
        return _filled(batch, pa.RecordBatch.from_arrays(nothing, _NAMES))

    def __iter__(self) -> Iterator[Batch]:
        """The batches in their order; each is forgotten when it has come out."""
        waiting, self._batches = deque(self._batches), []
        for _ in range(self._here):
            yield waiting.popleft()
        if self._file is None:
            return
        self._written()
        with pa.OSFile(str(self._file.path)) as file, pa.ipc.open_stream(file) as stored:
            for batch, table in zip(waiting, stored, strict=True):
                yield _filled(batch, table)

    def close(self) -> None:
        """Remove the file."""
        self._written()
        if self._file is not None:
            self._file.close()

    def _written(self) -> None:
        if self._writer is not None and self._sink is not None:
            self._writer.close()
            self._sink.close()
            self._writer = None


_NAMES = ["text", "raw"]


def _filled(batch: Batch, table: pa.RecordBatch) -> Batch:
    raw = None if batch.raw is None else table.column(1)
    return dataclasses.replace(batch, texts=table.column(0), raw=raw)


def _digested(batch: Batch) -> tuple[Batch, DigestedParagraphs]:
    """The paragraphs of a batch to be counted."""
    return batch, DigestedParagraphs.of(KeyedParagraphs.of(batch.texts, 1), 1)


def _cut(boilerplate: BoilerplateCutter, batch: Batch) -> tuple[Batch, ComparedTexts | None]:
    if not len(batch) or not len(boilerplate):
        return batch, None
    found = boilerplate.trimmed(batch.texts)
    counts = Counter(batch.counts) + Counter(found.counts)
    return dataclasses.replace(batch, texts=found.texts, counts=counts), found


class LineCrew(NamedTuple):
    """Who counts and drops lines: threads that hand the pages of a batch to processes."""

    threads: int
    workers: Workers

    def counted(self, batch: Batch) -> tuple[Batch, list[CountedLines]]:
        if not len(batch.pages):
            return batch, []
        packing = Packing.of(batch.texts)
        return batch, [count for _, count in self._of_pages(count_texts, packing, batch.pages, ())]

    def trimmed(self, lines: RepeatedLines, batch: Batch) -> tuple[Batch, list[DroppedLines]]:
        if not lines.articles or not len(batch.pages):
            return batch, []
        packing, counts = Packing.of(batch.texts), Counter(batch.counts)
        parts = self._of_pages(trim_texts, packing, batch.pages, (lines.keys,))
        answers = [answer for _, answer in parts]
        for answer in answers:
            counts.update(answer.counts)
        flags = np.frombuffer(b"".join(answer.changed for answer in answers), bool)
        new = joined_texts(answers, batch.texts.type, np.ones(flags.sum(), bool))
        texts = with_rows(batch.texts, batch.pages[flags], new)
        done = dataclasses.replace(batch, texts=texts, counts=counts)
        return done, [answer.dropped for answer in answers]

    def _of_pages(
        self, function: Callable[..., Answer], packing: Packing, rows: Ints, more: tuple[Any, ...]
    ) -> Iterator[tuple[Ints, Answer]]:
        """The function of the pages, piece by piece; what a process has lost is computed here."""
        pieces = packing.pieces(rows)
        calls = [(*packing.packed(piece), *more) for piece in pieces]
        pays = self.workers.pays(packing.size(rows))
        answers = self.workers.results(function, calls) if pays else [None] * len(calls)
        for piece, call, answer in zip(pieces, calls, answers, strict=True):
            yield piece, function(*call) if answer is None else answer
