"""A generator that runs in a thread of its own gives the same items and the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from twinset.system.background import BackgroundIterator, BackgroundResult


def test_items_come_in_order() -> None:
    assert list(BackgroundIterator(iter(range(2000)), 4)) == list(range(2000))
    assert list(BackgroundIterator(iter([]), 1)) == []


def test_an_error_comes_after_what_was_before_it() -> None:
    def failing() -> Iterator[str]:
        yield "before"
        raise ValueError("here")

    items = BackgroundIterator(failing(), 4)
    assert next(items) == "before"
    with pytest.raises(ValueError, match="here"):
        next(items)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_result_is_worked_out_once_and_its_fault_is_raised(threads: int) -> None:
    asked: list[str] = []
    value = BackgroundResult(lambda: asked.append("once") or len(asked), threads)
    assert value.result() == 1
    with pytest.raises(ZeroDivisionError):
        BackgroundResult(lambda: 1 // 0, threads).result()
