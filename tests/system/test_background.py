"""A generator that runs in a thread of its own gives the same items and the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from twinset.system.background import BackgroundIterator


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
