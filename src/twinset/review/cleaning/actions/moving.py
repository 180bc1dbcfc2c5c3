"""The ways in which a file goes and comes back: moves, the trash, links.

A move is a rename or, to another file system, a copy that is checked. The trash is that of the
FreeDesktop.org Trash specification 1.0: a file is moved to ``files/NAME`` in the home trash, or in
that of its own file system, and ``info/NAME.trashinfo`` says where it was. macOS keeps other books:
there send2trash hands files over, and a person restores them.

A link is made under a name of ours and changes places with the file in one step; what comes out is
removed only if it is the file that was checked. A file has its bytes under some name at every
moment, and no name that is taken is overwritten.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from twinset.errors import MissingExtraError
from twinset.review.cleaning.actions.checks import (
    PIECE,
    HeldFile,
    RefusalError,
    has_content,
    hold,
    is_plain,
)
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.system.files import sync_folder
from twinset.system.renames import exchange, rename_to_free

MOST_BYTES = 255
"""Of a name, on nearly all file systems."""


def free_place(path: Path, root: Path, target: Path) -> Path:
    """A place in ``target`` that nobody has; ``name (2).txt`` where ``name.txt`` is taken."""
    is_inside = root in path.parents
    wanted = target / (path.relative_to(root) if is_inside else Path(*path.parts[1:]))

    numbered = (shortened(wanted, f" ({number}){path.suffix}") for number in itertools.count(2))
    places = itertools.chain([wanted], numbered)
    return next(place for place in places if not os.path.lexists(place))


def shortened(path: Path, ending: str) -> Path:
    """The path with another ending of its name, which is cut where it gets too long."""
    stem = os.fsencode(path.stem)[: MOST_BYTES - len(os.fsencode(ending))]
    return path.with_name(os.fsdecode(stem) + ending)


def folder_beside(root: Path) -> Path:
    """A folder beside the user's own, not there yet, to move files to: ``papers removed``."""
    folder = root.parent / f"{root.name or 'files'} removed"
    numbered = (folder.with_name(f"{folder.name} ({number})") for number in itertools.count(2))
    names = itertools.chain([folder], numbered)
    return next(name for name in names if not os.path.lexists(name))


def move_away(file: HeldFile, record: StepRecord, copied: Callable[[os.stat_result], None]) -> None:
    """Move a file to the place of its record; raises `FileExistsError` where that is taken.

    ``copied`` writes down which file a copy is, before it gets the name of that place.
    """
    assert record.to is not None
    record.to.parent.mkdir(parents=True, exist_ok=True)
    try:
        rename_to_free(file.path, record.to)
    except OSError as fault:
        if fault.errno != errno.EXDEV:
            raise
        copy_checked(file, record)
        copied(os.lstat(record.draft))
        rename_to_free(record.draft, record.to)
        sync_folder(record.to.parent)
        _remove_source(file, record.aside, record.to)
    else:
        if not file.is_at(record.to):
            rename_to_free(record.to, file.path)
            raise RefusalError("refused_changed")
    sync_folder(record.to.parent)
    sync_folder(file.path.parent)


def _remove_source(file: HeldFile, aside: Path, copy: Path) -> None:
    """Remove a file that was copied; it gets a name of ours first, to be sure which one goes."""
    rename_to_free(file.path, aside)
    if not file.is_at(aside):
        rename_to_free(aside, file.path)
        os.unlink(copy)
        raise RefusalError("refused_changed")
    os.unlink(aside)


def put_back(place: Path, record: StepRecord, take: bool = True) -> None:
    """Bring a file back from where it lies; raises `FileExistsError` if its name is taken.

    Without ``take`` the file stays there, too: it may be another one with the same bytes.
    """
    record.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if not take:
            raise OSError(errno.EXDEV, "to be copied")
        rename_to_free(place, record.path)
    except OSError as fault:
        if fault.errno != errno.EXDEV:
            raise
        draft = draft_beside(record)
        with hold(place) as file:
            copy_checked(file, record, draft)
        rename_to_free(draft, record.path)
        sync_folder(record.path.parent)
        if take:
            os.unlink(place)
    sync_folder(record.path.parent)


def draft_beside(record: StepRecord) -> Path:
    """The name of a draft in the folder that the file comes from."""
    return record.aside.with_name(record.aside.name + "-draft")


def copy_checked(file: HeldFile, record: StepRecord, draft: Path | None = None) -> None:
    """Copy a file, wait for the disk, and read the copy again."""
    draft = record.draft if draft is None else draft
    forget(draft)  # of an attempt that was killed; the name is ours
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    copy = os.open(draft, flags, 0o600)
    try:
        os.lseek(file.descriptor, 0, os.SEEK_SET)
        while piece := os.read(file.descriptor, PIECE):
            while piece:
                piece = piece[os.write(copy, piece) :]
        os.fsync(copy)
    finally:
        os.close(copy)
    if not has_content(draft, record.bytes, record.digest):
        os.unlink(draft)
        raise RefusalError("refused_copy_differs")
    with suppress(OSError):  # what the other file system cannot keep
        shutil.copystat(file.path, draft, follow_symlinks=False)
    set_status(draft, record)


def set_status(path: Path, record: StepRecord) -> None:
    """Give a file the rights and the time of the one that was recorded."""
    with suppress(OSError):
        os.chmod(path, record.mode & 0o7777)
    os.utime(path, ns=(record.modified, record.modified))


def forget(path: Path) -> None:
    """Remove a name, where there is one."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def keeps_books() -> bool:
    """Whether this system's trash can be read: only then files come back by themselves."""
    return sys.platform != "darwin"


def ensure_trash() -> None:
    """Refuse before anything starts where a package is needed and not installed."""
    if not keeps_books():
        try:
            import send2trash  # noqa: F401
        except ImportError:
            raise MissingExtraError("send2trash", "trash") from None


def send(path: Path) -> None:
    """Move a file to a trash that keeps its own books."""
    from send2trash import TrashPermissionError, send2trash

    try:
        send2trash(os.fspath(path))
    except TrashPermissionError:
        raise RefusalError("refused_no_trash") from None


def trash_of(path: Path) -> Path:
    """The trash that a file goes to, made where there is none yet."""
    device = os.lstat(path).st_dev
    for trash, _ in trash_folders(path):
        with suppress(OSError):
            for folder in (trash, trash / "files", trash / "info"):
                folder.mkdir(mode=0o700, parents=folder == trash, exist_ok=True)
            status = os.lstat(trash)
            if status.st_dev == device and status.st_uid == os.getuid():
                return trash
    raise RefusalError("refused_no_trash")


def trash_folders(path: Path) -> Iterator[tuple[Path, Path | None]]:
    """Where a file may go, with the folder that paths are relative to: the root of its disk."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share").expanduser()
    yield data / "Trash", None
    top = Path(os.path.realpath(path.parent))
    while not (top.is_dir() and os.path.ismount(top)) and top != top.parent:
        top = top.parent
    user = os.getuid()
    with suppress(OSError):
        mode = os.lstat(top / ".Trash").st_mode
        if stat.S_ISDIR(mode) and mode & stat.S_ISVTX:
            yield top / ".Trash" / str(user), top
    yield top / f".Trash-{user}", top


def write_info(record: StepRecord) -> None:
    """Say in the trash where a file comes from, before it goes there."""
    assert record.to is not None
    assert record.info is not None
    tops = dict(trash_folders(record.path))
    top, path = tops[record.to.parent.parent], os.path.realpath(record.path.parent)
    origin = os.path.join(path, record.path.name)
    named = quote(os.fsencode(origin if top is None else os.path.relpath(origin, top)))
    deleted = time.strftime("%Y-%m-%dT%H:%M:%S")
    with open(record.info, "x", encoding="ascii") as file:
        file.write(f"[Trash Info]\nPath={named}\nDeletionDate={deleted}\n")


def put_link(file: HeldFile, record: StepRecord, keeper: os.stat_result) -> None:
    """Replace a file by a link to its keeper."""
    if record.how == "hard-link":
        os.link(record.keeper, record.draft, follow_symlinks=False)
    else:
        os.symlink(_target(record), record.draft)
    if not leads_to(record.draft, keeper):
        os.unlink(record.draft)
        raise RefusalError("refused_keeper_changed", keeper=str(record.keeper))
    fault = None
    if exchange(record.draft, record.path):
        if not file.is_at(record.draft):  # a newer file had taken the name: it stays
            fault = RefusalError("refused_changed")
        elif not leads_to(record.path, keeper):  # whoever links the two the other way sees our link
            fault = RefusalError("refused_keeper_missing", keeper=str(record.keeper))
        if fault is not None:
            exchange(record.draft, record.path)
        os.unlink(record.draft)
    elif file.is_at(record.path):
        os.replace(record.draft, record.path)
    else:
        os.unlink(record.draft)
        fault = RefusalError("refused_changed")
    if fault is not None:
        raise fault
    sync_folder(record.path.parent)


def leads_to(link: Path, keeper: os.stat_result) -> bool:
    """Whether a link leads to the keeper that was checked."""
    try:
        return os.path.samestat(os.stat(link), keeper)
    except OSError:
        return False


def _target(record: StepRecord) -> str:
    """The keeper as seen from the link: a folder that moves as a whole keeps its links."""
    folder = os.path.realpath(record.path.parent)
    keeper = os.path.join(os.path.realpath(record.keeper.parent), record.keeper.name)
    return os.path.relpath(keeper, folder)


def take_link_back(record: StepRecord) -> bool:
    """Put a file of its own in the place of the link; False where it is there already."""
    if os.path.lexists(record.path) and not is_link_of(record):
        if not has_content(record.path, record.bytes, record.digest):
            raise RefusalError("refused_in_the_way")
        forget(record.draft)
        return False
    # Killed after the exchange, the very file is still there under our name.
    if not _is_original(record.draft, record):
        forget(record.draft)
        source = record.path if is_plain(record.path) else record.keeper
        if not has_content(source, record.bytes, record.digest):
            raise RefusalError("refused_link_changed", keeper=str(record.keeper))
        record.path.parent.mkdir(parents=True, exist_ok=True)
        with hold(source) as file:
            copy_checked(file, record)
    set_status(record.draft, record)
    if not os.path.lexists(record.path):
        rename_to_free(record.draft, record.path)
    elif exchange(record.draft, record.path):
        if not is_link_of(record, record.draft):
            exchange(record.draft, record.path)  # a newer file had taken the name: it stays
            raise RefusalError("refused_in_the_way")
        os.unlink(record.draft)
    else:
        os.replace(record.draft, record.path)
    sync_folder(record.path.parent)
    return True


def is_link_of(record: StepRecord, path: Path | None = None) -> bool:
    """Whether the link that we have put there is still in the place of the file, or at ``path``."""
    path = record.path if path is None else path
    try:
        status = os.lstat(path)
        if record.how == "symbolic-link":
            return os.readlink(path) == _target(record)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == (record.keeper_device, record.keeper_inode)


def _is_original(path: Path, record: StepRecord) -> bool:
    """Whether a file of our name is a file of its own with the bytes of the copy."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_keeper = (status.st_dev, status.st_ino) == (record.keeper_device, record.keeper_inode)
    return not is_keeper and has_content(path, record.bytes, record.digest)
