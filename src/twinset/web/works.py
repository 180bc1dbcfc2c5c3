"""Work on files that a page has started: a thread each, with its progress and its end.

What the work does is written to a journal step by step, so that a killed server loses nothing but
the view of it.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from twinset.errors import PlanError, TwinsetError
from twinset.web.faults import GoneError

log = logging.getLogger("twinset.web")
KEPT = 50
"""Finished works whose end can still be looked at."""
Result = TypeVar("Result")
Tell = Callable[[int, int, str], None]
"""Is told how many steps are done, of how many, and what is at hand."""


@dataclass
class Work(Generic[Result]):
    """One work: ``outcome`` when it has ended, ``fault`` where it could not go on."""

    name: str
    about: str
    how: str
    total: int = 0
    done: int = 0
    at_hand: str = ""
    outcome: Result | None = None
    fault: str = ""
    is_over: bool = False
    facts: dict[str, str] = field(default_factory=dict)

    def tell(self, done: int, total: int, at_hand: str = "") -> None:
        """Note how far the work is."""
        self.done, self.total, self.at_hand = done, total, at_hand


class Works:
    """The works of one server; one at a time for each report."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._works: OrderedDict[str, Work[object]] = OrderedDict()

    def start(
        self, about: str, how: str, do: Callable[[Tell], Result], **facts: str
    ) -> Work[Result]:
        """Begin a work; raises while another one about the same is running."""
        work: Work[Result] = Work(secrets.token_hex(6), about, how, facts=facts)
        with self._lock:
            if any(each.about == about and not each.is_over for each in self._works.values()):
                raise PlanError(["files are being moved already; wait until that has ended"])
            self._works[work.name] = work  # type: ignore[assignment]
            over = [name for name, each in self._works.items() if each.is_over]
            for name in over[: max(0, len(self._works) - KEPT)]:
                del self._works[name]
        threading.Thread(target=_run, args=(work, do), name=f"work {work.name}").start()
        return work

    def find(self, about: str, name: str) -> Work[object]:
        """A work as it stands now, by its name; the view does not change while a page shows it."""
        work = self._works.get(name)
        if work is None or work.about != about:
            raise GoneError("this page does not know that work any more; see what was done")
        # Read before the rest: a work is over only when its outcome or fault is there.
        is_over = work.is_over
        return replace(work, is_over=is_over)


def _run(work: Work[Result], do: Callable[[Tell], Result]) -> None:
    try:
        work.outcome = do(work.tell)
    except (TwinsetError, OSError) as fault:
        work.fault = str(fault)
    except Exception:
        log.exception("the work %s failed", work.name)
        work.fault = "something went wrong; what was done so far is in the list of what was done"
    finally:
        work.is_over = True
