"""Moving files, which a page has started: a thread each, with its progress and its end.

What is done is written to a journal step by step, so that a killed server loses nothing but the
view of it. A removal cannot be a job: it acts on what was marked in this server's memory.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from twinset.errors import PlanError, TwinsetError
from twinset.web.faults import GoneError

log = logging.getLogger("twinset.web")
Tell = Callable[[int, int, str], None]
"""Is told how many steps are done, of how many, and what is at hand."""


@dataclass
class Work:
    """One work: ``outcome`` when it has ended, ``fault`` where it could not go on."""

    name: str
    about: str
    how: str
    total: int = 0
    done: int = 0
    at_hand: str = ""
    outcome: Any = None
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
        self._works: dict[str, Work] = {}

    def start(self, about: str, how: str, do: Callable[[Tell], Any], **facts: str) -> Work:
        """Begin a work; raises while another one about the same is running."""
        work = Work(secrets.token_hex(6), about, how, facts=facts)
        with self._lock:
            if any(each.about == about and not each.is_over for each in self._works.values()):
                raise PlanError(["files are being moved already; wait until that has ended"])
            self._works[work.name] = work
        threading.Thread(target=_run, args=(work, do), name=f"work {work.name}").start()
        return work

    def find(self, about: str, name: str) -> Work:
        """A work as it stands now, by its name; the view does not change while a page shows it."""
        work = self._works.get(name)
        if work is None or work.about != about:
            raise GoneError("this page does not know that work any more; see what was done")
        # Read before the rest: a work is over only when its outcome or fault is there.
        is_over = work.is_over
        return replace(work, is_over=is_over)


def _run(work: Work, do: Callable[[Tell], Any]) -> None:
    try:
        work.outcome = do(work.tell)
    except (TwinsetError, OSError) as fault:
        work.fault = str(fault)
    except Exception:
        log.exception("the work %s failed", work.name)
        work.fault = "something went wrong; what was done so far is in the list of what was done"
    finally:
        work.is_over = True
