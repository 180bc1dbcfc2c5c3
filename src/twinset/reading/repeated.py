"""Pages without the lines that their sites repeat: batches are held back until these are known.

Which lines these are is known only after the last page. So from the first page on batches wait, in
memory or in a temporary file, and come out trimmed after the last one. Later passes, and those who
read single documents again, know the lines from the beginning.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from twinset.model import Batch
from twinset.reading.arrays import replaced
from twinset.reading.batches import empty_batch
from twinset.system.temporary import TemporaryFile

if TYPE_CHECKING:
    from twinset.text.repeated import RepeatedLines, RepeatedTally

MOST_IN_MEMORY = 64 << 20
"""Bytes of texts that wait in memory; more wait in a file."""


@dataclass
class Repetition:
    """What is known of the repeated lines of some documents, from one pass to the next.

    ``lines`` is None before the first pass over pages; ``table`` shows them to the reader of a
    report.
    """

    lines: RepeatedLines | None = None
    table: pa.Table | None = None

    def without_repeated(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches of a first pass, trimmed; while they are held back, empty ones come out."""
        for batch in batches:
            if len(batch.pages):
                yield from self._held_back(chain([batch], batches))
            else:
                yield batch

    def _held_back(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        from twinset.text.repeated import LineCounter, RepeatedTally

        counter, held = LineCounter(), HeldBatches()
        try:
            for batch in batches:
                for row in batch.pages.tolist():
                    counter.add(batch.texts[row].as_py())
                held.append(batch)
                yield empty_batch(batch.source, ())
            lines, tally = counter.repeated(), RepeatedTally()
            self.lines = lines
            yield from (_trimmed(batch, lines, tally) for batch in held)
            self.table = tally.table(lines) if tally.pages else None
        finally:
            held.close()


def _trimmed(batch: Batch, lines: RepeatedLines, tally: RepeatedTally) -> Batch:
    if not lines.articles:
        return batch
    counts, texts = Counter(batch.counts), {}
    for row in batch.pages.tolist():
        page = lines.trimmed(batch.texts[row].as_py())
        tally.add(page)
        counts.update(page.counts())
        if page.dropped:
            texts[row] = page.text
    return dataclasses.replace(batch, texts=replaced(batch.texts, texts), counts=counts)


@dataclass
class HeldBatches:
    """Batches that wait; the texts of those that do not fit into memory are in a file."""

    most: int = MOST_IN_MEMORY
    _batches: list[Batch] = field(default_factory=list)
    _bytes: int = 0
    _file: TemporaryFile | None = None
    _writer: pa.ipc.RecordBatchStreamWriter | None = None
    _sink: pa.OSFile | None = None
    _in_memory: int = 0

    def append(self, batch: Batch) -> None:
        """Hold a batch."""
        self._bytes += batch.texts.nbytes + (0 if batch.raw is None else batch.raw.nbytes)
        if self._bytes <= self.most and self._file is None:
            self._batches.append(batch)
            self._in_memory += 1
            return
        raw = pa.nulls(len(batch), pa.large_binary()) if batch.raw is None else batch.raw
        columns = [batch.ids.cast(pa.string()), batch.texts, raw]
        table = pa.RecordBatch.from_arrays(columns, _NAMES)
        if self._writer is None:
            self._file = TemporaryFile()
            self._sink = pa.OSFile(str(self._file.path), "wb")
            self._writer = pa.ipc.new_stream(self._sink, table.schema)
        self._writer.write_batch(table)
        self._batches.append(_filled(batch, table.slice(0, 0)))

    def __iter__(self) -> Iterator[Batch]:
        """The batches in their order; each is forgotten when it has come out."""
        waiting, self._batches = iter(self._batches), []
        for _ in range(self._in_memory):
            yield next(waiting)
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


_NAMES = ["id", "text", "raw"]


def _filled(batch: Batch, table: pa.RecordBatch) -> Batch:
    raw = None if batch.raw is None else table.column(2)
    return dataclasses.replace(batch, ids=table.column(0), texts=table.column(1), raw=raw)
