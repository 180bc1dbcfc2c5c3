"""Functions computed by several processes, for work that holds Python's lock.

Whatever ends a process (a crash of a library, memory, too much computing) costs the call it was at.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from twinset.system.threads import go_on, in_order

if TYPE_CHECKING:
    from twinset.system.children import Child

Result = TypeVar("Result")
PAYS = 2 << 20
"""Bytes to work on from which processes are started: for fewer, starting them takes longer."""
_PATIENCE = 0.2  # seconds between two looks for Ctrl-C


class Workers:
    """Up to ``most`` processes, started when they are needed.

    Several threads may call at the same time. With ``most`` below two, and where no process can be
    started, everything is computed here.
    """

    def __init__(self, most: int) -> None:
        self.most = most if hasattr(os, "fork") and not getattr(sys, "frozen", False) else 1
        self._free: list[Child] = []
        self._permits = threading.Semaphore(self.most)
        self._asked = 0

    def pays(self, size: int) -> bool:
        """Whether there has been enough to work on, with this many bytes more."""
        self._asked += size
        return self.most > 1 and self._asked >= PAYS

    def results(
        self, function: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> list[Result | None]:
        """The function of each of the arguments, in their order; None where a process ended.

        The function is one of a module, and so are its arguments and results.
        """
        if self.most < 2:
            return [function(*call) for call in calls]
        threads = min(self.most, len(calls))
        with closing(in_order(partial(self._result, function), calls, threads)) as results:
            return list(results)

    def _result(self, function: Callable[..., Result], call: tuple[Any, ...]) -> Result | None:
        from twinset.system.children import LostError

        with self._borrowed() as child:
            try:
                child.send(function, call)
            except OSError:  # the system grants no process
                return function(*call)
            try:
                result: Result = child.answer(meanwhile=go_on)
                return result
            except LostError:
                return None

    @contextmanager
    def _borrowed(self) -> Iterator[Child]:
        """A process that is free, or a new one."""
        from twinset.system.children import Child

        while not self._permits.acquire(timeout=_PATIENCE):
            go_on()
        child = self._free.pop() if self._free else Child()
        try:
            yield child
        finally:
            self._free.append(child)
            self._permits.release()

    def close(self) -> None:
        """End all processes."""
        while self._free:
            self._free.pop().close()
