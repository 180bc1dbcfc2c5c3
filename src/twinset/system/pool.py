"""Work on many items at a time, by threads, with the results in the order of the items.

Kernels run without Python's lock, so that threads are enough to keep all cores busy.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from twinset.system.background import PATIENCE, obey, stops_of_thread

Item = TypeVar("Item")
Result = TypeVar("Result")


class EndsWork(Protocol):
    """A flag that ends the work of the threads inside its `with` block once it is set."""

    def set(self) -> None:
        """Ask for the end."""
        ...

    def __enter__(self) -> Any: ...

    def __exit__(self, *exception: object) -> Any: ...


class _Task(Generic[Item, Result]):
    """One item, and what has become of it."""

    __slots__ = ("_ended", "_fault", "_item", "_result", "_threads")

    def __init__(self, item: Item, threads: Sequence[threading.Thread]) -> None:
        self._item: Item | None = item
        self._threads = threads
        # Open once the work is done. To open it takes no memory, of which there may be none left.
        self._ended = threading.Lock()
        self._ended.acquire()
        self._fault: BaseException | None = None
        self._result: Result | None = None

    def run(self, function: Callable[[Item], Result]) -> None:
        """Do the work; a fault waits for whoever asks for the result."""
        try:
            self._result = function(self._item)  # type: ignore[arg-type]
        except BaseException as fault:
            self._fault = fault
        self._item = None  # a large one goes before the result is asked for
        self._ended.release()

    def result(self) -> Result:
        """Wait for the result, or raise the fault."""
        while not self._ended.acquire(timeout=PATIENCE):
            are_gone = not any(thread.is_alive() for thread in self._threads)
            if are_gone and self._ended.locked():
                raise MemoryError("threads ended before their work was done")
        self._ended.release()
        if self._fault is not None:
            raise self._fault
        return self._result  # type: ignore[return-value]


class Crew(Generic[Item, Result]):
    """Threads that take tasks in turn; another one begins where all have something to do.

    To begin one takes as long as a small task, since whoever begins it waits until it runs.
    """

    def __init__(
        self, function: Callable[[Item], Result], most: int, flag: EndsWork | None
    ) -> None:
        self._function, self._most, self._flag = function, most, flag
        self._tasks: queue.SimpleQueue[_Task[Item, Result] | None] = queue.SimpleQueue()
        self._given = 0
        self._done: deque[None] = deque()  # an entry for every task, since threads add to it
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()
        self._stops = (*stops_of_thread(), self._closed)

    def give(self, item: Item) -> _Task[Item, Result]:
        """Have an item worked on."""
        task: _Task[Item, Result] = _Task(item, self._threads)
        self._tasks.put(task)
        self._given += 1
        if len(self._threads) < min(self._given - len(self._done), self._most):
            self._begin()
        return task

    def close(self) -> None:
        """End the work, done or not, and wait for the threads."""
        self._closed.set()
        if self._flag is not None:
            self._flag.set()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _begin(self) -> None:
        """Start a thread; where the system grants no more, those that there are do the work."""
        thread = threading.Thread(target=self._run, name="twinset-pool", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if not self._threads:
                raise
            self._most = len(self._threads)
            return
        self._threads.append(thread)

    def _run(self) -> None:
        obey(self._stops)
        if self._flag is None:
            return self._work()
        with self._flag:
            return self._work()

    def _work(self) -> None:
        # Whoever takes a task runs it: those behind it may wait for what it does.
        while not self._closed.is_set() and (task := self._tasks.get()) is not None:
            task.run(self._function)
            try:
                self._done.append(None)
            except MemoryError:  # then one more begins
                continue


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    *,
    ahead: int | Callable[[], int] | None = None,
    flag: EndsWork | None = None,
) -> Generator[Result, None, None]:
    """``function(item)`` for each item, in the order of the items.

    Up to ``threads`` are worked on at a time, while ``ahead`` items at most (two more than threads
    unless given, perhaps by a function that is asked each time) are on their way. The caller draws
    the items, and works on them where there is but one thread. Whoever stops early closes the
    iterator; what is at work then is waited for, and ended by the ``flag`` where there is one. The
    iterator of the items is closed with it.
    """
    source = iter(items)
    try:
        if threads <= 1:
            for item in source:
                yield function(item)
            return
        ahead = ahead or threads + 2
        most = ahead if callable(ahead) else partial(int, ahead)
        yield from _side_by_side(function, source, threads, most, flag)
    finally:
        if (close := getattr(source, "close", None)) is not None:
            close()


_NOTHING: Any = object()


def _side_by_side(
    function: Callable[[Item], Result],
    items: Iterator[Item],
    threads: int,
    ahead: Callable[[], int],
    flag: EndsWork | None,
) -> Iterator[Result]:
    crew: Crew[Item, Result] = Crew(function, threads, flag)
    waiting: deque[_Task[Item, Result]] = deque()
    try:
        while True:
            room = max(ahead(), 1)
            while len(waiting) < room and (item := next(items, _NOTHING)) is not _NOTHING:
                waiting.append(crew.give(item))
                del item
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        crew.close()
