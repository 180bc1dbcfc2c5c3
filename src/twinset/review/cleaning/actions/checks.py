"""Steps, plans and outcomes of actions, and the checks of files right before each step.

Every byte of a file that goes, and of the one that stays in its place, is read again before the
step: only its bytes show that a file was changed and got its old time back. A checked file stays
open, so that another one that takes its name is never mistaken for it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, get_args

from twinset.model.flow import Kind
from twinset.review.cleaning.model import Reason

How = Literal["trash", "move"]
HOWS: tuple[How, ...] = get_args(How)
Digest = bytes
Progress = Callable[[int, int, Path], None]
"""Called before each file with the number of finished files, of all, and the file's path."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the search has seen it; ``digest`` is None where nobody has read the bytes.

    ``root`` is the searched folder: below it no link leads to the file.
    """

    path: Path
    root: Path
    bytes: int
    modified: int
    digest: Digest | None = None

    def ensure_seen(self, status: os.stat_result) -> None:
        """Refuse a file of another size or time."""
        if (status.st_size, status.st_mtime_ns) != (self.bytes, self.modified):
            raise RefusalError("refused_changed")


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file that goes, the one that stays in its place, and why."""

    file: KnownFile
    keeper: KnownFile
    kind: Kind | None
    why: Reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that stays as it is although it was selected, and why."""

    path: Path
    reason: Reason


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """What will happen, and what will not.

    ``root`` is the folder whose relative paths a move keeps.
    """

    how: How
    steps: tuple[FileStep, ...]
    refused: tuple[Refusal, ...]
    home: Path
    root: Path
    target: Path | None = None
    report: str = ""

    @property
    def bytes(self) -> int:
        """The bytes of the files that go."""
        return sum(step.file.bytes for step in self.steps)


@dataclass(frozen=True, slots=True)
class HandledFile:
    """A file that was handled; ``place`` is where it lies now."""

    path: Path
    bytes: int
    place: Path


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What an action or its undoing has done; ``operation`` names it for undoing."""

    operation: str
    how: How
    done: tuple[HandledFile, ...]
    refused: tuple[Refusal, ...]

    @property
    def bytes(self) -> int:
        """The bytes of the files that were handled."""
        return sum(file.bytes for file in self.done)


class RefusalError(Exception):
    """Ends the work on one file and says why; the other files go on."""

    def __init__(self, name: str, **values: Any) -> None:
        self.reason = Reason(name, values)
        super().__init__(name)

    @classmethod
    def of(cls, fault: OSError) -> RefusalError:
        """A refusal with the words of the operating system."""
        return cls("refused_fault", fault=fault.strerror or str(fault))

    def of_keeper(self, keeper: Path) -> RefusalError:
        """The same refusal about the file that would stay."""
        word = self.reason.name.removeprefix("refused_").removeprefix("keeper_")
        return RefusalError(f"refused_keeper_{word}", keeper=str(keeper))


DIGEST_BYTES = 16
PIECE = 1 << 20
READ_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
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
def way_to(path: Path, root: Path) -> Iterator[tuple[str, int]]:
    """The name of a file and its folder, for calls that take ``dir_fd``.

    Each folder below the root is opened in the one above it, and refused where it is a link: since
    the search somebody may have put one there that leads elsewhere.
    """
    folders = path.relative_to(root).parts[:-1]
    descriptor, at = os.open(root, FOLDER), root
    try:
        for name in folders:
            at /= name
            try:
                inner = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
            except OSError:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if not stat.S_ISLNK(status.st_mode):
                    raise
                raise RefusalError("refused_linked", folder=str(at)) from None
            os.close(descriptor)
            descriptor = inner
        yield path.name, descriptor
    finally:
        os.close(descriptor)


def ensure_way(path: Path, root: Path) -> None:
    """Refuse a place behind a link; folders that are not there yet are none."""
    with suppress(OSError), way_to(path, root):
        pass


@contextmanager
def hold(path: Path, root: Path | None = None) -> Iterator[HeldFile]:
    """Open a regular file, no link to one and behind none below the root; refuses all else."""
    try:
        with way_to(path, root or path.parent) as (name, folder):
            descriptor = os.open(name, READ_PLAIN, dir_fd=folder)
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


def has_content(path: Path, size: int, digest: bytes) -> bool:
    """Whether a regular file holds exactly these bytes."""
    try:
        with hold(path) as file:
            return file.status.st_size == size and file.digest() == digest
    except (RefusalError, OSError):
        return False


def ensure_unchanged(known: KnownFile, file: HeldFile) -> bytes:
    """The digest of a file that is still the one the search has seen; refuses any other."""
    known.ensure_seen(file.status)
    digest = file.digest()
    if known.digest is not None and digest != known.digest:
        raise RefusalError("refused_changed")
    return digest


@dataclass
class Keepers:
    """Checks the file that stays before each step; reads its bytes again only if it has changed."""

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
            with hold(keeper.path, keeper.root) as held:
                is_same = os.path.samestat(held.status, file.status)
                mark = _mark(held.status, held.status.st_ctime_ns)
                if not is_same and mark not in self._digests:
                    self._digests[mark] = ensure_unchanged(keeper, held)
        except RefusalError as refusal:
            raise refusal.of_keeper(keeper.path) from None
        if is_same:
            raise RefusalError("refused_same_file", keeper=str(keeper.path))
        return held.status, self._digests[mark]

    def still_there(self, keeper: KnownFile, status: os.stat_result) -> bool:
        """Whether the keeper is the file that was checked."""
        try:
            now = os.lstat(keeper.path)
        except OSError:
            return False
        return _mark(now) == _mark(status)


def _mark(status: os.stat_result, *more: int) -> Mark:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, *more)
