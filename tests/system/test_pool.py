"""Work on several items at a time, with results in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from twinset import _kernels
from twinset.system.threads import in_order


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
    assert not [
        t for t in threading.enumerate() if t.name.startswith("twinset-pool") and t.is_alive()
    ]


_DATA = np.zeros(16, np.uint8)
