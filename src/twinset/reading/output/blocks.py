"""Blocks of records on their way to the routes: what goes where is put together side by side.

A block is cut and decided on in order, made ready by any thread, and written in order again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twinset import _kernels
from twinset.model import Ints
from twinset.model.outcomes import Outcomes
from twinset.reading.output.decisions import FRAME, ROW, Mask
from twinset.system.pool import Crew

Bytes = NDArray[np.uint8]
Kinds = NDArray[np.uint8]
# Records with the fields of an annotation, two pieces for each; the second is mostly the same one.
Pieces = list[Any]
MOST_AT_A_TIME = 12
"""Blocks that are held at the same time; more threads than this find nothing to do."""
BLOCK_BYTES = 4 << 20
"""The size of these blocks: a few of them stay in the cache, and all of them within the memory."""
_NO_TAILS = np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64)


class AnnotatedRecords(NamedTuple):
    """Records with the fields of an annotation, and where each of them ends."""

    data: Any
    ends: Ints

    @classmethod
    def of(cls, pieces: Pieces) -> AnnotatedRecords:
        """Two pieces for each record put together."""
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        return cls(b"".join(pieces), np.cumsum(lengths)[1::2])


# From what was decided on the documents among some records to these records, annotated.
Annotate = Callable[[Outcomes], "Pieces | AnnotatedRecords"]


@dataclass(frozen=True)
class OutgoingBlock:
    """Consecutive records, their kinds, and which of them are removed documents.

    ``done`` is called when nobody looks at the bytes any more; None where they do not last until
    another block is asked for.
    """

    data: Any
    ends: Ints
    kinds: Kinds
    goes: Mask
    outcomes: Outcomes
    annotate: Annotate | None = None
    done: Callable[[], None] | None = None

    @property
    def has_frame(self) -> bool:
        """Whether some of the records belong to the frame of every file."""
        return bool((self.kinds == FRAME).any())

    def mask(self, route: str) -> Mask:
        """Which records go along a route."""
        if route == "annotated":
            return np.ones(len(self.goes), dtype=bool)
        return self.goes if route == "removed" else ~self.goes

    def documents(self, mask: Mask) -> int:
        """How many of these records are documents."""
        return int(np.count_nonzero(mask & (self.kinds == ROW)))

    def records(self, first: int, last: int) -> Any:
        """The bytes of consecutive records."""
        begin = int(self.ends[first - 1]) if first else 0
        return self.data[begin : int(self.ends[last - 1])]


@dataclass(frozen=True)
class ReadyBlock:
    """A block with what each route gets in one piece, and with its records annotated."""

    block: OutgoingBlock
    whole: Mapping[str, Any]
    annotated: OutgoingBlock | None
    room: Bytes


class BlockPreparer:
    """Makes blocks ready, several at a time where there are threads, and hands them on in order."""

    def __init__(
        self, routes: Mapping[str, Any], deliver: Callable[[ReadyBlock], None], threads: int
    ) -> None:
        self._routes, self._deliver = tuple(routes), deliver
        self._ahead = min(threads + 2, MOST_AT_A_TIME) if threads > 1 else 0
        self._crew: Crew[OutgoingBlock, ReadyBlock] = Crew(
            self._prepare, min(threads, MOST_AT_A_TIME), _kernels.StopFlag()
        )
        self._waiting: deque[Any] = deque()
        self._rooms: list[Bytes] = []

    def add(self, block: OutgoingBlock) -> None:
        """Deliver a block after those before it, now or later."""
        if not self._ahead or block.done is None or block.has_frame:
            self.settle()
            self._hand_on(self._prepare(block))
        else:
            self._waiting.append(self._crew.give(block))
            self.settle(self._ahead)

    def settle(self, most: int = 0) -> None:
        """Deliver the first blocks until at most so many are left."""
        while len(self._waiting) > most:
            self._hand_on(self._waiting.popleft().result())

    def close(self) -> None:
        """End the threads, and give the memory back."""
        self._crew.close()
        self._waiting.clear()
        self._rooms.clear()

    def _hand_on(self, ready: ReadyBlock) -> None:
        self._deliver(ready)
        self._rooms.append(ready.room)
        if ready.block.done is not None:
            ready.block.done()

    def _prepare(self, block: OutgoingBlock) -> ReadyBlock:
        size = int(block.ends[-1])
        room, used = self._room(size), 0
        whole: dict[str, Any] = {}
        annotated = None
        for name in self._routes:
            if name == "annotated" and block.annotate is not None:
                records = block.annotate(block.outcomes)
                if isinstance(records, list):
                    records = AnnotatedRecords.of(records)
                annotated = replace(block, data=records.data, ends=records.ends)
                whole[name] = records.data
                continue
            mask = block.mask(name)
            if mask.all():
                whole[name] = block.data[:size]
            else:
                count = _gathered(block.data, block.ends, mask, room[used:])
                whole[name] = room[used : used + count]
                used += count
        return ReadyBlock(block, whole, annotated, room)

    def _room(self, size: int) -> Bytes:
        """Memory for the records of a block, used again: fresh memory costs more than copying."""
        while self._rooms:
            try:
                room = self._rooms.pop()
            except IndexError:  # another thread was quicker
                break
            if len(room) >= size:
                return room
        return np.empty(max(size, BLOCK_BYTES), np.uint8)


def _gathered(data: Bytes, ends: Ints, mask: Mask, room: Bytes) -> int:
    """Put the records that go the same way one after the other; how many bytes these are."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    begins = np.concatenate([np.zeros(1, np.int64), ends])
    tails, offsets, of = _NO_TAILS
    return _kernels.spliced(data, begins[edges[::2]], begins[edges[1::2]], tails, offsets, of, room)
