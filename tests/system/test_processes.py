"""Functions computed by other processes: in order, whatever becomes of these processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.system import workers as functions
from twinset.errors import Stopped, TwinsetError
from twinset.system.children import MOST_SECONDS, Child, LostError
from twinset.system.processes import Workers
from twinset.system.threads import BackgroundIterator


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    pool = Workers(3)
    yield pool
    pool.close()


def test_results_are_in_the_order_of_the_calls(workers: Workers) -> None:
    calls = [(number,) for number in range(20)]
    assert workers.results(functions.slow_double, calls) == [2 * n for n in range(20)]
    assert workers.results(functions.doubled, []) == []


def test_a_worker_that_ends_costs_its_own_call(workers: Workers) -> None:
    calls = [(number,) for number in range(8)]
    assert workers.results(functions.ended, calls) == [0, 1, 2, None, 4, 5, 6, 7]
    assert workers.results(functions.doubled, [(1,), (2,)]) == [2, 4]


def test_a_fault_of_the_function_is_raised_here(workers: Workers) -> None:
    with pytest.raises(ValueError, match="a fault of the function"):
        workers.results(functions.failing, [()])
    with pytest.raises(TwinsetError, match=r"in\.warc:3: a fault of three arguments"):
        workers.results(functions.unread, [()])
    assert workers.results(functions.without_memory, [()]) == [None]
    assert workers.results(functions.doubled, [(4,)]) == [8]


def test_threads_share_the_workers(workers: Workers) -> None:
    results: dict[int, list[object]] = {}

    def ask(start: int) -> None:
        calls = [(number,) for number in range(start, start + 9)]
        results[start] = list(workers.results(functions.slow_double, calls))

    threads = [threading.Thread(target=ask, args=(100 * n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == {s: [2 * n for n in range(s, s + 9)] for s in range(0, 600, 100)}


def test_what_computes_too_long_is_ended() -> None:
    child = Child()
    with pytest.raises(LostError):
        child.call(functions.endless, (), seconds=1, memory=1 << 30)
    assert child.call(functions.doubled, (1,), seconds=1, memory=1 << 30) == 2
    child.close()
    assert MOST_SECONDS >= 60


def test_what_takes_too_much_memory_is_lost() -> None:
    child = Child()
    with pytest.raises(LostError):
        child.call(functions.hungry, (1 << 30,), seconds=9, memory=200 << 20)
    assert child.call(functions.hungry, (1 << 20,), seconds=9, memory=200 << 20) == 1 << 20
    child.close()


def test_where_no_process_can_be_started_all_is_computed_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    pool = Workers(2)
    assert pool.results(functions.own_number, [()]) == [os.getpid()]
    pool.close()


def test_whoever_waits_can_be_stopped() -> None:
    pool = Workers(2)
    pool.results(functions.doubled, [(1,)])

    def asked() -> Iterator[object]:
        yield 0
        with suppress(Stopped):
            yield pool.results(functions.endless, [()])

    items = BackgroundIterator(asked(), 1)
    next(items)
    begun = time.monotonic()
    items.close()
    pool.close()
    assert time.monotonic() - begun < 10


def test_all_end_with_the_program() -> None:
    code = """
import os, sys
from tests.conftest import left_processes
from tests.system import workers as functions
from twinset.system.processes import Workers
pool = Workers(2)
(worker,) = pool.results(functions.own_number, [()])
print(worker, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    numbers = [int(number) for number in done.stdout.split()]
    assert len(numbers) == 1
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{number}").exists() for number in numbers):
        states = [_state(number) for number in numbers]
        if all(state in "ZX" for state in states):  # whoever adopts it has not looked yet
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _state(number: int) -> str:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"
