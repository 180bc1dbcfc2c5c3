"""Locks of an index in a folder: one program writes, and one merges, at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from twinset.index.store import IndexBusyError
from twinset.system.temporary import lock

WAIT = 60.0
"""Seconds that a writer waits for another one."""
STEP = 0.005


@contextmanager
def held(folder: Path, work: Literal["writer", "merge"], wait: bool = True) -> Iterator[bool]:
    """Hold the lock of this work; without ``wait`` the value says whether it was free."""
    descriptor = os.open(folder / f"{work}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        until = time.monotonic() + (WAIT if wait else 0)
        while lock(descriptor) is False:
            if not wait:
                yield False
                return
            if time.monotonic() >= until:
                raise IndexBusyError(
                    f"{folder} is being written by another program: try again later"
                )
            time.sleep(STEP)
        yield True
    finally:
        os.close(descriptor)
