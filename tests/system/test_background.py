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


@pytest.mark.parametrize("fault", [None, ValueError("broken")])
def test_a_thread_that_cannot_say_its_end_is_noticed(
    monkeypatch: pytest.MonkeyPatch, fault: Exception | None
) -> None:
    put = BackgroundIterator._put

    def put_items_alone(self: BackgroundIterator[int], item: object) -> None:
        if not isinstance(item, int):
            raise MemoryError
        put(self, item)

    def items() -> Iterator[int]:
        yield from (1, 2)
        if fault is not None:
            raise fault

    monkeypatch.setattr(BackgroundIterator, "_put", put_items_alone)
    iterator = BackgroundIterator(items(), 1)
    assert [next(iterator), next(iterator)] == [1, 2]
    with pytest.raises(MemoryError if fault is None else ValueError):
        next(iterator)
    assert list(iterator) == []
