"""A stream cut into blocks of bytes that end where a record ends."""

from __future__ import annotations

import mmap
import weakref
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

    @property
    def raw(self) -> bytes:
        """A copy of the bytes."""
        return self.data.tobytes()


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
