"""Work on a file that was begun before anybody asked for it, and waits for whoever does.

Whoever asks names the file and the same options; a file that has changed meanwhile is another one.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import Any

_begun: dict[Hashable, Any] = {}


def leave(file: int, options: tuple[str, ...], work: Any) -> None:
    """Leave work on an open file to whoever will ask for it."""
    _begun[_key(file, options)] = work


def taken(file: int, options: tuple[str, ...]) -> Any | None:
    """The work on an open file, if it was begun with these options; any other is given up."""
    work = _begun.pop(_key(file, options), None) if _begun else None
    give_up()
    return work


def give_up() -> None:
    """Nobody will ask."""
    _begun.clear()


def _key(file: int, options: tuple[str, ...]) -> Hashable:
    state = os.fstat(file)
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, options
