"""Moves files to free names: by a rename or, to another file system, by a copy that is checked.

A file has its bytes under some name at every moment, and no name that is taken is overwritten.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from twinset.review.cleaning.actions.looking import PIECE, HeldFile, has_content, hold
from twinset.review.cleaning.actions.model import RefusalError
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.system.files import sync_folder
from twinset.system.renames import rename_to_free


def move_away(file: HeldFile, record: StepRecord, copied: Callable[[os.stat_result], None]) -> Path:
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
    return record.to


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
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
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
