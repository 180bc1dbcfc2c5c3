"""Lines of a plain file by ranges of bytes, which several threads read at the same time.

A line belongs to the range that it begins in, so that no range waits for the one before it: read in
order, a file would come more slowly than many threads can parse it. Only the digest goes from range
to range; the number of lines before a range is added up by whoever puts the ranges in order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from twinset._kernels import Digest, read_range
from twinset.model import Position
from twinset.reading.record_blocks import Buffer, RecordBlock, new_buffer
from twinset.reading.source import ReadJob
from twinset.reading.stream import bounds_of
from twinset.system.places import open_place
from twinset.system.threads import PATIENCE, go_on
from twinset.text.encoding import byte_order_mark

_LONGEST_MARK = 4
SHORT = 16
"""A range that is shorter than this part of a batch is not worth its handling."""


def _bounds(
    begin: int, end: int, step: int, batch: int, threads: Callable[[], int]
) -> Iterator[tuple[int, int]]:
    """The ranges in order, of ``step`` bytes at most; a batch of documents has so many bytes.

    For several threads the first and the last are short: all of them have something to do soon,
    and end at about the same time. How many threads there are is asked for every range: other
    files that are read at the same time see to that, too.
    """
    whole, number = end - begin, 0
    while begin < end:
        size = step
        if (shared := threads()) > 1:
            short = max(min(whole // (64 * shared), step // 4), batch // SHORT, 64)
            rising = short << min(2 * number // shared, 4)
            falling = (end - begin) // shared
            size = min(size, rising, max(falling, short))
        until = min(begin + size, end)
        yield begin, until
        number, begin = number + 1, until


class ByteRange(NamedTuple):
    """A range of a file, the ``number``-th of a pass."""

    number: int
    begin: int
    end: int


class RangeLines(NamedTuple):
    """The lines that begin in a range, and where a pass goes on behind it.

    Whoever parses the lines counts them: ``end`` has no ``records``.
    """

    block: RecordBlock
    end: Position


class LineRanges:
    """The lines of one plain file in UTF-8, behind a position where an earlier pass has ended."""

    def __init__(self, job: ReadJob, file: BinaryIO, mark: bytes, after: Position) -> None:
        self._job, self._file, self._step = job, file, max(job.block_bytes, 64)
        self._size = os.fstat(file.fileno()).st_size
        self._behind = max(256, min(1 << 16, self._step // 8))
        self._begin, self._first_line = after.offset or 0, 0
        self._digest = Digest()
        if after.offset is None:
            self._begin = self._first_line = len(mark)
            self._digest.update(np.frombuffer(mark, np.uint8))
        else:
            self._digest = Digest.of_state(np.frombuffer(after.digest, np.uint8))
        # one for each range, so that whoever is done wakes the next one and nobody else
        self._turns: dict[int, threading.Event] = {}
        self._turn_of(0).set()
        self._is_short = False

    def ranges(self) -> Iterator[ByteRange]:
        """The ranges in order."""
        job = self._job
        bounds = _bounds(
            self._begin, self._size, self._step, job.batch_bytes, lambda: job.own_threads
        )
        return (ByteRange(number, begin, end) for number, (begin, end) in enumerate(bounds))

    def lines(self, place: ByteRange) -> RangeLines:
        """The lines of a range."""
        # The byte before tells whether a line begins with the range.
        before = 0 if place.begin == self._first_line else 1
        inside = before + place.end - place.begin
        buffer: Buffer = bytearray()
        start = stop = 0
        try:
            buffer, start, stop = self._read(place.begin - before, inside, before == 1)
            self._is_short |= stop < inside
        finally:  # also where it cannot be read: others wait for their turn
            bytes_of_range = np.frombuffer(buffer, np.uint8)[before : min(inside, stop)]
            state = self._digested(place.number, bytes_of_range)
        data = np.frombuffer(buffer, np.uint8)[start:stop]
        return RangeLines(RecordBlock(data), _behind(place, state))

    def finish(self) -> None:
        """All ranges were read: the job learns the digest, and whether less came than there was."""
        self._job.digest = self._digest.value()
        if self._is_short:
            detail = f"the file had {self._size:,} bytes and became shorter while it was read"
            self._job.faults.add(None, "truncated", detail)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, begin: int, inside: int, has_byte_before: bool) -> tuple[Buffer, int, int]:
        """The bytes of a range and of the line that goes on behind it; where its lines lie therein.

        Of a line that is longer than the limit no more is read than shows this, and nothing behind
        a range in which no line begins.
        """
        size = inside + self._behind
        buffer = new_buffer(size)
        have = self._fill(buffer, begin, 0, size)
        start = 0
        if has_byte_before:
            start = buffer.find(b"\n", 0, min(inside - 1, have)) + 1
            if not start:
                return buffer, min(inside, have), min(inside, have)
        while (at := buffer.find(b"\n", inside - 1, have)) < 0 and have == size:
            if have - inside > self._job.limit:
                return buffer, start, have
            size = min(2 * size, inside + self._job.limit + 2)
            if size > len(buffer):
                grown = new_buffer(size)
                grown[:have] = buffer[:have]
                buffer = grown
            have += self._fill(buffer, begin, have, size)
        return buffer, start, have if at < 0 else at + 1

    def _fill(self, buffer: Buffer, begin: int, have: int, size: int) -> int:
        """Read what stands behind ``begin`` from the ``have``-th byte on, up to ``size``."""
        room = np.frombuffer(buffer, np.uint8)[have:size]
        return read_range(self._file.fileno(), begin + have, room, 1)

    def _digested(self, number: int, data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> bytes:
        """Digest the bytes of a range after those of the ranges before; the state behind them."""
        while not self._turn_of(number).wait(PATIENCE):
            go_on()  # whoever stops early may leave out a range
        try:
            self._digest.update(data)
            return self._digest.state().tobytes()
        finally:
            del self._turns[number]
            self._turn_of(number + 1).set()

    def _turn_of(self, number: int) -> threading.Event:
        """What is set when all ranges before this one are digested."""
        return self._turns.setdefault(number, threading.Event())


def _behind(place: ByteRange, state: bytes) -> Position:
    return Position(offset=place.end, digest=state, digested=place.end)


def open_ranges(job: ReadJob, after: Position) -> LineRanges | None:
    """The lines of a source by ranges; None where it is packed, elsewhere, or not in UTF-8."""
    source = job.source
    if source.compression is not None or not isinstance(source.path, Path):
        return None
    file = open_place(source.path, bounds_of(job))
    try:
        mark, encoding = byte_order_mark(file.read(_LONGEST_MARK)) or (b"", "utf-8")
    except OSError:
        file.close()
        raise
    if encoding != "utf-8":
        file.close()
        return None
    if not source.is_spool:
        job.meter.file = os.fsencode(source.path.name).decode("utf-8", "replace")
    return LineRanges(job, file, mark, after)
