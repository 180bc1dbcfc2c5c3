"""A stream cut into blocks of bytes that end where a record ends."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset.reading.stream import ByteStream

Bytes = NDArray[np.uint8]
Buffer = bytearray | mmap.mmap
_LARGE = 1 << 20
# Whole records; or the pieces of one record that is larger than the limit.
Part = Literal["whole", "first", "middle", "last"]
# (buffer, n) -> where the last complete record in the first n bytes ends; 0 when none is complete.
LastEnd = Callable[[Buffer, int], int]


def new_buffer(size: int) -> Buffer:
    """Memory for a block."""
    if size < _LARGE:
        return bytearray(size)
    # A large bytearray would be cleared while all threads wait for Python's lock.
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if (large_pages := getattr(mmap, "MADV_HUGEPAGE", None)) is not None:
        with suppress(OSError):  # where the system has none
            memory.madvise(large_pages)
    return memory


@dataclass(frozen=True, slots=True)
class RecordBlock:
    """Bytes of some records, or of a part of one."""

    data: Bytes
    part: Part = "whole"

    @property
    def raw(self) -> bytes:
        """A copy of the bytes."""
        return self.data.tobytes()


def line_blocks(stream: ByteStream, batch_bytes: int, limit: int) -> Iterator[RecordBlock]:
    """Blocks of whole lines."""
    return marked_blocks(stream, batch_bytes, limit, b"\n")


def marked_blocks(
    stream: ByteStream, batch_bytes: int, limit: int, mark: bytes
) -> Iterator[RecordBlock]:
    """Blocks of whole records, each of which ends with a mark."""

    def last_end(buffer: Buffer, have: int) -> int:
        at = buffer.rfind(mark, 0, have)
        return at + len(mark) if at >= 0 else 0

    return record_blocks(stream, batch_bytes, limit, last_end, mark)


def record_blocks(
    stream: ByteStream,
    batch_bytes: int,
    limit: int,
    last_end: LastEnd,
    mark: bytes = b"\n",
    mark_leads: bool = False,
) -> Iterator[RecordBlock]:
    """Blocks of about ``batch_bytes`` that end at record ends, larger only where one record is.

    A record beyond ``limit`` bytes comes in pieces called first, middle and last, and ends at
    the next mark (behind it, or before it where marks begin records). What follows the last
    record end of the stream is part of the last block.
    """
    # no larger than the limit, or the size of the batches would decide what counts as too long
    usual = max(min(batch_bytes, limit), 64)
    buffer, have = new_buffer(usual), 0
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
                buffer = _moved(buffer, 0, have, min(2 * len(buffer), limit + 1))
                continue
            if used == 0:
                used, part = have, "first"
        if part == "first":
            used -= len(mark) - 1  # the mark may begin in this piece and end in the next
        yield RecordBlock(np.frombuffer(buffer, dtype=np.uint8, count=used), part)
        endless = part in ("first", "middle")
        buffer = _moved(buffer, used, have, max(usual, have - used))
        have -= used


def _rest_of_endless(
    buffer: Buffer, have: int, ended: bool, mark: bytes, mark_leads: bool
) -> tuple[int, Part]:
    at = buffer.find(mark, 0, have)
    if at >= 0:
        return (at if mark_leads else at + len(mark)), "last"
    return (have, "last") if ended else (have - (len(mark) - 1), "middle")


def _moved(buffer: Buffer, begin: int, end: int, size: int) -> Buffer:
    """The bytes from begin to end at the front of another buffer."""
    new = new_buffer(size)
    with memoryview(buffer) as view, memoryview(new) as room:
        room[: end - begin] = view[begin:end]
    return new
