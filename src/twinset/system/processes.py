"""Functions computed by several processes, for work that holds Python's lock.

Whatever ends a process (a crash of a library, memory, too much computing) costs the call it was at.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from twinset.system.threads import go_on

if TYPE_CHECKING:
    from twinset.system.children import Child

Result = TypeVar("Result")
PAYS = 2 << 20
"""Bytes to work on from which processes are started: for fewer, starting them takes longer."""
_PATIENCE = 0.2  # seconds between two looks for Ctrl-C


class LostCall:
    """Stands for the result of a call whose process has ended before it could answer."""


LOST = LostCall()


class Workers:
    """Up to ``most`` processes, started when they are needed.

    Several threads may call at the same time. With ``most`` below two, and where no process can be
    started, everything is computed here.
    """

    def __init__(self, most: int) -> None:
        self.most = most if hasattr(os, "fork") and not getattr(sys, "frozen", False) else 1
        self._free: list[Child] = []
        self._busy = self._asked = 0
        self._change = threading.Condition()

    def pays(self, size: int) -> bool:
        """Whether there has been enough to work on, with this many bytes more."""
        with self._change:
            self._asked += size
            return self.most > 1 and self._asked >= PAYS

    def results(
        self, function: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> list[Result | LostCall]:
        """The function of each of the arguments, in their order; `LOST` where a process ended.

        The function is one of a module, and so are its arguments and results.
        """
        if self.most < 2:
            return [function(*call) for call in calls]
        import selectors

        from twinset.system.children import LostError

        results: dict[int, Result | LostCall] = {}
        waiting = deque(enumerate(calls))
        at: dict[Child, int] = {}
        with selectors.DefaultSelector() as answers:
            try:
                while waiting or at:
                    while waiting and (child := self._borrowed(wait=not at)) is not None:
                        number, call = waiting.popleft()
                        at[child] = number
                        try:
                            child.send(function, call)
                        except OSError:  # the system grants no process
                            self._give_back(child)
                            results[at.pop(child)] = function(*call)
                        else:
                            answers.register(child, selectors.EVENT_READ, child)
                    for key, _ in answers.select(_PATIENCE):
                        answered: Child = key.data
                        answers.unregister(answered)
                        number = at.pop(answered)
                        try:
                            results[number] = answered.answer()
                        except LostError:
                            results[number] = LOST
                        finally:
                            self._give_back(answered)
                    go_on()
            finally:
                for busy in at:  # Ctrl-C, a fault: what they still answer belongs to nobody
                    busy.close()
                    self._give_back(busy)
        return [results[number] for number in range(len(calls))]

    def _borrowed(self, wait: bool) -> Child | None:
        """A process that is free, or a new one; None where all work and the caller has some."""
        from twinset.system.children import Child

        with self._change:
            while not self._free and self._busy >= self.most:
                if not wait:
                    return None
                self._change.wait(_PATIENCE)
                go_on()
            self._busy += 1
            return self._free.pop() if self._free else Child()

    def _give_back(self, child: Child) -> None:
        with self._change:
            self._busy -= 1
            self._free.append(child)
            self._change.notify()

    def close(self) -> None:
        """End all processes."""
        with self._change:
            free, self._free = self._free, []
        for child in free:
            child.close()
