"""A run that can be resumed: each stage takes what an earlier run has kept and keeps the rest.

Batches are kept in two chains. ``pass`` has finished batches with their features. ``read`` has
batches as they were read, for documents that wait until repeated text is known, and for searches
that keep more than features.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from twinset import _kernels
from twinset._version import VERSION
from twinset.errors import PlanError
from twinset.finding.methods.base import Search
from twinset.model import Batch, Documents, Position
from twinset.plan import Plan
from twinset.reading import Inputs
from twinset.reading.inputs import Earlier
from twinset.reading.source import Source
from twinset.reading.unread import ReadTally
from twinset.run.documents import Collected
from twinset.run.pairing import VerifiedPairs
from twinset.run.parts import Chain, PartsFolder, packed
from twinset.run.progress import Progress
from twinset.run.streaming import Collector, ReadyBatch, collect
from twinset.system.threads import in_order
from twinset.text.repeated import RepeatedLines
from twinset.text.statistics import Statistics
from twinset.text.wording import spelt_wording

MOST_BYTES = 256 << 20
MOST_SECONDS = 20.0
"""A file of parts ends at this size, or this long after it was begun: a kill costs no more."""


def resumable(documents: Documents) -> Inputs:
    """The documents, if another run can read them again."""
    if not isinstance(documents, Inputs):
        raise PlanError(
            ["resume is for documents of files: what is in memory is gone with the run"]
        )
    if any(source.is_spool for source in documents.sources):
        raise PlanError(
            ["resume cannot read standard input again: write it to a file and name that"]
        )
    return documents


def described_run(inputs: Inputs, plan: Plan, dedup: bool) -> dict[str, Any]:
    """Version, plan, named files and inputs, the weightiest first."""
    described = {
        "twinset": VERSION,
        "command": "dedup" if dedup else "find",
        "plan": plan.as_dict(),
        "forms": plan.forms.versions(),
        "files": dict(_named_files(plan)),
        "batch_bytes": inputs.batch_bytes,
        "inputs": {source.name: _state(source) for source in inputs.sources},
        "order": [source.name for source in inputs.sources],
    }
    plain: dict[str, Any] = json.loads(json.dumps(described, default=str))
    return plain


def _state(source: Source) -> dict[str, Any]:
    """What is known of a source, with its time of change and the state of the files in it."""
    listed = blake2b(digest_size=16)
    for path in source.files:
        listed.update(os.fsencode(str(path)) + b"\0")
    for state in source.states:
        listed.update(b"%d %d\n" % (state.bytes, state.modified))
    path = source.path
    # that of a folder says nothing of its files
    changed = path.stat().st_mtime_ns if isinstance(path, Path) and path.is_file() else None
    return {**source.described(None), "modified": changed, "files": listed.hexdigest()}


def _named_files(part: Any) -> Iterator[tuple[str, list[int]]]:
    """Files that an option of the plan names, as word counts, with size and time of change."""
    if isinstance(part, str):
        for name in part.split("+"):
            if name and os.path.isfile(name):
                status = os.stat(name)
                yield os.path.abspath(name), [status.st_size, status.st_mtime_ns]
    elif isinstance(part, list | tuple):
        for item in part:
            yield from _named_files(item)
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        for field in dataclasses.fields(part):
            yield from _named_files(getattr(part, field.name))


@dataclass(slots=True)
class FileEnd:
    """The state of the pass at the end of a file of parts.

    ``before`` is the number of batches before its first one; ``tally`` counts its own.
    """

    before: int
    end: Position
    tally: ReadTally
    references: int
    digests: dict[str, int]
    is_complete: bool = False


class KeptBatch(NamedTuple):
    """A packed batch with its end in the input and its counts."""

    content: bytes
    end: Position
    size: int
    references: int
    tally: ReadTally


class KeptBatches:
    """The files of a chain of batches, one ended after the other."""

    def __init__(self, chain: Chain, documents: Inputs, give_up: Callable[[OSError], None]) -> None:
        self._chain, self._documents, self._give_up = chain, documents, give_up
        self._begun = 0.0
        self._is_closed = False
        self._last = Position()
        self._tally, self._references = ReadTally(), 0
        self._waiting: list[KeptBatch] = []

    def go_on_after(self, ends: list[FileEnd], first: int) -> None:
        """Go on after these files, or with batch number ``first`` + 1 where there are none."""
        self._last = ends[-1].end if ends else Position(number=first)
        self._before = self._last.number
        self._is_closed = bool(ends) and ends[-1].is_complete

    def add(self, batch: KeptBatch) -> None:
        """Keep a batch; one without documents goes with those behind it, where files end."""
        self._waiting.append(batch)
        if batch.size:
            self._unless_full(self._write, batch.end)

    def end_behind(self, number: int) -> None:
        """Another chain goes on behind this batch: end the file once it is there."""
        if self._last.number == number:
            self._unless_full(self._end_file, False)
            self._is_closed = True

    def complete(self) -> None:
        """All batches were added."""
        self._unless_full(self._write, self._last)
        self._unless_full(self._end_file, True)
        self._unless_full(self._chain.wait)
        self._is_closed = True

    def _unless_full(self, step: Callable[..., None], *facts: Any) -> None:
        """Take a step unless the chain is closed; a full disk closes it."""
        if self._is_closed:
            return
        try:
            step(*facts)
        except OSError as fault:
            self._is_closed = True
            self._chain.give_up()
            self._give_up(fault)

    def _write(self, end: Position) -> None:
        if not self._chain.drafted:
            self._begun = time.monotonic()
        for batch in self._waiting:
            self._chain.add(batch.content)
            self._tally.merge(batch.tally)
            self._references += batch.references
        self._waiting.clear()
        self._last = end
        late = time.monotonic() - self._begun >= MOST_SECONDS
        if late or self._chain.drafted >= MOST_BYTES:
            self._end_file(False)

    def _end_file(self, is_complete: bool) -> None:
        if not (self._chain.drafted or is_complete):
            return
        known = self._tally, self._references, self._documents.known_digests
        self._chain.end_file(FileEnd(self._before, self._last, *known, is_complete))
        self._before, self._tally, self._references = self._last.number, ReadTally(), 0


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
        earlier = Earlier(note=self._keep_read)
        ends, reads = self._prepared_chain.ends(), self._read_chain.ends()
        number = ends[-1].end.number if ends else 0
        if reads and reads[0].before != number:  # its beginning was lost with the other chain
            self._read_chain.forget()
            reads = []
        self._prepared.go_on_after(ends, 0)
        self._read.go_on_after(reads, number)
        if reads and self._read_from is None:
            self._read_from = number + 1
        for end in ends + reads:
            earlier.position = end.end
            earlier.tally.merge(end.tally)
            earlier.references += end.references
            earlier.digests.update(end.digests)
            if end.is_complete:
                over = len(self._documents.sources)
                earlier.position = replace(end.end, source=over, offset=None)
        earlier.batches = self._read_chain.values()
        if ends or reads:
            self._say(progress, len(ends) + len(reads), earlier.position)
        collector, flag = self._collector, _kernels.StopFlag()
        values = self._prepared_chain.values()
        with closing(in_order(collector.ready, values, collector.at_a_time, flag=flag)) as batches:
            for batch in batches:
                collector.take(batch)
        return earlier

    def work(self, batch: Batch) -> tuple[ReadyBatch, KeptBatch | None]:
        """The work on a batch, side by side with others: what is taken, and kept of it."""
        prepared, kept = self._collector.prepare(batch), None
        matters = len(batch) or batch.faults or batch.counts
        # one that waits to be kept as it was read comes with a higher number
        if matters and (self._read_from is None or batch.end.number < self._read_from):
            kept = self._kept(prepared, batch)
        return self._collector.ready(prepared), kept

    def take(self, ready: tuple[ReadyBatch, KeptBatch | None]) -> None:
        """Keep a batch, unless it was kept as it was read, and take it in."""
        batch, kept = ready
        if kept is not None:
            self._prepared.add(kept)
        if self._read_from is not None:  # or what is kept as it was read would follow nothing
            self._prepared.end_behind(self._read_from - 1)
        self._collector.take(batch)

    def finish(self) -> None:
        """The pass is over."""
        if self._read_from is None:
            self._prepared.complete()

    def _kept(self, value: Any, batch: Batch) -> KeptBatch:
        references = len(batch) if batch.is_reference else 0
        tally = self._documents.tallied(batch)
        return KeptBatch(packed(value), batch.end, len(batch), references, tally)

    def _keep_read(self, batch: Batch | None) -> None:
        """Keep a batch as it was read, where that is due; None is the end.

        Called by the thread that reads.
        """
        if batch is None:
            if self._read_from is not None:
                self._read.complete()
            return
        if self._read_from is None and self._holds_back(batch):
            self._read_from = batch.end.number
            self._read.go_on_after([], batch.end.number - 1)
            for empty in self._empty:  # faults between the two chains
                self._read.add(self._kept(empty, empty))
        if self._read_from is not None:
            self._read.add(self._kept(batch, batch))
        elif len(batch):
            self._empty.clear()
        else:
            self._empty.append(batch)

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


@dataclass(slots=True)
class CountedWords:
    """Word counts and repeated text from passes before the search."""

    statistics: Statistics
    lines: RepeatedLines | None
    repeated: pa.Table | None
    paragraphs: pa.Table | None


class KeptRun:
    """A run whose finished parts are kept in a folder."""

    def __init__(self, folder: PartsFolder, documents: Documents, plan: Plan, dedup: bool) -> None:
        self._folder, self._plan, self._documents = folder, plan, resumable(documents)
        known = folder.begin(described_run(self._documents, plan, dedup))
        self._documents.batch_bytes = known["batch_bytes"]  # the same cuts, whatever the memory

    def statistics(self) -> Statistics | None:
        """The word counts of an earlier run over these documents."""
        words = self._value("words")
        if words is None:
            return None
        repetition = self._documents.repetition
        repetition.lines, repetition.table = words.lines, words.repeated
        if self._plan.drop_boilerplate is not None:
            from twinset.text.boilerplate import BoilerplateCutter

            repetition.boilerplate = BoilerplateCutter.of_table(words.paragraphs)
            repetition.paragraphs = words.paragraphs
        statistics: Statistics = words.statistics
        return statistics

    def keep_statistics(self, search: Search) -> None:
        """Keep the word counts, where the search has made some."""
        if search.statistics is None or self._plan.statistics:
            return
        counted = dataclasses.replace(search.statistics, wording=spelt_wording(self._plan))
        repetition = self._documents.repetition
        known = (repetition.lines, repetition.table, repetition.paragraphs)
        self._keep("words", CountedWords(counted, *known))

    def collect(self, collector: Collector, progress: Progress) -> Collected:
        """The pass over the documents, from where it was left."""
        kept = KeptPass(self._folder, self._documents, collector)
        earlier = kept.begin(progress)
        collected = collect(self._documents, collector, progress, kept, earlier)
        kept.finish()
        return collected

    def compared(self) -> VerifiedPairs | None:
        """The pairs of an earlier run."""
        compared: VerifiedPairs | None = self._value("pairs")
        return compared

    def keep_compared(self, compared: VerifiedPairs) -> None:
        """Keep the pairs, so that a kill in what follows does not cost the comparison."""
        self._keep("pairs", compared)

    def _value(self, name: str) -> Any:
        return next(iter(self._folder.chain(name).ends()), None)

    def _keep(self, name: str, value: Any) -> None:
        """Keep one value, unless it is kept already."""
        chain = self._folder.chain(name)
        if not chain.ends():
            try:
                chain.end_file(value, wait=True)
            except OSError as fault:
                self._folder.say_full(fault)
