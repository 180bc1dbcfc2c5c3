"""One source of documents and the job of reading it: where the bytes are, within which limits."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

import numpy as np

from twinset import _kernels
from twinset.model import Batch, Position
from twinset.plan import ReadOptions
from twinset.reading.faults import Faults
from twinset.reading.ledger import NO_STATES, FileLedger, FileStates
from twinset.system.processes import Workers
from twinset.system.remote import Place
from twinset.system.threads import in_order

if TYPE_CHECKING:
    from twinset.text.repeated import RepeatedLines

Content = TypeVar("Content")
Item = TypeVar("Item")
Parsed = TypeVar("Parsed")
_USUAL_RATIO = 4  # of texts
PARTS_APART = 1 << 32
"""The places of the documents of one file differ by so much: the n-th file and its parts have the
places n, n + 2^32, n + 2 * 2^32, ..."""


@dataclass(frozen=True, slots=True)
class LocalFiles(Sequence[Place]):
    """Files of this machine by their names; a path is made when one is asked for."""

    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> Place: ...

    @overload
    def __getitem__(self, at: slice) -> LocalFiles: ...

    def __getitem__(self, at: int | slice) -> Place | LocalFiles:
        return LocalFiles(self.names[at]) if isinstance(at, slice) else Path(self.names[at])


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
    files: Sequence[Place] = ()
    is_spool: bool = False
    states: FileStates = field(default=NO_STATES, compare=False)
    is_reference: bool = False

    @property
    def unpacked_bytes(self) -> int:
        """How much it may hold, guessed from its size."""
        is_packed = self.compression is not None or self.reader == "parquet"
        return (self.size or 0) * (_USUAL_RATIO if is_packed else 1)

    def file_at(self, place: int) -> str | None:
        """The file of a folder that has this place; None where places are lines or rows."""
        return str(self.files[place % PARTS_APART - 1]) if self.files else None

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


@dataclass(slots=True, eq=False)
class Meter:
    """Counts the bytes taken from the files (as they are on the disk, compressed or not).

    ``file`` is the name of the file that was opened last.
    """

    bytes_read: int = 0
    file: str = ""


class Turn(Protocol):
    """Says whether the batches of a job are being used, or held until earlier ones are.

    ``running`` is how many jobs are worked on at a time.
    """

    has_turn: bool
    running: int


@dataclass(slots=True)
class ReadJob:
    """Everything a reader needs to know besides its own options.

    ``repeated`` are the lines to drop from pages; while they are not known, ``pages`` collects the
    places of the pages. Where there is a ``ledger``, plain files are noted there. ``after`` is
    where an earlier pass ended; a reader that can begin there takes it (`take_after`), for others
    the batches before it are read again and dropped. What holds Python's lock is left to
    ``workers``, if there are any. Where several sources are read at a time, ``turn`` says whose
    batches are being used; up to ``ahead_bytes`` are held of what comes later.
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
    turn: Turn | None = None
    ahead_bytes: int = 64 << 20

    def ahead(self, threads: int) -> int:
        """How many blocks may be on their way at the same time, where so many threads work."""
        if self.turn is None:
            return threads + 2
        share = max((threads + 2) // self.turn.running, 1)
        return share if self.turn.has_turn else min(share, 2)

    def side_by_side(
        self, parse: Callable[[Item], Parsed], items: Iterator[Item]
    ) -> Generator[Parsed, None, None]:
        """What is parsed of the items, in order, by a third of the threads.

        What comes after parsing takes three times as long and needs the others.
        """
        threads = (self.threads + 2) // 3
        ahead, flag = partial(self.ahead, threads), _kernels.StopFlag()
        return in_order(parse, items, threads, ahead=ahead, flag=flag)

    def take_after(self) -> Position | None:
        """Where to begin, from a reader that does; None is the beginning of the source."""
        after, self.after = self.after, None
        return after

    def apart(self) -> ReadJob:
        """The same job with faults, counts and pages of its own, for a part worked on beside it."""
        return dataclasses.replace(self, faults=self.faults.apart(), counts=Counter(), pages=[])

    def quiet(self) -> ReadJob:
        """The same job once more, whose faults were reported before."""
        return dataclasses.replace(self, faults=Faults(self.source.name, "skip"))

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
    def block_bytes(self) -> int:
        """How much is read at a time: a batch, or all of a file that holds less than one."""
        if self.source.size is None:
            return self.batch_bytes
        usual = 2 if self.source.compression else 1
        return min(self.batch_bytes, usual * self.source.unpacked_bytes + 64)

    @property
    def limit(self) -> int:
        """The largest record that is read, in bytes."""
        return self.options.max_document_bytes
