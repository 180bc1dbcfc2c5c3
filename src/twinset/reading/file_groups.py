"""Plain files of a folder in groups: how they are cut, read, and put together.

The cuts depend on the files and the size of a batch alone, so that a run can be resumed on another
machine. A kernel reads many files at a time of what is certainly text in UTF-8, of which careful
reading would give the same text, faults and digests; the others are left to that, by other
processes where it pays.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from twinset import _kernels
from twinset.documents.base import NOTED
from twinset.model import Batch, FileFacts, Ints
from twinset.model.columns import column
from twinset.model.files import DIGEST_BYTES
from twinset.plan import ReadOptions
from twinset.reading.arrays import Packing, byte_strings, string_array
from twinset.reading.batches import no_floats
from twinset.reading.content import GLIMPSE
from twinset.reading.ledger import NO_STATES, FileLedger, FileStates, absolute
from twinset.reading.signatures import PLAIN, TEXT_MARKS
from twinset.reading.source import PARTS_APART, LocalFiles, ReadJob, Source
from twinset.system.processes import Workers
from twinset.text.pages import HEAD, LEAST_CLOSED
from twinset.text.repeated import RepeatedLines

GROUP_BYTES, GROUP_FILES = 2 << 20, 1024
"""Of the files that are one batch, if they are plain texts."""
MOST_BYTES, MOST_FILES = 1 << 20, 256
"""Of the files that another process reads by one call."""
_COST = 1 << 13  # a file costs as much as so many bytes, whatever is in it


class FileGroup(NamedTuple):
    """Some files of a source by their numbers, in rising order.

    ``rivals`` are sizes that other files have, too.
    """

    numbers: tuple[int, ...]
    names: tuple[str, ...]
    states: FileStates
    rivals: frozenset[int] = frozenset()

    @property
    def bytes(self) -> int:
        """Of all its files."""
        return int(self.states.bytes.sum())

    def only(self, rows: Sequence[int]) -> FileGroup:
        """Some of its files."""
        numbers, names, states = self.numbers, self.names, self.states
        return FileGroup(
            tuple([numbers[row] for row in rows]),
            tuple([names[row] for row in rows]),
            states.take(np.array(rows, np.int64)),
            self.rivals,
        )

    def pieces(self) -> list[FileGroup]:
        """Its files, as many at a time as one call reads."""
        return [self.only(range(*cut)) for cut in cuts(self.states, MOST_BYTES, MOST_FILES)]

    def singles(self) -> list[FileGroup]:
        """Its files, each as a group of its own."""
        return [self.only([row]) for row in range(len(self.names))]


class ReadGroup(NamedTuple):
    """The documents of a group, and what each of its files adds to the digest of their source."""

    batches: list[Batch]
    digested: list[bytes]


class HowToRead(NamedTuple):
    """What is the same for all groups of a source."""

    source: Source
    options: ReadOptions
    repeated: RepeatedLines | None
    batch_bytes: int

    @classmethod
    def of(cls, job: ReadJob) -> HowToRead:
        """As a job says."""
        source = dataclasses.replace(job.source, files=(), states=NO_STATES)
        return cls(source, job.options, job.repeated, job.batch_bytes)


ReadFiles = Callable[[HowToRead, FileGroup], ReadGroup]


def can_be_grouped(job: ReadJob) -> bool:
    """Whether the source is a folder of this machine whose files are noted."""
    source = job.source
    if job.ledger is None or not source.files or not isinstance(source.path, Path):
        return False
    return len(source.states.bytes) == len(source.files)


def names_of(job: ReadJob) -> tuple[str, ...]:
    """The names of the files of a source."""
    files = job.source.files
    return files.names if isinstance(files, LocalFiles) else tuple(map(str, files))


def cost_of(states: FileStates) -> int:
    """The bytes that cost as much to work on as these files."""
    return int(states.bytes.sum()) + _COST * len(states.bytes)


def groups_of(job: ReadJob) -> Iterator[FileGroup]:
    """The files of a source, one group behind the other."""
    names, states = names_of(job), job.source.states
    for begin, end in cuts(states, min(job.batch_bytes, GROUP_BYTES), GROUP_FILES):
        yield FileGroup(
            tuple(range(begin + 1, end + 1)), names[begin:end], states.take(slice(begin, end))
        )


def cuts(states: FileStates, most_bytes: int, most_files: int) -> Iterator[tuple[int, int]]:
    """Where to begin and end so that none has more files, or more bytes unless it is one file."""
    first, size = 0, 0
    for number, more in enumerate(states.bytes.tolist()):
        if number - first == most_files or (number > first and size + more > most_bytes):
            yield first, number
            first, size = number, 0
        size += more
    if first < len(states.bytes):
        yield first, len(states.bytes)


def with_rivals(group: FileGroup, ledger: FileLedger) -> FileGroup:
    """The group that knows which of its sizes other files have."""
    rivals = filter(ledger.has_rival, group.states.bytes.tolist())
    return group._replace(rivals=frozenset(rivals))


def read_apart(
    how: HowToRead, group: FileGroup, workers: Workers, read: ReadFiles, failed: ReadFiles
) -> list[ReadGroup]:
    """The files of a group by other processes; ``failed`` stands for one that ends its process."""
    pieces, answers = group.pieces(), []
    for piece, answer in zip(
        pieces, workers.results(read, [(how, piece) for piece in pieces]), strict=True
    ):
        if answer is not None:
            answers.append(answer)
            continue
        singles = piece.singles()
        parts = workers.results(read, [(how, single) for single in singles])
        answers += [
            failed(how, single) if part is None else part
            for single, part in zip(singles, parts, strict=True)
        ]
    return answers


def merged(plain: Batch, others: Iterable[Batch], batch_bytes: int) -> Iterator[Batch]:
    """The documents of two kinds of files in the order of the files, about a batch at a time.

    Batches of no documents come at once.
    """
    done, size = 0, 0
    waiting: list[Batch] = []
    for other in others:
        if not len(other):
            yield other
            continue
        waiting.append(other)
        size += Packing.of(other.texts).size(np.arange(len(other)))
        if size >= batch_bytes:
            before = int(np.searchsorted(plain.places, other.places[-1] % PARTS_APART))
            yield _in_order_of_files([_taken(plain, np.arange(done, before)), *waiting])
            done, size, waiting = before, 0, []
    if not waiting and done == 0 and len(plain):
        yield plain
    elif waiting or done < len(plain):
        yield _in_order_of_files([_taken(plain, np.arange(done, len(plain))), *waiting])


def _in_order_of_files(batches: Sequence[Batch]) -> Batch:
    """One batch of several; the parts of a file stay one behind the other."""
    first, *_ = batches
    counts: Counter[str] = Counter()
    for batch in batches:
        counts.update(batch.counts)
    raw = [batch.raw for batch in batches if batch.raw is not None]
    order = [batch.order for batch in batches if batch.order is not None]
    whole = Batch(
        pa.concat_arrays([batch.ids for batch in batches]),
        pa.concat_arrays([batch.texts for batch in batches]),
        first.source,
        np.concatenate([batch.places for batch in batches]),
        np.concatenate(order) if order else None,
        tuple(fault for batch in batches for fault in batch.faults),
        dict(counts),
        pa.concat_arrays(raw) if raw else None,
        files=FileFacts.joined([batch.files or len(batch) for batch in batches]),
    )
    pages = np.concatenate([batch.places[batch.pages] for batch in batches])
    whole = _taken(whole, np.argsort(whole.places % PARTS_APART, kind="stable"))
    return dataclasses.replace(whole, pages=np.flatnonzero(np.isin(whole.places, pages)))


def _taken(batch: Batch, rows: Ints) -> Batch:
    places = column(rows)
    return dataclasses.replace(
        batch,
        ids=batch.ids.take(places),
        texts=batch.texts.take(places),
        places=batch.places[rows],
        order=None if batch.order is None else batch.order[rows],
        raw=None if batch.raw is None else batch.raw.take(places),
        files=None if batch.files is None else batch.files.take(rows),
    )


_SUFFIXES = frozenset(PLAIN) - frozenset(NOTED)
_MARKS = np.frombuffer(b"".join(mark + b"\0" for mark in TEXT_MARKS), np.uint8)
_MOST_UTF8 = 4  # bytes of a character


class PlainTexts(NamedTuple):
    """The plain texts of a group, what they add to the digest of the source, and the other files.

    ``bytes`` are those that the files of the texts had before they were read.
    """

    batch: Batch
    digested: list[bytes]
    bytes: int
    rest: FileGroup


def is_named_plain(name: str) -> bool:
    """Whether a file of this name may be a plain text, without signs of any notation."""
    dot = name.rfind(".")
    return name[dot:].lower() in _SUFFIXES and name[dot - 1 : dot] != os.sep


def _reads_all_with_care(job: ReadJob) -> bool:
    """Whether files must lie within folders, or are to be cleaned whatever they hold."""
    return bool(job.options.within) or job.options.html == "yes"


def read_plain(job: ReadJob, group: FileGroup) -> PlainTexts:
    """The plain texts of a group as one batch, and what is left."""
    folder = str(job.source.path)
    above = os.path.join("" if folder == os.curdir else folder, "")
    limit = min(job.limit, GLIMPSE)
    rows = _tried(job, group, above, limit)
    chosen = group.names if len(rows) == len(group.names) else [group.names[row] for row in rows]
    room = int(group.states.bytes[rows].sum())
    names = os.fsencode("".join([f"{name}\0" for name in chosen]))
    data, offsets, is_plain, digests, contents = _kernels.plain_files(
        np.frombuffer(names, np.uint8), room, limit, _MARKS, _MOST_UTF8 * HEAD, LEAST_CLOSED
    )
    plain = np.flatnonzero(is_plain)
    taken = rows[plain]
    cut = len(os.fsencode(above))
    every = names.split(b"\0")
    below = [every[at][cut:] for at in plain.tolist()]
    ids = _as_utf8(below)
    front = os.path.join(absolute(job.source.path), b"")
    states = group.states.take(taken)
    count, valid = len(taken), np.ones(len(taken), bool)
    ends = np.append(0, offsets[plain + 1])
    texts = string_array(pa.large_string(), data, ends, valid)
    batch = Batch(
        byte_strings(ids, pa.string()),
        texts,
        job.source.name,
        np.array(group.numbers, np.int64)[taken],
        no_floats(count) if job.options.order else None,
        raw=texts.view(pa.large_binary()) if job.options.raw else None,
        files=FileFacts(
            byte_strings([front + name for name in below], pa.large_binary()),
            pa.nulls(count, pa.string()),
            states.bytes,
            states.modified,
            string_array(
                pa.binary(), contents[plain].ravel(), DIGEST_BYTES * np.arange(count + 1), valid
            ),
            np.zeros(count, bool),
        ),
    )
    digested = [
        b"%b\0%d\0" % (id, digest) for id, digest in zip(ids, digests[plain].tolist(), strict=True)
    ]
    is_left = np.ones(len(group.names), bool)
    is_left[taken] = False
    rest = group.only(np.flatnonzero(is_left).tolist())
    return PlainTexts(batch, digested, int(states.bytes.sum()), rest)


def _tried(job: ReadJob, group: FileGroup, above: str, limit: int) -> Ints:
    """The rows of the files that may be plain texts: by their names, place and size."""
    names = group.names
    if _reads_all_with_care(job) or not names:
        return np.empty(0, np.int64)
    is_plain = [is_named_plain(name) and name.startswith(above) for name in names]
    return np.flatnonzero(is_plain & (group.states.bytes <= limit))


def _as_utf8(names: Sequence[bytes]) -> Sequence[bytes]:
    """The names with U+FFFD for what is no UTF-8, which is seldom there."""
    try:
        b"\0".join(names).decode()
    except UnicodeDecodeError:
        return [name.decode("utf-8", "replace").encode() for name in names]
    return names


def digested_with(plain: PlainTexts, notes: Sequence[bytes]) -> bytes:
    """What all files of a group add to the digest, in order; ``notes`` are those on the others."""
    if not notes:
        return b"".join(plain.digested)
    by_number = dict(zip(plain.batch.places.tolist(), plain.digested, strict=True))
    by_number.update(zip(plain.rest.numbers, notes, strict=True))
    return b"".join([by_number[number] for number in sorted(by_number)])
