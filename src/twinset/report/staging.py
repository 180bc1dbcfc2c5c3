"""A folder that appears under its name only when it is complete.

The work happens in a sibling ``.NAME.partial-PID`` on the same file system and is renamed at the
end. The staging folder is locked while its process lives, so what a killed run left behind is told
from a run that is still busy, even where process numbers repeat (containers).
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from twinset.errors import ReportError

try:
    import fcntl
except ImportError:  # Windows: leftovers stay until they are removed by hand
    fcntl = None  # type: ignore[assignment]

MANIFEST = "manifest.json"
DECISIONS = "decisions.jsonl"
"""What people have decided on a report outlives it: the report that replaces it inherits it."""


@contextmanager
def staged(folder: str | Path, force: bool = False, inputs: Iterable[str] = ()) -> Iterator[Path]:
    """A fresh folder to write into; leaving the block in peace puts it in place as ``folder``.

    An exception, Ctrl-C included, removes it. ``force`` replaces an older report at the very end.
    """
    target = ensure_free(folder, force, inputs)
    _make_parent(target)
    staging, lock = _claim(target)
    try:
        yield staging
        _sync(staging)
        _put_in_place(staging, target, force)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def is_report(folder: Path) -> bool:
    """Whether a folder holds a manifest, the last file that a report gets."""
    return (folder / MANIFEST).is_file()


def ensure_free(folder: str | Path, force: bool = False, inputs: Iterable[str] = ()) -> Path:
    """The folder's full path if a report may go there; raises for every reason not to start.

    Clears what killed runs left beside it.
    """
    target = Path(folder).resolve()
    if target.parent.is_dir():
        _sweep(target)
    if target.is_file():
        raise ReportError(f"{target} is a file; name a new folder for the report")
    if target.is_dir() and os.path.ismount(target):
        raise ReportError(
            f"{target} is a mount point and cannot be renamed into place; "
            f"name a folder inside it: {target / 'report'}"
        )
    _ensure_writable(target)
    if target.is_dir() and any(target.iterdir()):
        _ensure_replaceable(target, force, inputs)
    return target


def _ensure_writable(target: Path) -> None:
    parent = next(folder for folder in target.parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise ReportError(f"cannot write in {parent}; choose another folder or change its rights")


def _ensure_replaceable(target: Path, force: bool, inputs: Iterable[str]) -> None:
    if not force:
        raise ReportError(
            f"{target} exists already; choose another folder or replace it with --force"
        )
    if not is_report(target):
        raise ReportError(
            f"{target} is not a twinset report and --force replaces reports only; "
            "remove it yourself or choose another folder"
        )
    for source in inputs:
        place = Path(source).resolve()
        if source != "-" and target in (place, *place.parents):
            raise ReportError(
                f"the input {source} lies in {target}, which --force would remove; "
                "choose another folder"
            )


def _make_parent(target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise ReportError(
            f"cannot make the folder {target.parent}: {fault.strerror}; choose another place"
        ) from None


def _claim(target: Path) -> tuple[Path, int]:
    """Make and lock the staging folder."""
    staging = target.with_name(f".{target.name}.partial-{os.getpid()}")
    try:
        staging.mkdir()
    except FileExistsError:
        raise ReportError(
            f"{target} is being written by another run; wait for it or choose another folder"
        ) from None
    except OSError as fault:
        raise ReportError(
            f"cannot write in {target.parent}: {fault.strerror}; choose another folder"
        ) from None
    lock = os.open(staging, os.O_RDONLY)
    _try_lock(lock)
    return staging, lock


def _try_lock(descriptor: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(target: Path) -> None:
    """Clear what killed runs left; an old report caught in mid-replacement gets its name back."""
    for leftover in _siblings(target, "replaced"):
        if not target.exists() and is_report(leftover):
            leftover.rename(target)
        else:
            shutil.rmtree(leftover, ignore_errors=True)
    for leftover in _siblings(target, "partial"):
        shutil.rmtree(leftover, ignore_errors=True)


def _siblings(target: Path, kind: str) -> Iterator[Path]:
    """Folders ``.NAME.kind-PID`` whose process is gone."""
    prefix = f".{target.name}.{kind}-"
    for path in sorted(target.parent.iterdir()):
        if path.name.startswith(prefix) and path.name[len(prefix) :].isdigit() and path.is_dir():
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    if _try_lock(descriptor):
                        yield path
                finally:
                    os.close(descriptor)


def _put_in_place(staging: Path, target: Path, force: bool) -> None:
    if force and target.is_dir() and any(target.iterdir()):
        _replace(staging, target)
    else:
        try:
            staging.rename(target)
        except OSError as fault:
            if fault.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise ReportError(
                    f"{target} was made by someone else during the run; choose another folder"
                ) from None
            raise
    _sync_folder(target.parent)


def _replace(staging: Path, target: Path) -> None:
    aside = target.with_name(f".{target.name}.replaced-{os.getpid()}")
    lock = os.open(target, os.O_RDONLY)
    try:
        _try_lock(lock)
        target.rename(aside)
        try:
            _inherit(aside, staging)
            staging.rename(target)
        except BaseException:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)
    finally:
        os.close(lock)


def _inherit(old: Path, new: Path) -> None:
    if (old / DECISIONS).is_file() and not (new / DECISIONS).exists():
        shutil.copyfile(old / DECISIONS, new / DECISIONS)


def _sync(staging: Path) -> None:
    """Files reach the disk before their folder gets its name, also when the power fails."""
    for path in sorted(staging.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    for folder in [*(p for p in staging.rglob("*") if p.is_dir()), staging]:
        _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems do not sync folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
