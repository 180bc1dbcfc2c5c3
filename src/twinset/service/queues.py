"""Bounded queues of requests, and threads that do together what waits together.

One question costs mostly what every call costs; a hundred that wait at the same time are asked at
once, and many additions end in one write to the disk. Whoever comes when the queue is full is
asked to come again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any

TOGETHER = 128
"""Documents of small requests that are worked on at once."""


class QueueFullError(Exception):
    """As many requests wait as may."""


class OutOfTimeError(Exception):
    """A request has waited too long; ``begun`` says that it was being worked on."""

    def __init__(self, begun: bool) -> None:
        self.begun = begun
        super().__init__("out of time")


Do = Callable[[Any, list[Any]], Sequence[Any]]
"""From a kind and requests of this kind to their results; an exception may be a result."""


class Waiting:
    """A request in a queue; one without a ``kind`` is done alone."""

    __slots__ = ("begun", "do", "future", "kind", "loop", "request", "size")

    def __init__(self, do: Do, kind: Hashable, request: Any, size: int) -> None:
        self.do, self.kind, self.request, self.size = do, kind, request, size
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.begun = False

    def finish(self, result: Any) -> None:
        """In the thread of the loop: hand the result to whoever waits for it still."""
        if self.future.done():
            return
        if isinstance(result, BaseException):
            self.future.set_exception(result)
        else:
            self.future.set_result(result)


class RequestQueue:
    """Requests that wait for some threads."""

    def __init__(self, name: str, threads: int, most: int, timeout: float) -> None:
        self.name, self._most, self._timeout = name, most, timeout
        self._waiting: deque[Waiting] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"twinset-{name}-{i}", daemon=True)
            for i in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def __len__(self) -> int:
        return len(self._waiting)

    async def run(self, do: Do, kind: Hashable, request: Any, size: int = 1) -> Any:
        """The result of a request; `QueueFullError` at once, or `OutOfTimeError` later."""
        waiting = Waiting(do, kind, request, size)
        with self._changed:
            if len(self._waiting) >= self._most or self._closed:
                raise QueueFullError
            self._waiting.append(waiting)
            self._changed.notify()
        timer = waiting.loop.call_later(self._timeout, self._expire, waiting)
        try:
            return await waiting.future
        finally:
            timer.cancel()

    def _expire(self, waiting: Waiting) -> None:
        with self._changed:
            if not waiting.begun:
                self._waiting.remove(waiting)
        waiting.finish(OutOfTimeError(waiting.begun))

    def _work(self) -> None:
        while some := self._take():
            results = _done(some)
            # Wake a loop once for all: each call to it costs as much as a small question.
            for loop in {waiting.loop for waiting in some}:
                ours = [pair for pair in zip(some, results, strict=True) if pair[0].loop is loop]
                with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                    loop.call_soon_threadsafe(_finish, ours)

    def _take(self) -> list[Waiting]:
        """The oldest request and what can be done with it; nothing when the queue has ended."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if not self._waiting:
                return []
            first = self._waiting.popleft()
            some, size = [first], first.size
            if first.kind is not None and size < TOGETHER:
                rest: deque[Waiting] = deque()
                for other in self._waiting:
                    fits = other.kind == first.kind and other.do == first.do
                    if fits and size + other.size <= TOGETHER:
                        some.append(other)
                        size += other.size
                    else:
                        rest.append(other)
                self._waiting = rest
            for waiting in some:
                waiting.begun = True
            return some

    def close(self, seconds: float) -> None:
        """Finish what waits, and end the threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))


def _done(some: list[Waiting]) -> Sequence[Any]:
    first = some[0]
    try:
        return first.do(first.kind, [waiting.request for waiting in some])
    except BaseException as fault:
        if len(some) == 1:
            return [fault]
    # One of them is at fault, and the others must not suffer for it.
    return [_done([waiting])[0] for waiting in some]


def _finish(results: list[tuple[Waiting, Any]]) -> None:
    for waiting, result in results:
        waiting.finish(result)
