"""Files of JSON objects, one per line, that are only ever appended to.

A line is written at once and reaches the disk before the call returns. A line that a crash has cut
short is skipped, and the next one begins on a line of its own. Writers take turns by a lock. Sealed
lines end with their digest: one that was damaged is known, and skipped, too.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from twinset.errors import ReportError
from twinset.system.bounded import JOURNAL_BYTES, open_regular, read_up_to
from twinset.system.temporary import is_at, wait_for_lock

Entry = dict[str, Any]
Folded = TypeVar("Folded")
_PLAIN_FILE = os.O_NOFOLLOW | os.O_NONBLOCK


def each_once(pairs: list[tuple[str, Any]]) -> Entry:
    """An object of JSON; one that has a name twice is refused, since only one value could count."""
    entry = dict(pairs)
    if len(entry) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {twice!r} twice")
    return entry


@dataclass
class AppendedLines:
    """The entries of one file; several processes may append to it at the same time.

    ``accepts`` says whether an object is an entry: what a stranger has written is passed over.
    ``noun`` names an entry, and ``remedy`` says what helps where the file is none of ours.
    ``unread`` has the numbers of lines that are no entry, or not as they were ``sealed``.
    """

    path: Path
    accepts: Callable[[Entry], bool]
    noun: str = "entry"
    remedy: str = "remove it"
    sealed: bool = False
    unread: list[int] = field(default_factory=list, repr=False)
    _entries: dict[int, Entry] = field(default_factory=dict, repr=False)
    _seen: tuple[int, int, int] = (0, 0, 0)
    _folded: tuple[Any, tuple[int, int, int], Any] | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=threading.RLock, repr=False)

    @contextmanager
    def writing(self) -> Iterator[Callable[[Entry], int]]:
        """Hold the file alone; the function appends an entry and gives the number of its line."""
        with self._lock:
            file = self._locked_file()
            try:
                yield lambda entry: self._append(file, entry)
            finally:
                os.close(file)

    def folded(self, fold: Callable[[dict[int, Entry]], Folded]) -> Folded:
        """What ``fold`` makes of the entries by line; made again only where there are new ones.

        Only lines written since the last call are read from the file.
        """
        with self._lock:
            self._read_more()
            if self._folded is None or self._folded[:2] != (fold, self._seen):
                self._folded = (fold, self._seen, fold(self._entries))
            result: Folded = self._folded[2]
            return result

    def _locked_file(self) -> int:
        """The file for us alone; while we waited another folder may have got its folder's name."""
        while True:
            file = self._open_file()
            wait_for_lock(file)
            if is_at(self.path, file):
                return file
            os.close(file)

    def _open_file(self) -> int:
        try:
            # Neither another file through a link, nor a pipe that would wait for its reader.
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _PLAIN_FILE
            mode = os.stat(self.path.parent).st_mode & 0o666  # for whom the folder is
            file = os.open(self.path, flags, mode)
        except OSError as fault:
            raise self._not_written(fault) from None
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise self._not_written(OSError(errno.EINVAL, "it is not a regular file"))
        return file

    def _append(self, file: int, entry: Entry) -> int:
        """Write a line and give its number; what could not be written whole is taken back."""
        size = os.fstat(file).st_size
        line = _written({**entry, "seal": _seal(entry)} if self.sealed else entry) + b"\n"
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        try:
            if os.write(file, line) < len(line):
                raise OSError(errno.ENOSPC, "the disk is full")
            os.fsync(file)
        except OSError as fault:
            os.ftruncate(file, size)
            raise self._not_written(fault) from None
        self._read_more()
        return self._seen[2]

    def _not_written(self, fault: OSError) -> ReportError:
        return ReportError(
            f"{self.path}: the {self.noun} was not saved ({fault.strerror}); "
            "check the free space and the rights"
        )

    def _read_more(self) -> None:
        try:
            if self.path.is_symlink():
                raise OSError(errno.ELOOP, "it is a link")
            file = open_regular(self.path, most=JOURNAL_BYTES)
        except FileNotFoundError:
            self._entries, self.unread, self._seen = {}, [], (0, 0, 0)
            return
        except OSError as fault:
            raise ReportError(
                f"{self.path}: the {self.noun}s cannot be read ({fault.strerror}); {self.remedy}"
            ) from None
        with file:
            status = os.fstat(file.fileno())
            inode, offset, line = self._seen
            if inode != status.st_ino or status.st_size < offset:
                self._entries, self.unread, offset, line = {}, [], 0, 0
            file.seek(offset)
            data = read_up_to(file, JOURNAL_BYTES, self.path)
        end = data.rfind(b"\n") + 1
        for raw in data[:end].split(b"\n")[:-1]:
            line += 1
            entry = _object(raw)
            if entry is None or (self.sealed and entry.pop("seal", None) != _seal(entry)):
                self.unread.append(line)
            elif self.accepts(entry):
                self._entries[line] = entry
        self._seen = (status.st_ino, offset + end, line)


def _written(entry: Entry) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _seal(entry: Entry) -> str:
    return blake2b(_written(entry), digest_size=8).hexdigest()


def _object(raw: bytes) -> Entry | None:
    """The JSON object on a line; None for one that a crash has cut short."""
    try:
        entry = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
