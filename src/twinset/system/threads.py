"""Threads: a generator a little ahead of its user, a file out of it, work on many items.

Reading and decompressing take one core and no lock; meanwhile the other cores work on what came
before.
"""

from __future__ import annotations

import io
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from typing import Any, Generic, Protocol, TypeVar

from twinset.errors import Stopped

Item = TypeVar("Item")
Result = TypeVar("Result")
_END: Any = object()
PATIENCE = 0.5
"""Seconds that a thread waits before it looks whether there is anything left to wait for."""


_here = threading.local()


def stops_of_thread() -> tuple[threading.Event, ...]:
    """What ends the work of this thread when it is set."""
    stops: tuple[threading.Event, ...] = getattr(_here, "stops", ())
    return stops


def obey(stops: tuple[threading.Event, ...]) -> None:
    """In a new thread: end when one of these is set."""
    _here.stops = stops


def go_on() -> None:
    """Raise `Stopped` in the thread of an iterator that was closed: nobody waits for its work.

    To be called by what may wait long, as for a server.
    """
    if any(stop.is_set() for stop in stops_of_thread()):
        raise Stopped


class BackgroundIterator(Iterator[Item], Generic[Item]):
    """The same items in the same order, up to ``waiting`` of them ready before they are needed.

    A user that stops early has to call `close`, or the thread waits for ever. While the user waits
    for an item, ``meanwhile`` is called twice a second, in the user's own thread.
    """

    def __init__(
        self, items: Iterator[Item], waiting: int, meanwhile: Callable[[], None] | None = None
    ) -> None:
        self._items, self._meanwhile = items, meanwhile
        self._queue: queue.Queue[Any] = queue.Queue(waiting)
        self._fault: BaseException | None = None
        self._stop = threading.Event()
        self._stops = (*stops_of_thread(), self._stop)
        self._thread = threading.Thread(target=self._run, name="twinset-background", daemon=True)
        self._thread.start()

    def __next__(self) -> Item:
        item = _END if self._stop.is_set() else self._next()
        if item is not _END:
            result: Item = item
            return result
        fault, self._fault = self._fault, None
        self._stop.set()
        if fault is not None:
            raise fault
        raise StopIteration

    def _next(self) -> Any:
        while True:
            is_over = not self._thread.is_alive()
            try:
                return self._queue.get(timeout=0 if is_over else PATIENCE)
            except queue.Empty:
                if is_over:  # there was not even memory left to say so
                    self._fault = self._fault or MemoryError(
                        "a thread ended before its work was done"
                    )
                    return _END
                if self._meanwhile is not None:
                    self._meanwhile()

    def close(self, wait: bool = True) -> None:
        """Stop; returns when the thread has closed what it had opened, unless it need not wait."""
        self._stop.set()
        if wait:
            self._thread.join()

    def _run(self) -> None:
        obey(self._stops)
        try:
            for item in self._items:
                self._put(item)
                if self._stop.is_set():
                    return
            self._put(_END)
        except BaseException as fault:
            self._fault = fault
            with suppress(MemoryError):  # whoever waits sees that the thread is gone
                self._put(_END)
        finally:
            # what the generator holds open, another thread perhaps, is closed here and now
            if (close := getattr(self._items, "close", None)) is not None:
                close()

    def _put(self, item: Any) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.1)
                return
            except queue.Full:
                continue


class ChunkedFile(io.RawIOBase):
    """A file that is read in order, out of chunks of bytes; ``closes`` are called to close it."""

    def __init__(self, chunks: Iterator[Any], *closes: Callable[[], None]) -> None:
        self._chunks, self._closes = chunks, closes
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as there are bytes, taking chunks as they are needed."""
        view, filled = memoryview(buffer).cast("B"), 0
        while filled < len(view):
            if not self._rest:
                go_on()
                if (chunk := next(self._chunks, None)) is None:
                    break
                self._rest = memoryview(chunk)
                continue
            some = self._rest[: len(view) - filled]
            view[filled : filled + len(some)] = some
            self._rest = self._rest[len(some) :]
            filled += len(some)
        return filled

    def close(self) -> None:
        for close in self._closes:
            close()
        super().close()


class EndsWork(Protocol):
    """A flag that ends the work of the threads inside its `with` block once it is set."""

    def set(self) -> None:
        """Ask for the end."""
        ...

    def __enter__(self) -> Any: ...

    def __exit__(self, *exception: object) -> Any: ...


class Crew(Generic[Item, Result]):
    """Up to ``most`` threads that take tasks in turn."""

    def __init__(
        self, function: Callable[[Item], Result], most: int, flag: EndsWork | None
    ) -> None:
        self._function, self._flag = function, flag
        self._closed = threading.Event()
        stops = (*stops_of_thread(), self._closed)
        self._threads = ThreadPoolExecutor(most, "twinset-pool", obey, (stops,))

    def give(self, item: Item) -> Future[Result]:
        """Have an item worked on."""
        return self._threads.submit(self._run, item)

    def _run(self, item: Item) -> Result:
        with self._flag or nullcontext():
            return self._function(item)

    def close(self) -> None:
        """End the work, done or not, and wait for the threads."""
        self._closed.set()
        if self._flag is not None:
            self._flag.set()
        self._threads.shutdown(cancel_futures=True)


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    *,
    ahead: int | Callable[[], int] | None = None,
    flag: EndsWork | None = None,
    size: Callable[[Item], int] | None = None,
    most: int = 0,
) -> Generator[Result, None, None]:
    """``function(item)`` for each item, in the order of the items.

    Up to ``threads`` are worked on at a time, while ``ahead`` items at most (two more than threads
    unless given, perhaps by a function that is asked each time) are on their way; where
    there is a ``size``, no more than those that sum up to ``most``, or a single one. The caller
    draws the items, and works on them where there is but one thread. Whoever stops early closes the
    iterator; what is at work then is waited for, and ended by the ``flag`` where there is one. The
    iterator of the items is closed with it.
    """
    source = iter(items)
    try:
        if threads <= 1:
            for item in source:
                yield function(item)
            return
        yield from _side_by_side(function, source, threads, ahead or threads + 2, flag, size, most)
    finally:
        if (close := getattr(source, "close", None)) is not None:
            close()


def _side_by_side(
    function: Callable[[Item], Result],
    items: Iterator[Item],
    threads: int,
    ahead: int | Callable[[], int],
    flag: EndsWork | None,
    size: Callable[[Item], int] | None,
    most: int,
) -> Iterator[Result]:
    crew: Crew[Item, Result] = Crew(function, threads, flag)
    waiting: deque[tuple[Future[Result], int]] = deque()
    held, item = 0, _END
    try:
        while True:
            room = max(ahead() if callable(ahead) else ahead, 1)
            if item is _END and len(waiting) < room:
                item = next(items, _END)
            if item is not _END:
                more = 0 if size is None else size(item)
                if not waiting or held + more <= most:
                    waiting.append((crew.give(item), more))
                    held, item = held + more, _END
                    continue
            elif not waiting:
                return
            yield waiting[0][0].result()
            held -= waiting.popleft()[1]
    finally:
        crew.close()
