"""A stream cut into blocks that end where a record ends; one buffer, used again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinset.read.stream import Stream

Bytes = NDArray[np.uint8]
# Whole records; or the pieces of one record that is larger than the limit.
Part = Literal["whole", "first", "middle", "last"]


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes that are valid until the next block is asked for."""

    data: Bytes
    part: Part = "whole"


def line_blocks(stream: Stream, batch_bytes: int, limit: int) -> Iterator[Block]:
    """Blocks of about ``batch_bytes`` that end at line ends, larger only where one line is.

    A line beyond ``limit`` bytes comes in pieces marked first, middle and last, never as a whole.
    """
    usual = max(batch_bytes, 64)
    buffer, have = bytearray(usual), 0
    ended = endless = False
    while True:
        if not ended:
            with memoryview(buffer) as view:
                got = stream.readinto(view[have:])
            ended = got < len(buffer) - have
            have += got
        if have == 0:
            return
        cut = _cut(buffer, have, ended, endless)
        if cut == 0 and not endless and len(buffer) <= limit:
            buffer = _resized(buffer, 0, have, min(2 * len(buffer), limit + 1))
            continue
        taken = cut or have
        part = _part(cut, ended, endless)
        yield Block(np.frombuffer(buffer, dtype=np.uint8, count=taken), part)
        endless = part in ("first", "middle")
        buffer = _resized(buffer, taken, have, max(usual, have - taken))
        have -= taken


def _cut(buffer: bytearray, have: int, ended: bool, endless: bool) -> int:
    """How far the records in the buffer are complete; 0 when none is."""
    if endless:
        return buffer.find(b"\n", 0, have) + 1
    return have if ended else buffer.rfind(b"\n", 0, have) + 1


def _part(cut: int, ended: bool, endless: bool) -> Part:
    if endless:
        return "last" if cut or ended else "middle"
    return "whole" if cut else "first"


def _resized(buffer: bytearray, begin: int, end: int, size: int) -> bytearray:
    """The bytes from begin to end at the front of a buffer of this size, the same if it fits."""
    rest = bytes(memoryview(buffer)[begin:end])
    if len(buffer) != size:
        buffer = bytearray(size)
    buffer[: len(rest)] = rest
    return buffer
