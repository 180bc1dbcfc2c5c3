"""A stream cut into blocks that end where a record ends, and blocks cut into single records.

Kernels cut lines and CSV rows, a block at a time; `read_records` and `write_records` serve formats
whose records Python cuts one by one (ROMIP, WARC).
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from twinset.lazy_dataclass import dataclass
from twinset.model import Batch
from twinset.model.outcomes import Outcomes
from twinset.reading.batches import BatchBuilder
from twinset.reading.output.decisions import OTHER, ROW
from twinset.reading.source import ReadJob
from twinset.reading.stream import ByteStream

if TYPE_CHECKING:
    from twinset.reading.output.notes import Note
    from twinset.reading.output.records import RecordWriter
    from twinset.reading.rows.block import FieldRows
    from twinset.reading.rows.record import Record

Bytes = NDArray[np.uint8]
Buffer = bytearray | mmap.mmap
_LARGE = 1 << 20
# Whole records; or the pieces of one record that is larger than the limit.
Part = Literal["whole", "first", "middle", "last"]
# (buffer, n) -> where the last complete record in the first n bytes ends; 0 when none is complete.
LastEnd = Callable[[Buffer, int], int]


class Buffers:
    """Memory for blocks that are worked on beside each other, used again once it is given back.

    Fresh memory costs the system more than reading a file into it.
    """

    def __init__(self) -> None:
        self._free: list[Buffer] = []

    def take(self, size: int) -> Buffer:
        """A buffer of this size."""
        while self._free:
            if len(buffer := self._free.pop()) == size:
                return buffer
        if size < _LARGE:
            return bytearray(size)
        # A large bytearray would be cleared while all threads wait for Python's lock.
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if (large_pages := getattr(mmap, "MADV_HUGEPAGE", None)) is not None:
            with suppress(OSError):  # where the system has none
                memory.madvise(large_pages)
        return memory

    def give_back(self, block: RecordBlock) -> None:
        """Nobody looks at this block any more."""
        if block.buffer is not None:
            self._free.append(block.buffer)

    def lend(self, size: int) -> Bytes:
        """A buffer as an array, which comes back when the array and all views of it are gone."""
        buffer = self.take(size)
        array = np.frombuffer(buffer, dtype=np.uint8)
        weakref.finalize(array, self._free.append, buffer).atexit = False
        return array


@dataclass(frozen=True, slots=True)
class RecordBlock:
    """Bytes that are valid until the next block is asked for or, in a ``buffer``, given back."""

    data: Bytes
    part: Part = "whole"
    buffer: Buffer | None = None


def line_blocks(
    stream: ByteStream, batch_bytes: int, limit: int, buffers: Buffers | None = None
) -> Iterator[RecordBlock]:
    """Blocks of whole lines."""
    return marked_blocks(stream, batch_bytes, limit, b"\n", buffers)


def marked_blocks(
    stream: ByteStream, batch_bytes: int, limit: int, mark: bytes, buffers: Buffers | None = None
) -> Iterator[RecordBlock]:
    """Blocks of whole records, each of which ends with a mark."""

    def last_end(buffer: Buffer, have: int) -> int:
        at = buffer.rfind(mark, 0, have)
        return at + len(mark) if at >= 0 else 0

    return record_blocks(stream, batch_bytes, limit, last_end, mark, buffers=buffers)


def record_blocks(
    stream: ByteStream,
    batch_bytes: int,
    limit: int,
    last_end: LastEnd,
    mark: bytes = b"\n",
    mark_leads: bool = False,
    buffers: Buffers | None = None,
) -> Iterator[RecordBlock]:
    """Blocks of about ``batch_bytes`` that end at record ends, larger only where one record is.

    A record beyond ``limit`` bytes comes in pieces called first, middle and last, and ends at
    the next mark (behind it, or before it where marks begin records). What follows the last
    record end of the stream is part of the last block. With ``buffers`` each block has one of its
    own, so that several blocks can be held at a time.
    """
    # no larger than the limit, or the size of the batches would decide what counts as too long
    usual = max(min(batch_bytes, limit), 64)
    new: Callable[[int], Buffer] = bytearray if buffers is None else buffers.take
    buffer, have = new(usual), 0
    ended = endless = False
    while True:
        if not ended:
            with memoryview(buffer) as view:
                count = stream.readinto(view[have:])
            ended = count < len(buffer) - have
            have += count
        if have == 0:
            return
        if endless:
            used, part = _rest_of_endless(buffer, have, ended, mark, mark_leads)
        else:
            used, part = have if ended else last_end(buffer, have), "whole"
            if used == 0 and len(buffer) <= limit:
                buffer = _moved(buffer, 0, have, new(min(2 * len(buffer), limit + 1)))
                continue
            if used == 0:
                used, part = have, "first"
        if part == "first":
            used -= len(mark) - 1  # the mark may begin in this piece and end in the next
        data = np.frombuffer(buffer, dtype=np.uint8, count=used)
        yield RecordBlock(data, part, None if buffers is None else buffer)
        endless = part in ("first", "middle")
        size = max(usual, have - used)
        fits = buffers is None and len(buffer) == size
        buffer = _moved(buffer, used, have, buffer if fits else new(size))
        have -= used


def _rest_of_endless(
    buffer: Buffer, have: int, ended: bool, mark: bytes, mark_leads: bool
) -> tuple[int, Part]:
    at = buffer.find(mark, 0, have)
    if at >= 0:
        return (at if mark_leads else at + len(mark)), "last"
    return (have, "last") if ended else (have - (len(mark) - 1), "middle")


def _moved(buffer: Buffer, begin: int, end: int, to: Buffer) -> Buffer:
    """The bytes from begin to end at the front of another buffer, or of the same one."""
    with memoryview(buffer) as view, memoryview(to) as room:
        room[: end - begin] = bytes(view[begin:end]) if to is buffer else view[begin:end]
    return to


@dataclass(frozen=True, slots=True)
class RawRecord:
    """Bytes of the input that belong together, and what they are (`ROW`, `FRAME` or `OTHER`)."""

    raw: bytes
    kind: int
    fault: tuple[str, str] | None = None  # kind and detail of what is wrong with it as a record
    counted: str | None = None  # the name it is counted by, where it is passed over


# The parts of a document: its id, its text, its number for ordering, and what `ReadJob.raw` says.
Parsed = tuple[str | None, str | None, float, bytes | None]


def read_records(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    parse: Callable[[bytes, int], Parsed],
) -> Iterator[Batch]:
    """A batch for every block; ``parse`` makes a document of a piece and its number from 1."""
    place = 0
    for block in blocks:
        rows = BatchBuilder()
        for piece in _pieces(job, block, cut):
            place += piece.kind == ROW
            if piece.counted:
                job.counts[piece.counted] += 1
            if piece.fault:
                job.faults.add(place or None, *piece.fault)
            if piece.kind == ROW:
                refused = piece.fault is not None and piece.fault[0] == "too-long"
                id, text, order, raw = _NOTHING if refused else parse(piece.raw, place)
                rows.add(id, text, place, order, raw)
        if len(rows) or job.faults or job.counts:
            yield rows.batch(job)


def write_records(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    out: RecordWriter,
    annotated: Callable[[bytes, Note], bytes],
) -> None:
    """Hand every piece to the outputs as it is; ``annotated`` adds what was decided on it."""
    for block in blocks:
        if block.part in ("middle", "last"):
            out.more(block.data)
            continue
        for piece in _pieces(job, block, cut):
            is_whole = piece.kind == ROW and not (piece.fault and piece.fault[0] == "too-long")
            annotate = partial(_noted, annotated, piece) if is_whole else None
            out.record(piece.raw, piece.kind, annotate)


def _noted(
    annotated: Callable[[bytes, Note], bytes], piece: RawRecord, outcomes: Outcomes
) -> list[bytes]:
    from twinset.reading.output.notes import notes_of

    return [annotated(piece.raw, next(notes_of(outcomes)))]


def record_rows(
    job: ReadJob,
    blocks: Iterator[RecordBlock],
    cut: Callable[[bytes], Iterator[RawRecord]],
    fields: Callable[[bytes, int], Record | None],
) -> Iterator[FieldRows]:
    """The documents as rows; ``fields`` makes one of a piece and its number, None without text."""
    from twinset.reading.rows.block import FieldRows

    place, is_row = 0, False
    for block in blocks:
        if block.part in ("middle", "last"):
            yield FieldRows([], more=block.data.tobytes() if is_row else b"")
            continue
        rows: list[Record | None] = []
        unread: dict[int, bytes] = {}
        for piece in _pieces(job, block, cut):
            is_row = piece.kind == ROW
            if not is_row:
                continue
            place += 1
            refused = piece.fault is not None and piece.fault[0] == "too-long"
            record = None if refused else fields(piece.raw, place)
            if record is None:
                unread[len(rows)] = piece.raw
            rows.append(record)
        yield FieldRows(rows, unread)


_NOTHING: Parsed = (None, None, float("nan"), None)


def _pieces(
    job: ReadJob, block: RecordBlock, cut: Callable[[bytes], Iterator[RawRecord]]
) -> Iterator[RawRecord]:
    if block.part == "whole":
        for piece in cut(block.data.tobytes()):
            yield (
                piece
                if len(piece.raw) <= job.limit or piece.kind != ROW
                else _refused(job, piece.raw)
            )
    elif block.part == "first":
        yield _refused(job, block.data.tobytes())
    else:
        yield RawRecord(b"", OTHER)


def _refused(job: ReadJob, raw: bytes) -> RawRecord:
    return RawRecord(raw, ROW, ("too-long", f"the record is longer than {job.limit:,} bytes"))
