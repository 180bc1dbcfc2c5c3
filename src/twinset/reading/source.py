"""One source of documents and the job of reading it: where the bytes are, within which limits."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from twinset.model import Batch, Position
from twinset.plan import ReadOptions
from twinset.reading.faults import Faults
from twinset.reading.ledger import FileLedger, FileState
from twinset.system.processes import Workers
from twinset.system.remote import Place

if TYPE_CHECKING:
    from twinset.text.repeated import RepeatedLines

Content = TypeVar("Content")
PARTS_APART = 1 << 32
"""The places of the documents of one file differ by so much: the n-th file and its parts have the
places n, n + 2^32, n + 2 * 2^32, ..."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of records, or the text files of one folder, before it is read.

    ``states`` has a row for each plain file, of a folder or the only one. ``size`` is None where a
    web server does not say it.
    """

    path: Place
    name: str
    reader: str
    compression: str | None
    size: int | None
    files: tuple[Place, ...] = ()
    is_spool: bool = False
    states: tuple[FileState, ...] = ()
    is_reference: bool = False

    def described(self, digest: str | None) -> dict[str, Any]:
        """Where it is, as what it is read and how large it is, for the manifest."""
        return {
            "source": self.name,
            "path": str(self.path.absolute()),
            "reader": self.reader,
            "compression": self.compression,
            "bytes": self.size,
            "digest": digest,
            **({"reference": True} if self.is_reference else {}),
        }


class FileShape(NamedTuple):
    """What files of one kind must have in common to be joined; the encoding of ASCII is None."""

    columns: str
    encoding: str | None = None


@dataclass(slots=True)
class Meter:
    """Counts the bytes taken from the files (as they are on the disk, compressed or not).

    ``file`` is the name of the file that was opened last.
    """

    bytes_read: int = 0
    file: str = ""


@dataclass(slots=True)
class ReadJob:
    """Everything a reader needs to know besides its own options.

    ``repeated`` are the lines to drop from pages; while they are not known, ``pages`` collects the
    places of the pages. Where there is a ``ledger``, plain files are noted there. ``after`` is
    where an earlier pass ended; a reader that can begin there takes it (`take_after`), for others
    the batches before it are read again and dropped. What holds Python's lock is left to
    ``workers``, if there are any.
    """

    source: Source
    options: ReadOptions
    faults: Faults
    batch_bytes: int = 32 << 20
    threads: int = 2
    meter: Meter = field(default_factory=Meter)
    digest: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
    repeated: RepeatedLines | None = None
    pages: list[int] = field(default_factory=list)
    ledger: FileLedger | None = None
    after: Position | None = None
    workers: Workers | None = None

    def take_after(self) -> Position | None:
        """Where to begin, from a reader that does; None is the beginning of the source."""
        after, self.after = self.after, None
        return after

    def apart(self) -> ReadJob:
        """The same job with faults, counts and pages of its own, for a part worked on beside it."""
        return dataclasses.replace(self, faults=self.faults.apart(), counts=Counter(), pages=[])

    def take_counts(self) -> dict[str, int]:
        """What was counted since the last call, for the next batch."""
        counts, self.counts = dict(self.counts), Counter()
        return counts

    def with_pages(self, batch: Batch) -> Batch:
        """The batch with the rows of its pages, as far as these are still to be trimmed."""
        if not self.pages:
            return batch
        places, self.pages = self.pages, []
        return dataclasses.replace(batch, pages=np.flatnonzero(np.isin(batch.places, places)))

    def raw(self, content: Content) -> Content | None:
        """What a text is made of, to be kept in the batch; None unless the plan asks for it."""
        return content if self.options.raw else None

    @property
    def limit(self) -> int:
        """The largest record that is read, in bytes."""
        return self.options.max_document_bytes
