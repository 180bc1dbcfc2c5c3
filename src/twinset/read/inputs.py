"""Files as documents: opens what the user names and streams it as often as it is asked to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from twinset import registry
from twinset.model import Batch, Fault
from twinset.plan import ReadOptions
from twinset.read.expand import expand
from twinset.read.faults import Faults
from twinset.read.opening import digest_of
from twinset.read.rows import empty_batch
from twinset.read.source import Job, Meter, Reader, Source


@dataclass
class Inputs:
    """The documents of files and folders; every pass yields the same ones in the same order."""

    sources: list[Source]
    options: ReadOptions
    batch_bytes: int
    threads: int
    total_bytes: int
    opening_faults: tuple[Fault, ...] = ()
    _meter: Meter = field(default_factory=Meter)
    _digests: dict[str, int] = field(default_factory=dict)
    _spools: list[IO[bytes]] = field(default_factory=list)

    @property
    def bytes_read(self) -> int:
        """Bytes taken from the files in this pass, as they lie there (packed or not)."""
        return self._meter.bytes_read

    def batches(self) -> Iterator[Batch]:
        """Stream all documents from the beginning."""
        self._meter.bytes_read = 0
        if self.opening_faults:
            yield empty_batch("input", self.opening_faults)
        for source in self.sources:
            yield from self._read(source)

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
        reader: Reader = registry.make("reader", source.reader)
        try:
            yield from reader.read(job)
        except OSError as fault:
            job.faults.add(None, "unreadable", f"cannot be read ({fault.strerror or fault})")
        if job.faults:
            yield empty_batch(source.name, job.faults.take())
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
    found = expand(inputs, options.on_error, options.within, regular)
    total = sum(source.size for source in found.sources)
    return Inputs(
        found.sources,
        options,
        batch_bytes,
        threads,
        total,
        found.faults.take(),
        _spools=found.spools,
    )
