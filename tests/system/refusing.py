"""Imported by a launcher in a test: the system grants it no process from then on."""

from __future__ import annotations

import errno
import os


def _refuse() -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


if os.environ.get("REFUSE_FORKS"):
    os.fork = _refuse
