"""Work on several items at a time, with results in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from twinset import _kernels
from twinset.system.pool import Crew, in_order


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.005 if item % 5 == 0 else 0)
        return item * item

    expected = [item * item for item in range(50)]
    assert list(in_order(slow_first, iter(range(50)), threads)) == expected
    assert list(in_order(slow_first, iter([]), threads)) == []
    for ahead in (1, 2, lambda: 1):
        assert list(in_order(slow_first, iter(range(50)), threads, ahead=ahead)) == expected


def test_several_items_are_worked_on_at_a_time() -> None:
    together = threading.Barrier(3)

    def meet(item: int) -> int:
        together.wait(timeout=30)  # breaks unless three are here at the same time
        return item

    assert list(in_order(meet, range(9), 3)) == list(range(9))


def test_no_more_items_are_drawn_than_are_allowed_ahead() -> None:
    drawn: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            drawn.append(item)
            yield item

    with closing(in_order(lambda item: item, items(), 2, ahead=5)) as results:
        assert next(results) == 0
        assert len(drawn) == 5
        assert next(results) == 1
        assert len(drawn) == 6


def test_a_fault_comes_after_the_results_before_it() -> None:
    def fail_at_three(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        return item

    results = in_order(fail_at_three, range(100), 4)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


def test_a_thread_begins_only_where_all_others_are_busy() -> None:
    crew: Crew[int, int] = Crew(lambda item: item, 16, None)
    try:
        for item in range(40):
            assert crew.give(item).result() == item
            while len(crew._done) <= item:  # noted after the result is there
                time.sleep(0)
        assert len(crew._threads) == 1
    finally:
        crew.close()


def test_the_first_item_does_not_wait_for_the_second() -> None:
    begun = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        assert begun.wait(timeout=30)
        yield 2

    def work(item: int) -> int:
        begun.set()
        return item

    assert list(in_order(work, items(), 2)) == [1, 2]


def test_closing_ends_kernels_and_closes_the_items() -> None:
    closed = threading.Event()
    begun = threading.Event()
    flag = _kernels.StopFlag()

    def items() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            closed.set()

    def endless(item: int) -> int:
        while item:
            begun.set()
            _kernels.line_count(_DATA)  # raises Stopped once the flag is set
        return item

    results = in_order(endless, items(), 2, flag=flag)
    assert next(results) == 0
    assert begun.wait(timeout=30)
    results.close()
    assert closed.is_set()
    assert not [t for t in threading.enumerate() if t.name == "twinset-pool" and t.is_alive()]


_DATA = np.zeros(16, np.uint8)


def test_whoever_takes_a_task_runs_it() -> None:
    """Tasks may wait for those before them, so none of these may be left out at the end."""
    crew: Crew[int, None] = Crew(lambda item: ran.append(item), 1, None)
    ran: list[int] = []
    get = crew._tasks.get

    class ClosedMeanwhile:
        """A queue of which a task is taken while the crew is closed."""

        put = crew._tasks.put

        def get(self) -> Any:
            task = get()
            crew._closed.set()
            return task

    crew._tasks = ClosedMeanwhile()  # type: ignore[assignment]
    crew.give(7)
    crew.close()
    assert ran == [7]


def test_threads_that_the_system_refuses_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    start, begun = threading.Thread.start, []

    def start_one(thread: threading.Thread) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_one)
    assert list(in_order(lambda item: item + 1, range(9), 3)) == list(range(1, 10))
    assert len(begun) == 1


def test_nobody_waits_for_threads_that_are_gone() -> None:
    crew: Crew[int, int] = Crew(int, 1, None)
    crew.close()
    task = crew.give(1)  # begins a thread, which finds the crew closed
    with pytest.raises(MemoryError, match="ended before"):
        task.result()
