"""Files as documents: opens what the user names and streams it as often as it is asked to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from twinset import spec
from twinset.errors import ReadError
from twinset.model import Batch, Fault
from twinset.plan import ReadOptions
from twinset.reading.expand import PassedOver, expand
from twinset.reading.faults import Faults
from twinset.reading.fields import Field, text_fields
from twinset.reading.opening import digest_of
from twinset.reading.rows import empty_batch
from twinset.reading.source import Job, Meter, Reader, Source
from twinset.reading.unread import Tally
from twinset.system.temporary import TemporaryFile


@dataclass
class Inputs:
    """The documents of files and folders; every pass yields the same ones in the same order.

    With ``must_be_read`` a whole pass ends with an error where `unread` has something to say.
    """

    sources: list[Source]
    options: ReadOptions
    batch_bytes: int
    threads: int
    total_bytes: int
    opening_faults: tuple[Fault, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    must_be_read: bool = False
    tally: Tally = field(default_factory=Tally)
    _meter: Meter = field(default_factory=Meter)
    _digests: dict[str, int] = field(default_factory=dict)
    _spools: list[TemporaryFile] = field(default_factory=list)

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass, as they lie there (packed or not)."""
        return self._meter.bytes_read

    def batches(self) -> Iterator[Batch]:
        """Stream all documents from the beginning."""
        self._meter.bytes_read = 0
        tally = self.tally = Tally()
        if self.opening_faults or self.passed_over:
            counts = Counter(file.reason for file in self.passed_over)
            batch = empty_batch("input", self.opening_faults, counts)
            tally.add(None, batch)
            yield batch
        for source in self.sources:
            for batch in self._read(source):
                tally.add(source, batch)
                yield batch
        if self.must_be_read and (fault := self.unread()):
            raise ReadError("input", None, fault)

    def unread(self) -> str | None:
        """What was wrong with the input as a whole in the last pass, and the remedy."""
        if self.tally.fault(self.options, []) is None:
            return None
        return self.tally.fault(self.options, self.fields())

    def fields(self) -> list[Field]:
        """The fields of the records that hold text, by their first records."""
        return text_fields(map(self.job, self.sources))

    def only(self, source: Source) -> Iterator[Batch]:
        """Stream the documents of one of the sources."""
        yield from self._read(source)

    def job(self, source: Source) -> Job:
        """The job of reading one of the sources."""
        faults = Faults(source.name, self.options.on_error)
        return Job(source, self.options, faults, self.batch_bytes, self.threads, self._meter)

    def digests(self) -> dict[str, int]:
        """A 64-bit digest of every source, by name, after a full pass; not cryptographic."""
        for source in self.sources:
            if source.name not in self._digests and not source.files:
                with suppress(OSError):  # unreadable: told as a fault when it was read
                    self._digests[source.name] = digest_of(self.job(source))
        return dict(self._digests)

    def describe(self) -> list[dict[str, Any]]:
        """What was read, for the manifest: where from, as what, how much, and its digest."""
        digests = self.digests()
        return [
            {
                "source": source.name,
                "path": str(source.path.absolute()),
                "reader": source.reader,
                "compression": source.compression,
                "bytes": source.size,
                "digest": f"{digests[source.name]:016x}" if source.name in digests else None,
            }
            for source in self.sources
        ]

    def expect(self, digests: dict[str, int]) -> None:
        """Take these for the digests of an earlier pass, so that a change since then is told."""
        self._digests.update(digests)

    def known_digest(self, source: Source) -> int | None:
        """The digest of a source as the last pass found it."""
        return self._digests.get(source.name)

    def _read(self, source: Source) -> Iterator[Batch]:
        job = self.job(source)
        reader: Reader = spec.make("reader", source.reader)
        try:
            yield from reader.read(job)
        except OSError as fault:
            job.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})")
        if job.faults or job.counts:
            yield empty_batch(source.name, job.faults.take(), job.take_counts())
        if job.digest is not None:
            self._digests[source.name] = job.digest


def open_inputs(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    batch_bytes: int = 32 << 20,
    threads: int = 2,
    regular: bool = False,
) -> Inputs:
    """Any number of files, globs, folders or ``-`` as documents; a missing path is told at once.

    With ``regular`` pipes and devices are refused: for inputs that the user has not named.
    """
    options = options or ReadOptions()
    inputs = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    found = expand(inputs, options.on_error, options.within, options.text, regular)
    total = sum(source.size for source in found.sources)
    return Inputs(
        found.sources,
        options,
        batch_bytes,
        threads,
        total,
        found.faults.take(),
        tuple(found.passed_over),
        _spools=found.spools,
    )
