"""Child processes that end with their parent, however it ends.

A parent that is killed cannot end its children. On Linux the system does it for them; elsewhere,
and in the moment before that is arranged, the child watches a pipe whose other end the parent
holds: it is closed when the parent is gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

_SET_SIGNAL_OF_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>


def run_child(
    command: Sequence[str],
    line: str = "",
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command that begins with `follow_parent`, which returns the line to it."""
    reading, writing = os.pipe()
    try:
        child = subprocess.Popen(
            command,
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=env,
        )
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    try:
        with suppress(BrokenPipeError):  # it failed at once and its stderr says why
            _write(writing, line.encode() + b"\n")
        output, errors = child.communicate(timeout=timeout)
    finally:
        os.close(writing)
        if child.poll() is None:
            child.kill()
            child.communicate()
    return subprocess.CompletedProcess(command, child.returncode, output, errors)


def follow_parent() -> str:
    """In the child: end when the parent does, from now on; returns the line it has sent."""
    import ctypes

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL, 0, 0, 0)
    # Read without a buffer: one that a thread waits in would hold up the end of the process.
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:  # the parent was gone before it could say what to do
            os._exit(1)
        line += piece
    threading.Thread(target=_watch, daemon=True).start()
    return line.decode()


def _watch() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
