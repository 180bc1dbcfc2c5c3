"""A generator that runs in a thread of its own gives the same items and the same errors."""

from __future__ import annotations

import subprocess
import sys
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


AT_THE_END = """
import time
import numpy as np
from twinset import _kernels
from twinset.system.threads import in_background

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.2)

slow = Slow()  # so that Python takes a while to end
store = _kernels.FeatureStore(1 << 30, "/tmp")
for first in range(20_000):
    store.append(np.arange(first, first + 4, dtype=np.uint64), np.array([0, 4]), 1)
in_background(store.release, 2)  # which asks for Python's lock again and again
"""


def test_a_program_may_end_before_its_result_is_there() -> None:
    ended = subprocess.run([sys.executable, "-c", AT_THE_END], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


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
