"""How far Spark is: the tasks of its stages, reported as those of a local run are.

Jobs carry the name of the run's stage that they belong to, which Spark's own page shows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from twinset.engine.progress import Progress, Silent

EVERY = 0.5
"""Seconds between two looks at the stages: those that are over sooner are not shown."""
LOOKS = 40
"""So many looks at a stage that nobody works on mean that something is missing."""
WAITING = (
    "waiting for a worker that is free and has the cores and the memory that spark.executor.memory "
    "asks for"
)


@contextmanager
def watched(session: Any, progress: Progress | None) -> Iterator[Progress]:
    """A progress whose stages are followed by the tasks that Spark has done for them."""
    context = session.sparkContext
    watch = StageWatch(context.statusTracker(), progress or Silent(), context.setJobDescription)
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(EVERY):
            with suppress(Exception):  # a session that dies is for the run to report
                watch.look()

    thread = threading.Thread(target=look, daemon=True, name="twinset-spark-progress")
    if progress is not None:
        thread.start()
    try:
        yield watch
    finally:
        ended.set()
        if progress is not None:
            thread.join()
        with suppress(Exception):
            context.setJobDescription(None)


class StageWatch:
    """Looks at the stages that Spark is working on, and reports their tasks."""

    def __init__(
        self, tracker: Any, progress: Progress, describe: Callable[[str], object] = str
    ) -> None:
        self._tracker, self._progress, self._describe = tracker, progress, describe
        self._lock = threading.Lock()
        self._name = ""
        self._stage: int | None = None
        self._done = 0
        self._idle = 0

    def stage(self, name: str, total: float | None) -> None:
        """A new stage of the run, which may be several of Spark."""
        with self._lock:
            self._name, self._stage = name, None
            self._progress.stage(name, total)
        self._describe(f"twinset: {name}")

    def advance(self, amount: float, at: str = "") -> None:
        """Work that the driver has done itself."""
        with self._lock:
            self._progress.advance(amount, at)

    def close(self) -> None:
        """The run is over."""
        with self._lock:
            self._progress.close()

    def look(self) -> None:
        """Report what has been done since the last look; of several stages the oldest counts."""
        numbers = sorted(self._tracker.getActiveStageIds())
        infos = [info for number in numbers if (info := self._tracker.getStageInfo(number))]
        if not infos:
            return
        info = infos[0]
        with self._lock:
            if info.stageId != self._stage:
                self._stage, self._done, self._idle = info.stageId, 0, 0
                name = f"{self._name}, stage {info.stageId} of Spark"
                self._progress.stage(name.lstrip(", "), info.numTasks)
            self._progress.advance(info.numCompletedTasks - self._done)
            self._done = info.numCompletedTasks
            self._say_idle(info.numActiveTasks)

    def _say_idle(self, active: int) -> None:
        """A cluster that has nobody for a task waits, and Spark says so in its log alone."""
        if not active:
            self._idle += 1
            if self._idle == LOOKS:
                self._progress.stage(WAITING, None)
        elif self._idle:
            if self._idle >= LOOKS:
                self._stage = None  # which names the stage again
            self._idle = 0
