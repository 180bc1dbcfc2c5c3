"""All that runs: jobs, processes that outlive page and server, and moves of files in threads.

Both tell their `State`, and both can be cancelled. A job is a folder: ``job.json`` (what it is for,
and its command once it is started), ``progress.json`` (how far it is, written by ``twinset
--progress``), ``output`` (what the command prints), ``end.json`` (how it ended, written by
``runner``), and what belongs to it: a plan, the files that it makes. A file lock held by
the child tells a running job from a killed one, so that any server, also one started later, finds
every job again in its current state.
"""

from __future__ import annotations

import fcntl
import logging
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from twinset.errors import PlanError, TwinsetError
from twinset.result.places import MANIFEST
from twinset.system.bounded import read_regular
from twinset.system.files import read_object, write_file, write_json
from twinset.web.render import GoneError

log = logging.getLogger("twinset.web")
ABOUT, END, LOCK = "job.json", "end.json", "lock"
OUTPUT_BYTES = 64 << 20
Status = Literal["draft", "running", "done", "failed", "cancelled", "killed"]
Kind = Literal["find", "dedup", "evaluate", "compare", "tune", "ask"]
"""All that is ever started in the background, whatever a form says."""
SEARCHES = ("find", "dedup")
LABORATORY = ("evaluate", "compare")
"""Kinds whose commands are typed after ``twinset lab``."""
NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
RESERVED = 16 << 10  # room for how a job ended, taken before it starts
ROOM_OF_NUMBER = 20  # the same for the number of its process


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
        """Whether nothing more will happen by itself."""
        return self.status != "running"


class Job(BaseModel):
    """A job's folder and what it is for; nothing but its state changes once it is started.

    Of a search, ``options`` are those of its plan that differ from the defaults, and ``way`` is
    "clean" where it was begun on the first page, or by answers about a folder, so that its result
    is what can go. Any other job may be ``about`` a search.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path = Field(exclude=True)
    kind: Kind = "find"
    title: str = ""
    created: float = 0.0
    command: tuple[str, ...] = ()
    out: str = ""
    paths: tuple[str, ...] = ()
    options: dict[str, Any] = {}
    way: Literal["steps", "clean"] = "steps"
    about: str = ""
    in_sets: str = ""

    @property
    def name(self) -> str:
        """The name of the job in addresses."""
        return self.folder.name

    @property
    def is_started(self) -> bool:
        """Whether it runs or has run."""
        return bool(self.command)

    def with_(self, **changes: Any) -> Job:
        """The same with other values."""
        return self.model_copy(update=changes)

    @property
    def written(self) -> str:
        """The command line that does the same in a terminal."""
        return as_written(self.command)

    def output(self) -> str:
        """What the command has printed."""
        try:
            return read_regular(self.folder / "output", OUTPUT_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def state(self) -> State:
        """The current state.

        A complete report counts for more than a process that was killed after writing it.
        """
        if not self.is_started:
            return State("draft")
        is_alive = self._is_alive()  # asked first: a job that ends in between has written its end
        stages = _stages(self.folder / "progress.json", is_alive)
        if is_alive:
            return State("running", stages)
        end = read_object(self.folder / END) or {}
        said = [line.removeprefix("twinset: ") for line in str(end.get("said", "")).splitlines()]
        return State(self._ended(end.get("exit")), stages, [line for line in said if line])

    def _ended(self, code: object) -> Status:
        if code == 0:
            return "done"
        if self._asked.exists():
            return "cancelled"
        if isinstance(code, int) and code > 0:
            return "failed"
        is_whole = self.kind in SEARCHES and self.out and (Path(self.out) / MANIFEST).is_file()
        return "done" if is_whole else "killed"

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


def _stages(file: Path, is_alive: bool) -> list[Stage]:
    """The stages so far; none where the file is damaged or not there yet."""
    try:
        now = read_object(file) or {"past": [], "stage": None}
        past = [Stage(str(stage["name"]), float(stage["seconds"]), True) for stage in now["past"]]
        if now["stage"] is None:
            return past
        done, total, written = now["done"], now["total"], float(now["told"])
        seconds = max(0.0, (time.time() if is_alive else written) - float(now["begun"]))
        rate = done / seconds if done and seconds > 0 else None
        share = min(1.0, done / total) if total else None
        left = max(0.0, (total - done) / rate) if total and rate else None
        at = str(now.get("at", ""))
        return [*past, Stage(str(now["stage"]), seconds, False, share, rate, left, at)]
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


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


class Jobs:
    """Jobs by name, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new(self, kind: str = "find", **facts: Any) -> Job:
        """A job that is not started yet."""
        folder = self._folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
        job = Job.model_validate({**facts, "kind": kind, "folder": folder, "created": time.time()})
        folder.mkdir(parents=True, mode=0o700)
        try:
            return self.save(job)
        except BaseException:  # a full disk, above all: no job is better than half a job
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def save(self, job: Job) -> Job:
        """Write a job to its file, whole or not at all."""
        write_json(job.folder / ABOUT, job.model_dump(), indent=1)
        return job

    def start(self, job: Job, command: Sequence[str]) -> Job:
        """Run ``twinset COMMAND...`` in the background, perhaps once more."""
        if command[0] != job.kind:
            raise PlanError([f"'{command[0]}' is not the command of this job; begin a new one"])
        if any("\0" in part for part in command):
            raise PlanError(["a value has a character that no command line can hold; leave it out"])
        lock = os.open(job.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the child inherits it
            for earlier in ("cancel", "progress.json"):
                (job.folder / earlier).unlink(missing_ok=True)
            # Taken now, so that a disk that fills up during the run cannot hide why it ended.
            write_file(job.folder / END, b" " * RESERVED)
            os.pwrite(lock, b" " * ROOM_OF_NUMBER, 0)
            words = ("lab", *command) if job.kind in LABORATORY else tuple(command)
            job = self.save(job.with_(command=words))
            _spawn(job.folder, lock)
        except BlockingIOError:
            raise PlanError(["this job is running already; wait for its end"]) from None
        finally:
            os.close(lock)
        return job

    def find(self, name: str, *kinds: str) -> Job:
        """A job by its name, of one of these kinds or any."""
        folder = self._folder / name
        if not NAME.fullmatch(name) or not (folder / ABOUT).is_file():
            raise GoneError("there is no such search or task any more; begin a new one")
        job = _read(folder)
        if job is None:
            raise GoneError(
                f"the job {name} cannot be read: {folder / ABOUT} is damaged; delete that folder "
                "and begin a new one, its report is not lost by that"
            )
        if kinds and job.kind not in kinds:
            raise GoneError("this is no search; choose one on the first page")
        return job

    def all(self, *kinds: str, about: str = "") -> list[Job]:
        """The jobs of these kinds or all, the newest first; damaged ones are left out."""
        jobs = [job for folder in self._folders() if (job := _read(folder))]
        jobs = [job for job in jobs if not kinds or job.kind in kinds]
        return [job for job in jobs if not about or job.about == about]

    def damaged(self) -> list[Path]:
        """The files of jobs that cannot be read."""
        return [folder / ABOUT for folder in self._folders() if _read(folder) is None]

    def remove(self, job: Job) -> None:
        """Forget a job with its files, and what is about it; the report of a search stays."""
        for each in (job, *self.all(about=job.name)):
            shutil.rmtree(each.folder, ignore_errors=True)

    def _folders(self) -> list[Path]:
        folders = (file.parent for file in self._folder.glob(f"*/{ABOUT}"))
        return sorted((folder for folder in folders if NAME.fullmatch(folder.name)), reverse=True)


def _read(folder: Path) -> Job | None:
    """A job from its file; None where that is damaged."""
    try:
        return Job.model_validate({**(read_object(folder / ABOUT) or {"": ""}), "folder": folder})
    except ValidationError:
        return None


def _spawn(folder: Path, lock: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "twinset.web.runner", str(folder), str(lock)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[lock],
        start_new_session=True,  # Ctrl-C at the server's terminal is not for the run
    )
    os.pwrite(lock, str(child.pid).encode(), 0)
    threading.Thread(target=child.wait, daemon=True).start()


def jobs_of(request: Request) -> Jobs:
    """The jobs of this page."""
    jobs: Jobs = request.app.state.jobs
    return jobs


Tell = Callable[[int, int, Path], None]
"""Is told how many files are done, of how many, and which one is at hand."""


class _CancelledError(TwinsetError):
    """Raised in the thread of a move that was asked to end."""


@dataclass
class Move:
    """Files of a report that a thread of this server removes, or brings back.

    No job, for it acts on what is marked in the server's memory. Its journal is written step by
    step, so that a killed server loses nothing but the view of it.
    """

    about: str
    how: str
    target: str = ""
    name: str = field(default_factory=lambda: secrets.token_hex(6))
    is_asked_to_end: bool = False
    outcome: Any = None
    _state: State = field(default_factory=lambda: State("running"))

    def state(self) -> State:
        """How far it is; its outcome is there when it is over."""
        return self._state

    def cancel(self) -> None:
        """End after the file at hand; what was done stays done, and can be undone."""
        self.is_asked_to_end = True

    def run(self, do: Callable[[Tell], Any]) -> None:
        """Do it, and note how it ended."""
        try:
            self.outcome = do(self._tell)
            self._state = State("done")
        except _CancelledError:
            self._state = State("cancelled")
        except (TwinsetError, OSError) as fault:
            self._state = State("failed", said=[str(fault)])
        except Exception:
            log.exception("the move %s failed", self.name)
            self._state = State("failed", said=["something went wrong; see what was done so far"])

    def _tell(self, done: int, total: int, path: Path) -> None:
        if self.is_asked_to_end:
            raise _CancelledError
        share = done / total if total else None
        self._state = State("running", [Stage("moving", 0.0, False, share, at=path.name)])


class Moves:
    """The moves of one server; one at a time for each report."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moves: dict[str, Move] = {}

    def start(self, move: Move, do: Callable[[Tell], Any]) -> Move:
        """Begin a move; raises while another one about the same report is running."""
        with self._lock:
            others = (each for each in self._moves.values() if each.about == move.about)
            if not all(each.state().is_over for each in others):
                raise PlanError(["files are being moved already; wait until that has ended"])
            self._moves[move.name] = move
        threading.Thread(target=move.run, args=(do,), name=f"move {move.name}").start()
        return move

    def find(self, about: str, name: str) -> Move:
        """A move about a report by its name."""
        move = self._moves.get(name)
        if move is None or move.about != about:
            raise GoneError("this page does not know that work any more; see what was done")
        return move
