"""A folder that appears under its name only when it is complete.

The work happens in a sibling ``.NAME.partial-PID`` on the same file system and is renamed at the
end. The staging folder is locked while its process lives, so the remains of a killed run can
be distinguished from a run that is still busy.

An older report is replaced in one step where the system can exchange two names. Elsewhere there are
two, and a kill between them is made good by the next run or reader (`recover`): the old folder is
set aside as ``.NAME.replaced-PID``; the new one takes its name.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from twinset.errors import ReportError
from twinset.model.flow import WritingMeter
from twinset.result.places import DECISIONS, MANIFEST, ReportPlaces
from twinset.system.files import sync_folder
from twinset.system.remote import Place, RemotePath, place_of
from twinset.system.renames import exchange
from twinset.system.temporary import claim, leftovers, lock, remove, wait_for_lock
from twinset.system.threads import in_order

_AT_A_TIME = 8


@contextmanager
def staged(folder: str | Place, force: bool = False, inputs: Iterable[str] = ()) -> Iterator[Path]:
    """A fresh folder to write into; leaving the block in peace puts it in place as ``folder``.

    An exception, Ctrl-C included, removes it. ``force`` replaces an older report at the very end.
    The files of a folder elsewhere are written here and sent.
    """
    with staged_places(folder, force, inputs) as places:
        yield places.files


@contextmanager
def staged_places(
    folder: str | Place,
    force: bool = False,
    inputs: Iterable[str] = (),
    meter: WritingMeter | None = None,
) -> Iterator[ReportPlaces]:
    """The same, with the place that documents are written to; ``meter`` counts what has arrived."""
    place = place_of(folder)
    if isinstance(place, RemotePath):
        from twinset.result.sending import sent

        with sent(place, force, inputs) as places:
            yield places
        return
    target = _ensure_free_here(place, force, inputs)
    _make_parent(target)
    staging, held = _claim(target)
    try:
        yield ReportPlaces(staging, staging)
        _sync(staging, _mode(target), meter or WritingMeter())
        _put_in_place(staging, target, force)
    except BaseException:
        remove(staging)
        raise
    finally:
        os.close(held)


def is_report(folder: Path) -> bool:
    """Whether a folder holds a manifest, the last file that a report gets."""
    return (folder / MANIFEST).is_file()


def ensure_free(folder: str | Place, force: bool = False, inputs: Iterable[str] = ()) -> Place:
    """The folder's full path if a report may go there; raises for every reason not to start.

    Clears what killed runs left beside it.
    """
    place = place_of(folder)
    if isinstance(place, RemotePath):
        from twinset.result.sending import ensure_free_elsewhere

        ensure_free_elsewhere(place, force, inputs)
        return place
    return _ensure_free_here(place, force, inputs)


def _ensure_free_here(folder: Path, force: bool, inputs: Iterable[str]) -> Path:
    target = folder.resolve()
    if target.parent.is_dir():
        recover(target)
        _sweep(target)
    if target.exists() and not target.is_dir():
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

    def make() -> Path:
        staging.mkdir(0o700)
        return staging

    try:
        return claim(make)
    except FileExistsError:
        raise ReportError(
            f"{target} is being written by another run; wait for it or choose another folder"
        ) from None
    except OSError as fault:
        raise ReportError(
            f"cannot write in {target.parent}: {fault.strerror}; choose another folder"
        ) from None


def recover(folder: str | Path) -> bool:
    """Give an old report its name back that a kill has set aside; whether there is a folder now."""
    target = Path(folder).resolve()
    if not target.exists():
        for leftover in _siblings(target, "replaced"):
            if is_report(leftover) and not target.exists():
                with suppress(OSError):
                    leftover.rename(target)
    return target.is_dir()


def _sweep(target: Path) -> None:
    """Remove what killed runs left beside a report that is in its place, or was never there."""
    for kind in ("partial", "replaced"):
        for leftover in _siblings(target, kind):
            remove(leftover)


def _siblings(target: Path, kind: str) -> Iterator[Path]:
    """Folders ``.NAME.kind-PID`` whose process is gone."""
    prefix = f".{target.name}.{kind}-"

    def is_ours(name: str) -> bool:
        return name.startswith(prefix) and name[len(prefix) :].isdigit()

    return (path for path in leftovers(target.parent, is_ours) if path.is_dir())


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
    sync_folder(target.parent)


def _replace(staging: Path, target: Path) -> None:
    with _no_decisions(target):
        _inherit(target, staging)
        exchanged = exchange(staging, target)
        if not exchanged:
            _replace_in_steps(staging, target)
    if exchanged:
        sync_folder(target.parent)
        # The old report has this name now. Its first decision may have come after the copy.
        with _no_decisions(staging):
            _inherit(staging, target)
        remove(staging)


@contextmanager
def _no_decisions(folder: Path) -> Iterator[None]:
    """Let nobody write decisions on a report meanwhile; whoever waits finds the new one after it.

    Nobody can wait where there are none: the first decision makes the file.
    """
    try:
        journal = os.open(folder / DECISIONS, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        yield
        return
    try:
        wait_for_lock(journal)
        yield
    finally:
        os.close(journal)


def _replace_in_steps(staging: Path, target: Path) -> None:
    aside = target.with_name(f".{target.name}.replaced-{os.getpid()}")
    old = os.open(target, os.O_RDONLY)
    try:
        lock(old)  # so that nobody takes it for a leftover
        target.rename(aside)
        try:
            staging.rename(target)
        except BaseException:
            if not target.exists():
                aside.rename(target)
            raise
        sync_folder(target.parent)
        remove(aside)
    finally:
        os.close(old)


def _inherit(old: Path, new: Path) -> None:
    if (old / DECISIONS).is_file() and not (new / DECISIONS).exists():
        shutil.copy(old / DECISIONS, new / DECISIONS)
        _sync_file(new / DECISIONS)


def _mode(target: Path) -> int:
    """Who may open the folder: whoever may open the report that it replaces, or its owner."""
    return target.stat().st_mode & 0o777 if is_report(target) else 0o700


def _sync(staging: Path, mode: int, meter: WritingMeter) -> None:
    """Files reach the disk before their folder gets its name, also when the power fails."""
    folders, files = [staging], []
    for folder, inner, names in os.walk(staging):
        folders += [Path(folder, name) for name in inner]
        files += [path for name in names if (path := Path(folder, name)).is_file()]
    for path in folders:
        _allow(path, mode | 0o700)
    for path in files:
        _allow(path, (mode | 0o600) & 0o666)
    for paths, wait in ((files, _sync_file), (folders, sync_folder)):
        # which waits and does not work: more at a time than there are cores
        for _ in in_order(wait, paths, _AT_A_TIME):
            meter.done += 1


def _allow(path: Path, mode: int) -> None:
    with suppress(PermissionError):  # of another machine of a cluster
        path.chmod(mode)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
