"""Long work as child processes that outlive the page and the server.

A job is a folder: ``job.json`` (the command and what it is for), ``progress.json`` (how far it is,
written by ``twinset --progress``), ``output`` (what the command prints) and ``end.json`` (how it
ended, written by ``runner``). A file lock held by the child tells a running job from a killed one,
so that any server, also one started later, finds every job again in its current state.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from twinset.errors import PlanError
from twinset.system.bounded import read_regular
from twinset.system.files import read_object, write_file, write_json
from twinset.web.faults import GoneError

ABOUT, END, LOCK = "job.json", "end.json", "lock"
OUTPUT_BYTES = 64 << 20
Status = Literal["running", "done", "failed", "cancelled", "killed"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a run; ``share``, ``rate`` (per second) and ``left`` (seconds) where known.

    ``at`` is the name of the file that is being read, where there is one.
    """

    name: str
    seconds: float
    is_over: bool
    share: float | None = None
    rate: float | None = None
    left: float | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a job; ``said`` is what the command wrote on stderr, as why it failed."""

    status: Status
    stages: list[Stage] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.status != "running"

    @property
    def seconds(self) -> float:
        """How long the job has been running."""
        return sum(stage.seconds for stage in self.stages)


@dataclass(frozen=True)
class Job:
    """A job's folder."""

    folder: Path

    @property
    def name(self) -> str:
        """The name of the job in addresses."""
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
        """The current state."""
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
        """Ask the job to end, once; what it has staged is removed, and no report appears."""
        if self._asked.exists() or not self._is_alive():
            return
        self._asked.touch()  # a second signal would disturb the clean-up after the first
        number = (self.folder / LOCK).read_text(encoding="ascii", errors="replace").strip()
        if not number.isdigit():
            raise GoneError(
                f"the job {self.name} cannot be stopped: {self.folder / LOCK} is damaged; end its "
                "process by hand"
            )
        os.killpg(int(number), signal.SIGTERM)

    @property
    def _asked(self) -> Path:
        """The file that marks a job as asked to end."""
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
    """How the job ended; None while that is unknown."""
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
        return [] if progress is None else _stages_in(progress, is_alive)
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _stages_in(progress: dict[str, Any], is_alive: bool) -> list[Stage]:
    past = [Stage(str(stage["name"]), float(stage["seconds"]), True) for stage in progress["past"]]
    if progress["stage"] is None:
        return past
    begun, written = float(progress["begun"]), float(progress["told"])
    seconds = max(0.0, (time.time() if is_alive else written) - begun)
    done, total = progress["done"], progress["total"]
    rate = done / seconds if done and seconds > 0 else None
    share = min(1.0, done / total) if total else None
    left = max(0.0, (total - done) / rate) if total and rate else None
    at = str(progress.get("at", ""))
    return [*past, Stage(str(progress["stage"]), seconds, False, share, rate, left, at)]


def as_written(command: Sequence[str]) -> str:
    """A command as a person would write it: without the options that only the page needs."""
    rest = iter(command)
    written = []
    for part in rest:
        if part in ("--within", "--exchange"):
            next(rest, None)
        elif part != "--json":
            written.append(part)
    return shlex.join(["twinset", *written])


COMMANDS = (
    *("find", "dedup", "evaluate", "compare", "generate", "tune", "mine", "learn", "experiment"),
    "ask",
)
"""All that is ever started in the background, whatever a form says."""
NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
RESERVED = 16 << 10  # room for how a job ended, taken before it starts
ROOM_OF_NUMBER = 20  # the same for the number of its process


class Jobs:
    """Jobs by name, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def start(self, command: Sequence[str], **facts: Any) -> Job:
        """Run ``twinset COMMAND...`` in the background; ``facts`` are kept with the job."""
        if not command or command[0] not in COMMANDS:
            raise PlanError([f"'{' '.join(command[:1])}' is not one of {', '.join(COMMANDS)}"])
        if any("\0" in part for part in command):
            raise PlanError(["a value has a character that no command line can hold; leave it out"])
        folder = self._fresh()
        about = {"command": list(command), "created": time.time(), **facts}
        try:
            # Taken now, so that a disk that fills up during the run cannot hide why it ended.
            write_file(folder / END, b" " * RESERVED)
            write_json(folder / ABOUT, about)
            self._spawn(folder)
        except BaseException:  # a full disk, above all: no job is better than half a job
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Job(folder)

    def find(self, name: str) -> Job:
        """A job by its name."""
        job = Job(self._folder / name)
        if not NAME.fullmatch(name) or not (job.folder / ABOUT).is_file():
            raise GoneError("there is no such job any more; start it again")
        return job

    def all(self) -> list[Job]:
        """Every job, the newest first; one whose file is damaged is left out."""
        if not self._folder.is_dir():
            return []
        names = sorted((path.name for path in self._folder.iterdir()), reverse=True)
        jobs = (Job(self._folder / name) for name in names if NAME.fullmatch(name))
        return [job for job in jobs if job.is_readable]

    def _fresh(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        folder = self._folder / f"{stamp}-{secrets.token_hex(3)}"
        folder.mkdir()
        return folder

    def _spawn(self, folder: Path) -> None:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the child inherits it: no moment without
            os.pwrite(lock, b" " * ROOM_OF_NUMBER, 0)
            child = subprocess.Popen(
                [sys.executable, "-m", "twinset.web.runner", str(folder), str(lock)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[lock],
                start_new_session=True,  # Ctrl-C at the server's terminal is not for the run
            )
            os.pwrite(lock, str(child.pid).encode(), 0)
        finally:
            os.close(lock)
        threading.Thread(target=child.wait, daemon=True).start()
