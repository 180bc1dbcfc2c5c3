"""How far a run is, on stderr: a live bar on a terminal, an occasional line elsewhere.

With ``twinset --progress FILE`` it goes to a small JSON file instead, for other programs.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from twinset.errors import Stopped
from twinset.system.files import write_json

if TYPE_CHECKING:
    from twinset.run import Progress

BYTE_STAGES = frozenset({"reading"})
_PATIENCE = 0.5  # seconds
_file: str | None = None


def report_to(path: str | None) -> None:
    """From now on write the progress to this file, and not to stderr."""
    global _file
    _file = path


def progress(quiet: bool) -> Progress | None:
    """A bar on a terminal, lines elsewhere; None when nothing is to be shown."""
    if _file is not None:
        return File(_file)
    if quiet:
        return None
    return Bar() if sys.stderr.isatty() else Lines(sys.stderr)


@contextmanager
def shown(quiet: bool, stopped: str = "") -> Iterator[Progress | None]:
    """`progress` until the block ends; ``stopped`` is what a run says that is interrupted."""
    bar = progress(quiet)
    try:
        yield bar
    except (KeyboardInterrupt, Stopped) as end:
        end.args = (stopped,) if stopped else end.args
        raise
    finally:
        if bar is not None:
            bar.close()


@contextmanager
def writing(bar: Progress | None, findings: Any) -> Iterator[None]:
    """The stage in which the report is written, and documents of files with it."""
    if bar is None:
        yield
        return
    total, meter = len(findings.documents), findings.writing
    bar.stage("writing", total)
    over = threading.Event()

    def report() -> None:
        done = 0
        while not over.wait(_PATIENCE):
            now = max(int(total * min(meter.done / (meter.planned or 1), 1)), done)
            bar.advance(now - done)
            done = now

    reporting = threading.Thread(target=report, name="twinset-progress", daemon=True)
    reporting.start()
    try:
        yield
    finally:
        over.set()
        reporting.join()


class Lines:
    """A line at the end of a stage and at most every ``every`` seconds, for logs."""

    def __init__(
        self, stream: TextIO, every: float = 10, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream, self._every, self._clock = stream, every, clock
        self._name: str | None = None
        self._total: float | None = None
        self._done = self._start = self._shown_at = 0.0

    def stage(self, name: str, total: float | None) -> None:
        """Begin a stage, which ends the one before."""
        self.close()
        self._name, self._total, self._done = name, total, 0.0
        self._start = self._shown_at = self._clock()

    def advance(self, amount: float, at: str = "") -> None:
        """Count work that is done."""
        self._done += amount
        now = self._clock()
        if self._name is not None and now - self._shown_at >= self._every:
            self._shown_at = now
            self._say(self._state(now - self._start))

    def close(self) -> None:
        """End the last stage."""
        if self._name is not None:
            self._say(f"done in {duration(self._clock() - self._start)}")
            self._name = None

    def _state(self, seconds: float) -> str:
        speed = rate(self._name or "", self._done, seconds)
        if not self._total or not self._done:
            return speed
        left = seconds * (self._total - self._done) / self._done
        return f"{min(1, self._done / self._total):.0%}, {speed}, {duration(max(0, left))} left"

    def _say(self, text: str) -> None:
        self._stream.write(f"{self._name}: {text}\n")
        self._stream.flush()


class File:
    """The state as one JSON object in a file, replaced whole at most twice a second.

    ``past`` has the stages that are over with their seconds; ``stage``, ``done``, ``total`` and
    ``begun`` are those of the current stage and ``at`` the file that is being read, where it is
    known; times are in seconds since 1970.
    """

    def __init__(
        self, path: str, every: float = 0.5, clock: Callable[[], float] = time.time
    ) -> None:
        self._path, self._every, self._clock = path, every, clock
        self._past: list[dict[str, Any]] = []
        self._name: str | None = None
        self._total: float | None = None
        self._done = self._begun = self._shown_at = 0.0
        self._at = ""

    def stage(self, name: str, total: float | None) -> None:
        """Begin a stage, which ends the one before."""
        self._end()
        self._name, self._total, self._done, self._begun = name, total, 0.0, self._clock()
        self._at = ""
        self._write()

    def advance(self, amount: float, at: str = "") -> None:
        """Count work that is done, and remember where it is."""
        self._done += amount
        self._at = at or self._at
        if self._clock() - self._shown_at >= self._every:
            self._write()

    def close(self) -> None:
        """End the last stage."""
        self._end()
        self._write()

    def _end(self) -> None:
        if self._name is not None:
            seconds = round(self._clock() - self._begun, 3)
            self._past.append({"name": self._name, "seconds": seconds})
            self._name = None

    def _write(self) -> None:
        self._shown_at = self._clock()
        state = {"past": self._past, "stage": self._name, "done": self._done}
        state |= {"total": self._total, "begun": self._begun, "told": self._shown_at}
        state["at"] = self._at
        with suppress(OSError):  # a full disk is for the run itself to report
            write_json(self._path, state, durable=False)  # it is old in half a second


class Bar:
    """A rich progress bar with rate and time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Left

        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
        speed = TextColumn("{task.fields[speed]}")
        self._live = Progress(*columns, speed, Left(), console=Console(stderr=True), transient=True)
        self._task: Any = None
        self._name = ""

    def stage(self, name: str, total: float | None) -> None:
        """Begin a stage; the bar of the one before goes."""
        if self._task is None:
            self._live.start()
        else:
            self._live.remove_task(self._task)
        self._name = name
        self._task = self._live.add_task(name, total=total, speed="")

    def advance(self, amount: float, at: str = "") -> None:
        """Count work that is done."""
        if self._task is not None:
            task = self._live.tasks[0]
            speed = rate(self._name, task.completed + amount, task.elapsed or 0)
            self._live.update(self._task, advance=amount, speed=speed)

    def close(self) -> None:
        """Clear the line."""
        self._live.stop()
        self._task = None


def rate(stage: str, amount: float, seconds: float) -> str:
    """The amount per second in the unit that suits it."""
    speed, unit = amount / max(seconds, 1e-9), "B" if stage in BYTE_STAGES else ""
    for prefix in ("", "k", "M", "G"):
        if speed < 1000 or prefix == "G":
            break
        speed /= 1000
    return f"{speed:.3g} {prefix}{unit}/s" if prefix or unit else f"{speed:.3g}/s"


def duration(seconds: float) -> str:
    """A span of time in the units that suit it."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02} min"
