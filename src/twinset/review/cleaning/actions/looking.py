"""Looks at files right before they are touched: are they what the search has seen?

Every byte of a file that goes, and of the one that stays in its place, is read again before the
step: nothing else tells a file that was changed and got its old time back. What was looked at stays
open, so that a file that takes the name meanwhile is never mistaken for it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from hashlib import blake2b
from pathlib import Path

from twinset.lazy_dataclass import dataclass
from twinset.review.cleaning.actions.model import FileStep, KnownFile, RefusalError

DIGEST_BYTES = 16
PIECE = 1 << 20
READ_PLAIN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
Mark = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A regular file that was opened, with its status at that time."""

    path: Path
    descriptor: int
    status: os.stat_result

    def digest(self) -> bytes:
        """The digest of all bytes."""
        hashed = blake2b(digest_size=DIGEST_BYTES)
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        while piece := os.read(self.descriptor, PIECE):
            hashed.update(piece)
        return hashed.digest()

    def is_at(self, path: Path) -> bool:
        """Whether this very file has that name now, and nobody has written to it."""
        try:
            status = os.lstat(path)
        except OSError:
            return False
        return _mark(status) == _mark(self.status)


@contextmanager
def hold(path: Path) -> Iterator[HeldFile]:
    """Open a regular file, no link to one; refuses everything else."""
    try:
        descriptor = os.open(path, READ_PLAIN)
    except FileNotFoundError:
        raise RefusalError("refused_missing") from None
    except OSError as fault:
        # What is no plain file often cannot be opened either.
        if not is_plain(path):
            raise RefusalError("refused_special") from None
        raise RefusalError("refused_unreadable", fault=fault.strerror) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise RefusalError("refused_special")
        yield HeldFile(path, descriptor, status)
    finally:
        os.close(descriptor)


def is_plain(path: Path) -> bool:
    """Whether there is a regular file of this name, no link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def digest_of(path: Path) -> bytes:
    """The digest of a regular file."""
    with hold(path) as file:
        return file.digest()


def has_content(path: Path, size: int, digest: bytes) -> bool:
    """Whether a regular file holds exactly these bytes."""
    try:
        with hold(path) as file:
            return file.status.st_size == size and file.digest() == digest
    except (RefusalError, OSError):
        return False


def ensure_unchanged(known: KnownFile, file: HeldFile) -> bytes:
    """The digest of a file that is still the one the search has seen; refuses any other."""
    if (file.status.st_size, file.status.st_mtime_ns) != (known.bytes, known.modified):
        raise RefusalError("refused_changed")
    digest = file.digest()
    if known.digest is not None and digest != known.digest:
        raise RefusalError("refused_changed")
    return digest


@dataclass
class Keepers:
    """Checks the file that stays before each step; reads its bytes once while it rests."""

    going: frozenset[Path]
    _digests: dict[Mark, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Iterable[FileStep]) -> Keepers:
        """The keepers of these steps, none of which may be a file that goes."""
        return cls(frozenset(step.file.path for step in steps))

    def ensure(self, keeper: KnownFile, file: HeldFile) -> tuple[os.stat_result, bytes]:
        """The status and digest of a keeper that is there, unchanged, and another file."""
        if keeper.path in self.going:
            raise RefusalError("refused_keeper_goes", keeper=str(keeper.path))
        try:
            with hold(keeper.path) as held:
                if os.path.samestat(held.status, file.status):
                    raise RefusalError("refused_same_file", keeper=str(keeper.path))
                mark = _mark(held.status, held.status.st_ctime_ns)
                digest = self._digests.get(mark)
                if digest is None:
                    digest = self._digests[mark] = ensure_unchanged(keeper, held)
                return held.status, digest
        except RefusalError as refusal:
            name = refusal.reason.name
            if name in ("refused_same_file", "refused_keeper_goes"):
                raise
            word = name.removeprefix("refused_")
            raise RefusalError(f"refused_keeper_{word}", keeper=str(keeper.path)) from None

    def still_there(self, keeper: KnownFile, status: os.stat_result) -> bool:
        """Whether the keeper is the file that was checked; a link to it may have been added."""
        try:
            now = os.lstat(keeper.path)
        except OSError:
            return False
        if _mark(now) != _mark(status):
            return False
        before = self._digests.get(_mark(status, status.st_ctime_ns))
        if before is not None:  # our own links alone have changed its ctime
            self._digests[_mark(now, now.st_ctime_ns)] = before
        return True


def _mark(status: os.stat_result, *more: int) -> Mark:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, *more)
