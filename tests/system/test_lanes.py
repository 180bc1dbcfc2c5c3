"""Iterators that run at the same time: the items of one after another's, within bounds."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator

import pytest

from twinset.system.lanes import Lane, one_after_another


def lane(name: str, count: int, expected: int, log: list[str] | None = None) -> Lane[str]:
    def make(_: Lane[str]) -> Generator[str, None, None]:
        try:
            for number in range(count):
                if log is not None:
                    log.append(name)
                yield f"{name}{number}"
        finally:
            if log is not None:
                log.append(f"end of {name}")

    return Lane(make, expected)


def names(*counts: int) -> list[str]:
    return [f"{'abcdefgh'[at]}{n}" for at, count in enumerate(counts) for n in range(count)]


@pytest.mark.parametrize("most", [1, 2, 3, 16])
@pytest.mark.parametrize("room", [0, 1, 10, 1000])
def test_items_are_in_order_whatever_the_bounds(most: int, room: int) -> None:
    counts = (3, 0, 7, 1, 20, 2)
    lanes = [lane("abcdef"[at], count, count) for at, count in enumerate(counts)]
    assert list(one_after_another(lanes, most, room, 1)) == names(*counts)


def test_no_more_is_held_than_there_is_room_for() -> None:
    log: list[str] = []
    lanes = [lane("a", 3, 1), *(lane(name, 50, 50, log) for name in "bcd")]
    items = one_after_another(lanes, 16, 10, 1)
    assert next(items) == "a0"
    time.sleep(0.2)
    # of the one that comes next, and one more that waits for room; the others were not begun
    assert log == ["b"] * len(log)
    assert len(log) <= 11
    assert list(items) == names(3, 50, 50, 50)[1:]


def test_closing_ends_all_that_run() -> None:
    log: list[str] = []
    before = threading.active_count()
    items = one_after_another([lane(name, 100, 1, log) for name in "abc"], 3, 10, 1)
    next(items)
    items.close()
    assert threading.active_count() == before
    assert {entry for entry in log if entry.startswith("end")} <= {f"end of {n}" for n in "abc"}
    assert "end of a" in log


def test_a_fault_comes_in_its_turn() -> None:
    def failing(_: Lane[str]) -> Generator[str, None, None]:
        yield "b0"
        raise ValueError("broken")

    items = one_after_another([lane("a", 3, 1), Lane(failing, 1), lane("c", 3, 1)], 3, 100, 1)
    assert [next(items) for _ in range(4)] == ["a0", "a1", "a2", "b0"]
    with pytest.raises(ValueError, match="broken"):
        next(items)
