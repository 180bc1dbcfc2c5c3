"""The journal of decisions: one line each, only ever appended to, beside the tables of the report.

A line is written at once and reaches the disk before the call returns. A line that a crash has cut
short is skipped, and the next one begins on a line of its own. Writers take turns by a lock.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twinset.errors import PlanError, ReportError
from twinset.report.staging import DECISIONS
from twinset.review.decisions import Decision, Decisions, Verdict
from twinset.system.bounded import JOURNAL_BYTES, open_regular, read_up_to
from twinset.system.temporary import is_at, wait_for_lock

NAME = DECISIONS
_PLAIN_FILE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass
class Journal:
    """The journal of one report folder; several processes may use it at the same time."""

    folder: Path
    _entries: dict[int, dict[str, Any]] = field(default_factory=dict, repr=False)
    _seen: tuple[int, int, int] = (0, 0, 0)
    _folded: Decisions | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=threading.RLock, repr=False)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / NAME

    def add(self, ids: Sequence[str], verdict: Verdict, keep: str | None = None) -> Decision:
        """Write a decision down; it replaces an earlier one on the same documents."""
        decision = Decision(tuple(ids), verdict, keep, _now())
        if faults := decision.faults():
            raise PlanError(faults)
        entry: dict[str, Any] = {"at": decision.at, "verdict": verdict, "ids": list(ids)}
        if keep is not None:
            entry["keep"] = keep
        with self._open() as file:
            line = self._append(file, entry)
        return Decision(decision.ids, verdict, keep, decision.at, line)

    def undo(self) -> Decision | None:
        """Take the last standing entry back; None where there is nothing left."""
        with self._open() as file:
            last = self.read().last
            if last is not None:
                self._append(file, {"at": _now(), "undo": last.line})
        return last

    def read(self) -> Decisions:
        """The current decisions; only lines written since the last call are read."""
        with self._lock:
            self._read_more()
            if self._folded is None:
                self._folded = _fold(self._entries)
            return self._folded

    @contextmanager
    def _open(self) -> Iterator[int]:
        with self._lock:
            file = self._locked_file()
            try:
                yield file
            finally:
                os.close(file)

    def _locked_file(self) -> int:
        """The file for us alone; while we waited another report may have got the folder's name."""
        while True:
            file = self._open_file()
            wait_for_lock(file)
            if is_at(self.path, file):
                return file
            os.close(file)

    def _open_file(self) -> int:
        if not self.folder.is_dir():
            raise ReportError(
                f"the report folder {self.folder} is gone: nothing was saved; "
                "put it back, or run again"
            )
        try:
            # Neither another file through a link, nor a pipe that would wait for its reader.
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _PLAIN_FILE
            file = os.open(self.path, flags, 0o644)
        except OSError as fault:
            raise self._not_written(fault) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise self._not_written(OSError(errno.EINVAL, "it is not a regular file"))
        return file

    def _append(self, file: int, entry: dict[str, Any]) -> int:
        """Write a line and give its number; what could not be written whole is taken back."""
        size = os.fstat(file).st_size
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        try:
            written = os.write(file, line)
            if written < len(line):
                raise OSError(28, "the disk is full")
            os.fsync(file)
        except OSError as fault:
            os.ftruncate(file, size)
            raise self._not_written(fault) from None
        self._read_more()
        return self._seen[2]

    def _not_written(self, fault: OSError) -> ReportError:
        return ReportError(
            f"{self.path}: the decision was not saved ({fault.strerror}); "
            "check the free space and the rights"
        )

    def _read_more(self) -> None:
        try:
            if self.path.is_symlink():
                raise OSError(errno.ELOOP, "it is a link")
            file = open_regular(self.path, most=JOURNAL_BYTES)
        except FileNotFoundError:
            if self._entries:
                self._entries, self._seen, self._folded = {}, (0, 0, 0), None
            return
        except OSError as fault:
            raise ReportError(
                f"{self.path}: the decisions cannot be read ({fault.strerror}); remove it, or put "
                "the journal of the report there"
            ) from None
        with file:
            status = os.fstat(file.fileno())
            inode, offset, line = self._seen
            if inode != status.st_ino or status.st_size < offset:
                self._entries, offset, line = {}, 0, 0
                self._folded = None
            file.seek(offset)
            data = read_up_to(file, JOURNAL_BYTES, self.path)
        end = data.rfind(b"\n") + 1
        for raw in data[:end].split(b"\n")[:-1]:
            line += 1
            entry = _entry(raw)
            if entry is not None:
                self._entries[line] = entry
            self._folded = None
        self._seen = (status.st_ino, offset + end, line)


def _entry(raw: bytes) -> dict[str, Any] | None:
    """A line of the journal; None for one that a crash has cut short or a stranger has written."""
    try:
        entry = json.loads(raw.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("undo"), int):
        return entry
    ids = entry.get("ids")
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        return None
    return None if _decision(entry, 0).faults() else entry


def _decision(entry: dict[str, Any], line: int) -> Decision:
    return Decision(
        tuple(entry["ids"]),
        entry.get("verdict", ""),
        entry.get("keep"),
        str(entry.get("at", "")),
        line,
    )


def _fold(entries: dict[int, dict[str, Any]]) -> Decisions:
    undone = {entry["undo"] for entry in entries.values() if "undo" in entry}
    decisions = [
        _decision(entry, line)
        for line, entry in entries.items()
        if "undo" not in entry and line not in undone
    ]
    by_subject: dict[frozenset[str], Decision] = {}
    for decision in decisions:
        by_subject.pop(decision.subject, None)
        by_subject[decision.subject] = decision
    return Decisions(tuple(by_subject.values()), by_subject, decisions[-1] if decisions else None)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
