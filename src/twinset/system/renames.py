"""Renames that cannot lose a file: to a name that must be free, and two names exchanged at once.

Linux has both in one call, renameat2(2). Elsewhere a second name and the removal of the first do
the former; the latter is said to be impossible.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

FilePath = str | os.PathLike[str]
NO_REPLACE, EXCHANGE = 1, 2
_AT_CWD = -100
_UNKNOWN_HERE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def rename_to_free(source: FilePath, target: FilePath) -> None:
    """Rename a file; raises `FileExistsError` where the new name is taken by anything."""
    if not _renameat2(source, target, NO_REPLACE):
        _link_and_unlink(source, target)


def exchange(one: FilePath, other: FilePath) -> bool:
    """Let two names change places in one step; False where the file system cannot do that."""
    return _renameat2(one, other, EXCHANGE)


def _link_and_unlink(source: FilePath, target: FilePath) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except (PermissionError, NotImplementedError) as fault:
        if isinstance(fault, PermissionError) and fault.errno != errno.EPERM:
            raise
        _look_and_rename(source, target)  # a file system without hard links
        return
    except OSError as fault:
        if fault.errno not in _UNKNOWN_HERE:
            raise
        _look_and_rename(source, target)
        return
    # Whoever has put another file there since shall keep it.
    if os.path.samestat(os.lstat(source), os.lstat(target)):
        os.unlink(source)


def _look_and_rename(source: FilePath, target: FilePath) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(target))
    os.rename(source, target)


def _renameat2(source: FilePath, target: FilePath, flags: int) -> bool:
    """Whether the system knows this rename; raises where it knows it and the rename fails."""
    call = _system_call()
    if call is None:
        return False
    fault = call(os.fsencode(source), os.fsencode(target), flags)
    if fault in _UNKNOWN_HERE:
        return False
    if fault:
        raise OSError(fault, os.strerror(fault), os.fspath(source), None, os.fspath(target))
    return True


@cache
def _system_call() -> Callable[[bytes, bytes, int], int] | None:
    """The call as a function that gives the number of the fault, 0 for none."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):  # an older C library
        return None
    name, number = ctypes.c_char_p, ctypes.c_int
    renameat2.argtypes = [number, name, number, name, ctypes.c_uint]

    def call(source: bytes, target: bytes, flags: int) -> int:
        if renameat2(_AT_CWD, source, _AT_CWD, target, flags) == 0:
            return 0
        return ctypes.get_errno()

    return call
