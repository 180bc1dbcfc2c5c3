"""Work in the background: a generator runs in a thread of its own, a little ahead of its user.

Reading and decompressing take one core and no lock; meanwhile the other cores work on what came
before.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

from twinset.errors import Stopped

Item = TypeVar("Item")
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


class BackgroundResult(Generic[Item]):
    """What a function returns, worked out meanwhile, or at once where there is but one thread."""

    def __init__(self, function: Callable[[], Item], threads: int) -> None:
        self._function = function
        self._value: Any = None
        self._fault: BaseException | None = None
        self._stops = stops_of_thread()
        # Python waits for it at its end: a kernel that came back later would end the process.
        self._thread = threading.Thread(target=self._run, name="twinset-background", daemon=False)
        if threads > 1:
            self._thread.start()
        else:
            self._run()

    def _run(self) -> None:
        obey(self._stops)
        try:
            self._value = self._function()
        except BaseException as fault:
            self._fault = fault

    def result(self) -> Item:
        """The value, once it is there; a fault is raised here."""
        if self._thread.is_alive():
            self._thread.join()
        if self._fault is not None:
            raise self._fault
        value: Item = self._value
        return value


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
