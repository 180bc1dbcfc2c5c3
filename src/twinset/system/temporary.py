"""Files and folders that last as long as their process, however it ends.

Each is locked while its process lives. The system drops the lock of a killed process, so what is
left behind is never confused with what is in use, even where process numbers repeat (containers).
The next run removes leftovers.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

ATTEMPTS = 100
# Long and odd enough that no other file in a shared folder has such a name.
_NAME = re.compile(r"twinset-temporary-\d+-[0-9a-f]{12}")


def claim(make: Callable[[], Path]) -> tuple[Path, int]:
    """The file or folder that ``make`` creates, locked until the descriptor is closed.

    Another process may remove a new file as a leftover before it is locked; then ``make`` is called
    again.
    """
    for _ in range(ATTEMPTS):
        path = make()
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        if lock(descriptor) is not False and is_at(path, descriptor):
            return path, descriptor
        os.close(descriptor)
    raise OSError(f"{path}: another process removes it again and again")


def leftovers(folder: Path, is_ours: Callable[[str], bool]) -> Iterator[Path]:
    """Files and folders of processes that are gone, by name; each is locked until the next."""
    with suppress(OSError):
        for name in sorted(filter(is_ours, os.listdir(folder))):
            path = folder / name
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    if lock(descriptor) and is_at(path, descriptor):
                        yield path
                finally:
                    os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or a folder with its content; what cannot be removed stays for the next run."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def sweep(folder: str | Path) -> None:
    """Remove what killed runs of this user have left in a folder for temporary files."""
    for path in leftovers(Path(folder), lambda name: _NAME.fullmatch(name) is not None):
        if path.stat().st_uid == os.geteuid():
            remove(path)


class TemporaryFile:
    """A new file that others may open by its ``path``, until the block ends or this is forgotten.

    After a kill the next run removes it.
    """

    def __init__(self, inside: str | Path | None = None) -> None:
        parent = Path(inside or tempfile.gettempdir())
        sweep(parent)
        self.path, descriptor = claim(lambda: self._made(parent / _fresh_name()))
        self._end = weakref.finalize(self, _release, self.path, descriptor, os.getpid())

    @staticmethod
    def _made(path: Path) -> Path:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return path

    def close(self) -> None:
        """Remove it."""
        self._end()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *exception: object) -> None:
        self.close()


class TemporaryFolder(TemporaryFile):
    """A new folder of the same kind."""

    @staticmethod
    def _made(path: Path) -> Path:
        path.mkdir(mode=0o700)
        return path


def _release(path: Path, descriptor: int, owner: int) -> None:
    if os.getpid() == owner:  # a forked child does not own it
        remove(path)
    os.close(descriptor)


def _fresh_name() -> str:
    return f"twinset-temporary-{os.getpid()}-{os.urandom(6).hex()}"


def lock(descriptor: int) -> bool | None:
    """Whether the lock was free and is ours now; None where there are no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have none
        return None
    return True


def wait_for_lock(descriptor: int) -> None:
    """Wait until the lock is free and take it; do without where there are no locks."""
    with suppress(OSError):  # some network file systems have none
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the opened file is still the one of this name."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except OSError:
        return False
