"""Files as documents: opens what the user names and streams it any number of times."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from twinset.errors import PlanError, ReadError
from twinset.model import Batch, Fault, Position
from twinset.plan import ReadOptions, spec
from twinset.reading.base import FileFormat
from twinset.reading.batches import empty_batch, with_vectors
from twinset.reading.faults import Faults
from twinset.reading.ledger import FileLedger
from twinset.reading.paths import expand
from twinset.reading.repeated import Repetition
from twinset.reading.source import Meter, ReadJob, Source
from twinset.reading.stream import digests_of
from twinset.reading.unread import ReadTally, TextField, field_names, no_order, text_fields
from twinset.reading.walked import PassedOver
from twinset.system.processes import Workers
from twinset.system.temporary import TemporaryFile

if TYPE_CHECKING:
    from twinset.system.lanes import Lane


class Rereading(NamedTuple):
    """The sources whose documents are written, and how each of them is read again.

    ``digests`` are those of the pass that was decided on. ``reader`` reads all of the sources where
    that of their name does not.
    """

    sources: Sequence[Source]
    job: Callable[[Source], ReadJob]
    digests: Mapping[str, int]
    reader: FileFormat | None = None

    def format(self, source: Source) -> FileFormat:
        """What reads a source."""
        format: FileFormat = self.reader or spec.make("reader", source.reader)
        return format


@dataclass
class Earlier:
    """What an earlier pass has done before it ended: up to where, and what it learnt on the way.

    ``digests`` has those of whole files by name. ``batches`` were read then and come first;
    ``note`` hears of every batch that is read now, and of None at the end.
    """

    position: Position = field(default_factory=Position)
    digests: dict[str, int] = field(default_factory=dict)
    batches: Iterable[Batch] = ()
    note: Callable[[Batch | None], None] = field(default=lambda batch: None)

    def followed_by(self, rest: Iterator[Batch]) -> Iterator[Batch]:
        """The batches of before and the rest."""
        yield from self.batches
        for batch in rest:
            self.note(batch)
            yield batch
        self.note(None)


@dataclass
class Inputs:
    """The documents of files and folders; every pass yields the same ones in the same order.

    With ``must_be_read`` a whole pass ends with an error where `unread` has something to say; where
    they ``may_be_empty``, it has nothing to say of files without documents.
    ``named_files`` are the plain files that a caller has listed one by one, if these are all.
    Up to ``processes`` others are started for what holds Python's lock. Of sources that are read
    beside others, batches of up to ``ahead_bytes`` are held.
    """

    sources: list[Source]
    options: ReadOptions
    batch_bytes: int
    threads: int
    total_bytes: int
    processes: int = 1
    ahead_bytes: int = 64 << 20
    opening_faults: tuple[Fault, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    must_be_read: bool = False
    may_be_empty: bool = False
    reference_documents: int = 0
    named_files: Sequence[os.PathLike[str]] = ()
    tally: ReadTally = field(default_factory=ReadTally)
    repetition: Repetition = field(default_factory=Repetition)
    _meters: list[Meter] = field(default_factory=list)
    _bytes_before: int = 0
    _ledger: FileLedger | None = None
    _digests: dict[str, int] = field(default_factory=dict)
    _spools: list[TemporaryFile] = field(default_factory=list)
    _workers: Workers | None = None

    def __repr__(self) -> str:
        return f"Inputs({len(self.sources)} sources, {self.total_bytes:,} bytes)"

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass, as they are on the disk (packed or not)."""
        return self._bytes_before + sum(meter.bytes_read for meter in self._meters)

    @property
    def now_reading(self) -> str:
        """The name of the file that was opened last."""
        return next((meter.file for meter in reversed(self._meters) if meter.file), "")

    def batches(self, most: int | None = None, earlier: Earlier | None = None) -> Iterator[Batch]:
        """Stream all documents from the beginning, or those in the first ``most`` bytes or so.

        After an ``earlier`` pass only those behind it come: sources that are over are not opened,
        and in the one that it ended in a reader begins where it can, or reads and drops.
        """
        return self._with_workers(self._streamed(most, earlier or Earlier()))

    def _with_workers(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches of a pass, with processes at hand that end with it."""
        self._workers = workers = Workers(self.processes)
        means = self.threads, self.ahead_bytes, workers
        batches = as_compared(self.repetition, batches, self.options, *means)
        try:
            yield from batches
        finally:
            workers.close()
            if self._workers is workers:  # another pass may have begun
                self._workers = None

    def _streamed(self, most: int | None, earlier: Earlier) -> Iterator[Batch]:
        after, self.reference_documents, self.tally = earlier.position, 0, ReadTally()
        self._bytes_before, self._meters = self.bytes_before(after), []
        self._digests.update(earlier.digests)
        tally = self.tally
        fresh = self._of_sources(after, beside=most is None)
        for batch in earlier.followed_by(chain(self._of_opening(after), fresh)):
            source = self.sources[batch.end.source] if batch.end.source >= 0 else None
            tally.add(source, batch)
            if source is None:
                yield batch
                continue
            if source.is_reference:
                self.reference_documents += len(batch)
            if most is None and len(self.sources) == 1 and tally.lacks_text():
                said = self.unread() or ""
                raise ReadError("input", None, said.replace("none of the", "none of the first", 1))
            yield replace(batch, is_reference=source.is_reference)
            if most is not None and self.bytes_read >= most:
                return
        if tally.lacks_order(self.options):
            raise PlanError([no_order(self.options, field_names(map(self.job, self.sources)))])
        if self.must_be_read and (fault := self.unread()):
            raise ReadError("input", None, fault)

    def _of_opening(self, after: Position) -> Iterator[Batch]:
        """What was wrong, and what was passed over, when the sources were looked for."""
        if after.source < 0 and (self.opening_faults or self.passed_over):
            counts = Counter(file.reason for file in self.passed_over)
            yield empty_batch("input", self.opening_faults, counts)

    def _of_sources(self, after: Position, beside: bool) -> Iterator[Batch]:
        """The batches of all sources behind a position, several sources at a time if ``beside``."""
        self._noted()  # once, before there are threads
        first = max(after.source, 0)
        rest = self.sources[first:]
        reads = [
            partial(self._read, source, number, after if number == after.source else None)
            for number, source in enumerate(rest, first)
        ]
        if not beside or self.threads == 1 or len(rest) < 2:
            return chain.from_iterable(read() for read in reads)
        from twinset.system.lanes import Lane, one_after_another

        lanes = [Lane(read, file.unpacked_bytes) for read, file in zip(reads, rest, strict=True)]
        return one_after_another(lanes, self.threads, self.ahead_bytes, self.batch_bytes)

    def bytes_before(self, position: Position) -> int:
        """The bytes of the files before a position, as far as they need not be read again."""
        over = self.sources[: max(position.source, 0)]
        return sum(source.size or 0 for source in over) + (position.offset or 0)

    def unread(self) -> str | None:
        """What was wrong with the input as a whole in the last pass, and the remedy."""
        fault = self.tally.fault(self.options, [])
        if fault is None or (self.may_be_empty and self.tally.is_empty):
            return None
        names = field_names(map(self.job, self.sources))
        return self.tally.fault(self.options, self.fields(), names)

    def unread_files(self) -> dict[str, Any] | None:
        """The files of records of which nothing could be read in the last pass, and why."""
        return self.tally.files_without_text(self.options, map(self.job, self.sources))

    def fields(self) -> list[TextField]:
        """The fields of the records that hold text, by their first records."""
        return text_fields(map(self.job, self.sources))

    def only(self, source: Source) -> Iterator[Batch]:
        """Stream the documents of one of the sources."""
        yield from self._read(source)

    def job(self, source: Source) -> ReadJob:
        """The job of reading one of the sources."""
        faults = Faults(source.name, self.options.on_error)
        job = ReadJob(source, self.options, faults, self.batch_bytes, self.threads, Meter())
        if self.options.drops_repeated:
            job.repeated = self.repetition.lines
        job.workers, job.ahead_bytes = self._workers, self.ahead_bytes
        return job

    @property
    def known_digests(self) -> dict[str, int]:
        """The digests of the sources that were read so far, by name."""
        return dict(self._digests)

    def digests(self) -> dict[str, int]:
        """A 64-bit digest of every source, by name, after a full pass; not cryptographic."""
        missing: list[ReadJob] = []
        for source in self.sources:
            is_here = isinstance(source.path, Path)  # elsewhere the rest would have to be fetched
            if source.name not in self._digests and not source.files and is_here:
                missing.append(self.job(source))
        self._digests.update(digests_of(missing, self.threads))
        return dict(self._digests)

    def describe(self) -> list[dict[str, Any]]:
        """What was read, for the manifest: where from, as what, how much, and its digest."""
        digests = self.digests()
        return [
            source.described(f"{digests[source.name]:016x}" if source.name in digests else None)
            for source in self.sources
        ]

    def expect(self, digests: dict[str, int]) -> None:
        """Take these digests of an earlier pass, so that a change since then is reported."""
        self._digests.update(digests)

    def again(self) -> Rereading:
        """What is written: all sources but references, which are read first and stay."""
        sources = [source for source in self.sources if not source.is_reference]
        return Rereading(sources, self.job, self._digests)

    def _read(
        self,
        source: Source,
        number: int = -1,
        after: Position | None = None,
        lane: Lane[Batch] | None = None,
    ) -> Generator[Batch, None, None]:
        """The batches of a source behind ``after``, each with where it ends."""
        job = self.job(source)
        self._meters.append(job.meter)
        job.ledger, job.after, job.turn = self._noted(), after, lane
        skipped, count = 0 if after is None else after.batches, 0
        with closing(self._read_whole(job)) as batches:
            for batch in batches:
                if job.after is None:  # the reader has begun there
                    count = max(count, skipped)
                count += len(batch) > 0
                if count > skipped - (len(batch) == 0):
                    yield replace(batch, end=replace(batch.end, source=number, batches=count))

    def _read_whole(self, job: ReadJob) -> Generator[Batch, None, None]:
        source = job.source
        reader: FileFormat = spec.make("reader", source.reader)
        try:
            yield from map(job.with_pages, reader.read(job))
        except OSError as fault:
            job.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})")
        if job.faults or job.counts:
            yield empty_batch(source.name, job.faults.take(), job.take_counts())
        if job.digest is not None:
            self._digests[source.name] = job.digest

    def _noted(self) -> FileLedger:
        if self._ledger is None:
            self._ledger = FileLedger(source.states for source in self.sources)
        return self._ledger


def as_compared(
    known: Repetition,
    batches: Iterator[Batch],
    options: ReadOptions,
    threads: int = 1,
    most_bytes: int = 64 << 20,
    workers: Workers | None = None,
) -> Iterator[Batch]:
    """The batches of a pass without the lines of sites, and the boilerplate, that options say.

    Lines that are known already have been dropped where pages were cleaned.
    """
    if options.vectors is not None:
        batches = with_vectors(batches, options)
    if options.drops_repeated and known.lines is None:
        batches = _without_repeated(known, batches, threads, workers)
    if (most := options.boilerplate) is not None:
        from twinset.reading.held import without_boilerplate

        batches = without_boilerplate(known, batches, most, threads, most_bytes)
    return batches


def _without_repeated(
    known: Repetition, batches: Iterator[Batch], threads: int, workers: Workers | None
) -> Iterator[Batch]:
    for batch in batches:
        if len(batch.pages):
            from twinset.reading.held import without_repeated

            yield from without_repeated(known, chain([batch], batches), threads, workers)
            return
        yield batch


def open_inputs(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    batch_bytes: int = 32 << 20,
    threads: int = 2,
    processes: int = 1,
    ahead_bytes: int = 64 << 20,
    regular: bool = False,
) -> Inputs:
    """Files, globs, folders or ``-`` as documents; a missing path is an error at once.

    With ``regular`` pipes and devices are refused: for inputs that the user has not named.
    """
    options = options or ReadOptions()
    inputs = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    expansion = expand(inputs, options, regular, threads)
    sizes = [source.size for source in expansion.sources]
    total = sum(size for size in sizes if size is not None)
    if None in sizes:
        total = 0  # nobody knows how much there is, so no share of it is shown
    return Inputs(
        expansion.sources,
        options,
        batch_bytes,
        threads,
        total,
        processes,
        ahead_bytes,
        expansion.faults.take(),
        tuple(expansion.passed_over),
        _spools=expansion.spools,
    )
