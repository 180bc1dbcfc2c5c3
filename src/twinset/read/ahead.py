"""Work ahead: what a generator gives is made in a thread of its own, a little before it is needed.

Unpacking takes one core and no lock; meanwhile the other cores work on what was unpacked before.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

_WAITING = 32  # with the size below, about one batch ahead
_JOINED = 1 << 20


class Ahead(Iterator[bytes]):
    """The same bytes in the same order, joined to pieces worth handing over."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._queue: queue.Queue[bytes | BaseException | None] = queue.Queue(_WAITING)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="twinset-unpack", daemon=True)
        self._thread.start()

    def __next__(self) -> bytes:
        item = self._queue.get() if not self._stop.is_set() else None
        if isinstance(item, bytes):
            return item
        self._stop.set()
        if item is not None:
            raise item
        raise StopIteration

    def close(self) -> None:
        """Stop working ahead; returns when the thread has let go of the file."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            held: list[bytes] = []
            size = 0
            for piece in self._pieces:
                held.append(piece)
                size += len(piece)
                if size >= _JOINED:
                    self._put(b"".join(held))
                    held, size = [], 0
                if self._stop.is_set():
                    return
            if size:
                self._put(b"".join(held))
            self._put(None)
        except BaseException as fault:
            self._put(fault)

    def _put(self, item: bytes | BaseException | None) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return
            except queue.Full:
                continue
