"""Two names of one file system exchanged in one step, where the system can do it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are as they are elsewhere
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def exchange(first: Path, second: Path) -> bool:
    """Give each the other's name, in one step; False where that cannot be done, and was not."""
    import ctypes

    names = os.fsencode(first), os.fsencode(second)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return int(library.renamex_np(names[0], names[1], _EXCHANGE)) == 0
        return int(library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)) == 0
    except (OSError, AttributeError, TypeError):  # no such function, no such library
        return False
