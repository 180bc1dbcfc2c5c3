"""One source of documents and the job of reading it: where the bytes are, within which limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from twinset.model import Batch
from twinset.plan import ReadOptions
from twinset.reading.faults import Faults

if TYPE_CHECKING:
    from twinset.reading.fork import Fork


@dataclass(frozen=True, slots=True)
class Source:
    """A file of records, or the text files of one folder, as found before reading."""

    path: Path
    name: str
    reader: str
    compression: str | None
    size: int
    files: tuple[Path, ...] = ()
    is_spool: bool = False


@dataclass(slots=True)
class Meter:
    """Counts the bytes taken from the files (as they lie there, compressed or not)."""

    bytes_read: int = 0


@dataclass(slots=True)
class Job:
    """Everything a reader needs to know besides its own options."""

    source: Source
    options: ReadOptions
    faults: Faults
    batch_bytes: int = 32 << 20
    threads: int = 2
    meter: Meter = field(default_factory=Meter)
    digest: int | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def take_counts(self) -> dict[str, int]:
        """What was counted since the last call, for the next batch to carry off."""
        held, self.counts = dict(self.counts), Counter()
        return held

    @property
    def limit(self) -> int:
        """The largest record that is taken, in bytes."""
        return self.options.max_document_bytes


class Reader(Protocol):
    """A format: how its documents are read, and how its records are told apart to split a file."""

    suffixes: ClassVar[tuple[str, ...]]

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether a file with these first bytes is of this format."""
        ...

    def read(self, job: Job) -> Iterator[Batch]:
        """The documents of the source, batch by batch, always in the same order."""
        ...

    def split(self, job: Job, fork: Fork) -> None:
        """Hand every record, untouched and in order, to the fork."""
        ...
