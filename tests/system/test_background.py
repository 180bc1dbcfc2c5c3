"""A generator that runs in a thread of its own gives the same items and the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from twinset.system.threads import BackgroundIterator


def test_an_error_comes_after_what_was_before_it() -> None:
    def failing() -> Iterator[str]:
        yield "before"
        raise ValueError("here")

    items = BackgroundIterator(failing(), 4)
    assert next(items) == "before"
    with pytest.raises(ValueError, match="here"):
        next(items)
