"""The folder of all jobs: starting one, finding them again."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twinset.errors import PlanError
from twinset.system.files import write_file, write_json
from twinset.web.faults import GoneError
from twinset.web.jobs.job import ABOUT, END, LOCK, Job

COMMANDS = ("find", "dedup", "evaluate", "compare", "generate", "tune")
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
            raise PlanError(["a value has a sign that no command line can hold; leave it out"])
        folder = self._fresh()
        about = {"command": list(command), "created": time.time(), **facts}
        try:
            # Taken now, so that a disk that fills up during the run cannot hide why it ended.
            write_file(folder / END, b" " * RESERVED)
            write_json(folder / ABOUT, about)
            self._spawn(folder)
        except BaseException:  # a full disk, above all: no job is better than half a one
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
        found = (Job(self._folder / name) for name in names if NAME.fullmatch(name))
        return [job for job in found if job.is_readable]

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
                [sys.executable, "-m", "twinset.web.jobs.child", str(folder), str(lock)],
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
