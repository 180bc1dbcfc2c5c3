"""Puts a link in the place of a copy: the name never lacks a file, and the other bytes are equal.

The link is made under a name of ours and changes places with the file in one step; what comes out
is removed only if it is the file that was checked.
"""

from __future__ import annotations

import os
from pathlib import Path

from twinset.review.cleaning.actions.looking import HeldFile, has_content, hold, is_plain
from twinset.review.cleaning.actions.model import RefusalError
from twinset.review.cleaning.actions.moving import copy_checked, forget, set_status
from twinset.review.cleaning.actions.operations import StepRecord
from twinset.system.files import sync_folder
from twinset.system.renames import exchange, rename_to_free


def put_link(file: HeldFile, record: StepRecord, keeper: os.stat_result) -> Path:
    """Replace a file by a link to its keeper."""
    if record.how == "hard-link":
        os.link(record.keeper, record.draft, follow_symlinks=False)
    else:
        os.symlink(_target(record), record.draft)
    if not leads_to(record.draft, keeper):
        os.unlink(record.draft)
        raise RefusalError("refused_keeper_changed", keeper=str(record.keeper))
    if exchange(record.draft, record.path):
        if not file.is_at(record.draft):
            exchange(record.draft, record.path)  # a newer file had taken the name: it stays
            os.unlink(record.draft)
            raise RefusalError("refused_changed")
        if not leads_to(record.path, keeper):  # whoever links the two the other way sees our link
            exchange(record.draft, record.path)
            os.unlink(record.draft)
            raise RefusalError("refused_keeper_missing", keeper=str(record.keeper))
        os.unlink(record.draft)
    else:
        if not file.is_at(record.path):
            os.unlink(record.draft)
            raise RefusalError("refused_changed")
        os.replace(record.draft, record.path)
    sync_folder(record.path.parent)
    return record.path


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
