"""Opens files wherever they lie; what reads those elsewhere is loaded where there is one."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import BinaryIO

from twinset.system.bounded import Name, open_regular
from twinset.system.remote import Place, RemotePath


def open_place(
    path: Place, within: Sequence[Name] = (), *, buffering: int = 0, ahead: bool = False
) -> BinaryIO:
    """A regular file of this machine, or one elsewhere, opened for reading.

    ``ahead`` says that it is read from its beginning to its end, in order. Where ``within`` names
    folders, nothing elsewhere is opened.
    """
    if not isinstance(path, RemotePath):
        return open_regular(path, within, buffering=buffering)
    if within:
        message = "it is an address, and only folders of this machine may be read"
        raise PermissionError(errno.EACCES, message, str(path))
    from twinset.system.fetching import open_remote

    return open_remote(path, buffering, ahead)


def is_readable(path: Place) -> bool:
    """Whether a file is there and may be read."""
    if not isinstance(path, RemotePath):
        return os.access(path, os.R_OK)
    try:
        with open_place(path) as file:
            file.read(1)
    except OSError:
        return False
    return True


def size_of(file: BinaryIO) -> int | None:
    """How many bytes an opened file has, which stays where it is; None where nobody knows."""
    if not file.seekable():
        return None
    at = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(at)
    return size
