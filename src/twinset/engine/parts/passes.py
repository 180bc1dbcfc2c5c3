"""The pass of a run that keeps its parts: what was done before is taken in, the rest is kept.

Two chains hold it. ``pass`` has batches as they are taken in, with their features: they need no
more work. ``read`` has batches as they were read, where that is not possible: documents wait until
it is known what they repeat, and some searches keep more than features.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from twinset import _kernels
from twinset.engine.parts.chain import Chain
from twinset.engine.parts.folder import PartsFolder
from twinset.engine.parts.packing import Packed, packed
from twinset.engine.progress import Progress
from twinset.engine.streaming import Collector, ReadyBatch
from twinset.model import Batch, Position
from twinset.reading import Inputs
from twinset.reading.inputs import Earlier
from twinset.reading.unread import ReadTally
from twinset.system.pool import in_order

MOST_BYTES = 256 << 20
MOST_SECONDS = 20.0
"""A file of parts ends when it is so large, or so long after it was begun."""


@dataclass(slots=True)
class FileEnd:
    """The last value of each file: what is known after its batches.

    ``before`` is the number of batches before its first one; ``tally`` counts its own.
    """

    before: int
    end: Position
    tally: ReadTally
    references: int
    digests: dict[str, int]
    is_complete: bool = False


@dataclass(slots=True)
class ReadyToKeep:
    """A batch on its way: ``pieces`` are what is kept of it, None where nothing is."""

    ready: ReadyBatch
    end: Position
    pieces: Packed | None
    tally: ReadTally


class KeptBatches:
    """The files of a chain of batches, one ended after the other."""

    def __init__(self, chain: Chain, documents: Inputs, give_up: Callable[[OSError], None]) -> None:
        self._chain, self._documents, self._give_up = chain, documents, give_up
        self._begun = 0.0
        self._is_closed = False
        self._last = Position()
        self._tally, self._references = ReadTally(), 0
        self._waiting: list[tuple[Packed, ReadTally, int]] = []

    def behind(self, ends: list[FileEnd], first: int) -> None:
        """Go on behind these files, or with batch number ``first`` + 1 where there is none."""
        self._last = ends[-1].end if ends else Position(number=first)
        self._before = self._last.number
        self._is_closed = bool(ends) and ends[-1].is_complete

    def add(
        self, pieces: Packed, size: int, end: Position, tally: ReadTally, references: int
    ) -> None:
        """Keep a batch; one without documents goes with those behind it, where files end."""
        if self._is_closed:
            return
        self._waiting.append((pieces, tally, references))
        if not size:
            return
        try:
            self._write_waiting()
            self._last = end
            if self._is_due():
                self._end_file(is_complete=False)
        except OSError as fault:
            self._close(fault)

    def end_behind(self, number: int) -> None:
        """Another chain goes on behind this batch: end the file once it is there."""
        if self._is_closed or self._last.number != number:
            return
        try:
            if self._chain.drafted:
                self._end_file(is_complete=False)
        except OSError as fault:
            self._close(fault)
        self._is_closed = True

    def complete(self) -> None:
        """All batches were added."""
        if self._is_closed:
            return
        try:
            self._write_waiting()
            self._end_file(is_complete=True)
            self._chain.end_file(wait=True)
        except OSError as fault:
            self._close(fault)
        self._is_closed = True

    def _write_waiting(self) -> None:
        if not self._chain.drafted:
            self._begun = time.monotonic()
        for pieces, tally, references in self._waiting:
            self._chain.add_packed(pieces)
            self._tally.merge(tally)
            self._references += references
        self._waiting.clear()

    def _is_due(self) -> bool:
        late = time.monotonic() - self._begun >= MOST_SECONDS
        return late or self._chain.drafted >= MOST_BYTES

    def _end_file(self, is_complete: bool) -> None:
        digests, tally = self._documents.known_digests, self._tally
        end = FileEnd(self._before, self._last, tally, self._references, digests, is_complete)
        self._chain.add(end)
        self._chain.end_file()
        self._before, self._tally, self._references = self._last.number, ReadTally(), 0

    def _close(self, fault: OSError) -> None:
        self._is_closed = True
        self._chain.give_up()
        self._give_up(fault)


class KeptPass:
    """One pass over the documents, with its parts."""

    def __init__(self, folder: PartsFolder, documents: Inputs, collector: Collector) -> None:
        self._documents, self._collector = documents, collector
        self._prepared_chain, self._read_chain = folder.chain("pass"), folder.chain("read")
        self._prepared = KeptBatches(self._prepared_chain, documents, folder.say_full)
        self._read = KeptBatches(self._read_chain, documents, folder.say_full)
        self._empty: list[Batch] = []
        # the first batch that is kept as it was read; 0 where all are
        self._read_from: int | None = None if collector.search.side_by_side else 0

    def begin(self, progress: Progress) -> Earlier:
        """Take in what earlier runs have left; the pass goes on from there."""
        earlier = Earlier(note=self._note)
        ends = self._prepared_chain.ends()
        reads = self._read_chain.ends()
        number = ends[-1].end.number if ends else 0
        if reads and reads[0].before != number:  # its beginning was lost with the other chain
            self._read_chain.forget()
            reads = []
        self._prepared.behind(ends, 0)
        self._read.behind(reads, number)
        if reads and self._read_from is None:
            self._read_from = number + 1
        for end in ends + reads:
            earlier.position = end.end
            earlier.tally.merge(end.tally)
            earlier.references += end.references
            earlier.digests.update(end.digests)
            if end.is_complete:
                earlier.position = replace(
                    end.end, source=len(self._documents.sources), offset=None
                )
        earlier.batches = self._read_chain.values()
        if ends or reads:
            self._say(progress, len(ends) + len(reads), earlier.position)
        collector, flag = self._collector, _kernels.StopFlag()
        values = self._prepared_chain.values()
        with closing(in_order(collector.ready, values, collector.at_a_time, flag=flag)) as batches:
            for batch in batches:
                collector.take(batch)
        return earlier

    def work(self, batch: Batch) -> ReadyToKeep:
        """The work on a batch, side by side with others."""
        prepared, pieces = self._collector.prepare(batch), None
        matters = len(batch) or batch.faults or batch.counts
        # one that waits to be kept as it was read comes with a higher number
        if matters and (self._read_from is None or batch.end.number < self._read_from):
            pieces = packed(prepared)
        tally = self._documents.tallied(batch)
        return ReadyToKeep(self._collector.ready(prepared), batch.end, pieces, tally)

    def take(self, ready: ReadyToKeep) -> None:
        """Keep a batch, unless it was kept as it was read, and take it in."""
        batch = ready.ready.batch
        if ready.pieces is not None:
            references = len(batch) if batch.is_reference else 0
            self._prepared.add(ready.pieces, len(batch), ready.end, ready.tally, references)
        if self._read_from is not None:  # or what is kept as it was read would follow nothing
            self._prepared.end_behind(self._read_from - 1)
        self._collector.take(ready.ready)

    def finish(self) -> None:
        """The pass is over."""
        if self._read_from is None:
            self._prepared.complete()

    def _note(self, batch: Batch | None) -> None:
        """Keep a batch as it was read, where that is due; None is the end.

        Called by the thread that reads.
        """
        if batch is None:
            if self._read_from is not None:
                self._read.complete()
            return
        if self._read_from is None and self._holds_back(batch):
            self._read_from = batch.end.number
            self._read.behind([], batch.end.number - 1)
            for empty in self._empty:  # what was wrong between the two chains
                self._keep_as_read(empty)
        if self._read_from is not None:
            self._keep_as_read(batch)
        elif len(batch):
            self._empty.clear()
        else:
            self._empty.append(batch)

    def _keep_as_read(self, batch: Batch) -> None:
        references = len(batch) if batch.is_reference else 0
        tally = self._documents.tallied(batch)
        self._read.add(packed(batch), len(batch), batch.end, tally, references)

    def _holds_back(self, batch: Batch) -> bool:
        """Whether a batch waits for the end of the pass."""
        options, known = self._documents.options, self._documents.repetition
        if len(batch) and options.boilerplate is not None and known.boilerplate is None:
            return True
        return bool(len(batch.pages)) and options.drops_repeated and known.lines is None

    def _say(self, progress: Progress, files: int, position: Position) -> None:
        total, before = self._documents.total_bytes, self._documents.bytes_before(position)
        share = f": {before / total:.0%} was read before" if total else ""
        progress.stage(f"going on at part {files + 1}{share}", None)
