"""One job as it is now, read from its folder."""

from __future__ import annotations

import fcntl
import os
import shlex
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from twinset.system.bounded import read_regular
from twinset.system.files import read_object
from twinset.web.faults import GoneError

ABOUT, END, LOCK = "job.json", "end.json", "lock"
OUTPUT_BYTES = 64 << 20
Status = Literal["running", "done", "failed", "cancelled", "killed"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a run; ``share``, ``rate`` (a second) and ``left`` (seconds) where known."""

    name: str
    seconds: float
    is_over: bool
    share: float | None = None
    rate: float | None = None
    left: float | None = None


@dataclass(frozen=True, slots=True)
class State:
    """How a job stands; ``said`` is what the command said, above all why it failed."""

    status: Status
    stages: list[Stage] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.status != "running"

    @property
    def seconds(self) -> float:
        """How long the job has been at work."""
        return sum(stage.seconds for stage in self.stages)


@dataclass(frozen=True)
class Job:
    """A job's folder."""

    folder: Path

    @property
    def name(self) -> str:
        """What stands for the job in addresses."""
        return self.folder.name

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the job was started with: ``command``, ``created`` and what the caller added."""
        facts = read_object(self.folder / ABOUT)
        if facts is None or not _are_facts(facts):
            raise GoneError(
                f"the job {self.name} cannot be read: {self.folder / ABOUT} is damaged; delete "
                "that folder and start the job again"
            )
        return facts

    @property
    def is_readable(self) -> bool:
        """Whether what the job was started with can be read."""
        try:
            return bool(self.facts)
        except GoneError:
            return False

    @property
    def command(self) -> str:
        """The command line that does the same in a terminal."""
        return as_written(self.facts["command"])

    def output(self) -> str:
        """What the command has printed."""
        try:
            return read_regular(self.folder / "output", OUTPUT_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def state(self) -> State:
        """How the job stands now."""
        is_alive = self._is_alive()  # asked first: a job that ends in between has written its end
        end = _end(self.folder / END)
        stages = _stages(self.folder / "progress.json", is_alive)
        if is_alive and end is None:
            return State("running", stages)
        if end is None:
            return State("cancelled" if self._asked.exists() else "killed", stages)
        said = [line.removeprefix("twinset: ") for line in str(end.get("said", "")).splitlines()]
        return State(_status(end), stages, [line for line in said if line])

    def cancel(self) -> None:
        """Ask the job to end, once; what it has staged goes, and its report never appears."""
        if self._asked.exists() or not self._is_alive():
            return
        self._asked.touch()  # a second signal would disturb the tidying up after the first
        number = (self.folder / LOCK).read_text(encoding="ascii", errors="replace").strip()
        if not number.isdigit():
            raise GoneError(
                f"the job {self.name} cannot be stopped: {self.folder / LOCK} is damaged; end its "
                "process yourself"
            )
        os.killpg(int(number), signal.SIGTERM)

    @property
    def _asked(self) -> Path:
        """A mark that the job has been asked to end."""
        return self.folder / "cancel"

    def _is_alive(self) -> bool:
        try:
            lock = os.open(self.folder / LOCK, os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            return False
        finally:
            os.close(lock)


def _are_facts(facts: dict[str, Any]) -> bool:
    """Whether these are values as `Jobs.start` writes them."""
    command = facts.get("command")
    texts = (facts.get(name, "") for name in ("kind", "out", "title", "documents", "search"))
    return (
        isinstance(command, list)
        and all(isinstance(part, str) for part in command)
        and isinstance(facts.get("created"), int | float)
        and all(isinstance(text, str) for text in texts)
    )


def _end(file: Path) -> dict[str, Any] | None:
    """How the job ended; None where that is not known: not yet, or not any more."""
    end = read_object(file)
    is_known = end is not None and isinstance(end.get("exit"), int)
    return end if is_known else None


def _status(end: dict[str, Any]) -> Status:
    if end["exit"] == 0:
        return "done"
    if end.get("cancelled"):
        return "cancelled"
    return "killed" if end["exit"] < 0 else "failed"


def _stages(file: Path, is_alive: bool) -> list[Stage]:
    """The stages so far; none where the file is damaged or not there yet."""
    progress = read_object(file)
    try:
        return [] if progress is None else _told_stages(progress, is_alive)
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _told_stages(progress: dict[str, Any], is_alive: bool) -> list[Stage]:
    past = [Stage(str(one["name"]), float(one["seconds"]), True) for one in progress["past"]]
    if progress["stage"] is None:
        return past
    begun, told = float(progress["begun"]), float(progress["told"])
    seconds = max(0.0, (time.time() if is_alive else told) - begun)
    done, total = progress["done"], progress["total"]
    rate = done / seconds if done and seconds > 0 else None
    share = min(1.0, done / total) if total else None
    left = max(0.0, (total - done) / rate) if total and rate else None
    return [*past, Stage(str(progress["stage"]), seconds, False, share, rate, left)]


def as_written(command: Sequence[str]) -> str:
    """A command as a person would write it: without what only the page needs of it."""
    rest = iter(command)
    written = []
    for part in rest:
        if part == "--within":
            next(rest, None)
        elif part != "--json":
            written.append(part)
    return shlex.join(["twinset", *written])
