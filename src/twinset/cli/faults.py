"""Exceptions as sentences and exit codes: a user's mistake never shows a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click
from click.exceptions import Exit

from twinset.cli.libraries import in_notes
from twinset.cli.limits import is_for_want_of_memory, short_of_memory
from twinset.errors import (
    MissingFileError,
    MissingReportError,
    PlanError,
    Stopped,
    TwinsetError,
)

FAULT, USAGE, INTERRUPTED, TERMINATED = 1, 2, 130, 143
STOPPED = "stopped; nothing was written"
TIDYING = 2.0  # seconds after a signal in which another counts as the same


class Terminated(Stopped):
    """A SIGTERM: like Ctrl-C, but with an exit code of its own."""


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn what can go wrong in a run into one line on stderr and an exit code."""
    try:
        with in_notes():
            yield
    except PlanError as fault:
        _print_faults(fault.faults)
        raise Exit(USAGE) from None
    except (MissingFileError, MissingReportError) as fault:
        _print_faults([str(fault)])
        raise Exit(USAGE) from None
    except TwinsetError as fault:
        _print_faults([str(fault)])
        raise Exit(FAULT) from None
    except (KeyboardInterrupt, Stopped) as end:
        _print_faults([str(end) or STOPPED])
        code = TERMINATED if isinstance(end, Terminated) else INTERRUPTED
        raise Exit(code) from None
    except BrokenPipeError:
        # The reader has closed the pipe, as head does; flushing at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Exit(0) from None
    except OSError as fault:
        _print_faults([_system_fault(fault)])
        raise Exit(FAULT) from None
    except MemoryError:
        _print_faults([short_of_memory()])
        raise Exit(FAULT) from None
    except (ImportError, RuntimeError) as fault:
        if not is_for_want_of_memory(fault):
            raise
        _print_faults([short_of_memory()])
        raise Exit(FAULT) from None


def end_on_signals() -> None:
    """Turn Ctrl-C and SIGTERM into exceptions, so that a run tidies up before it ends.

    Where Ctrl-C is ignored already (``nohup``, a job in the background), it stays ignored.
    """
    signal.signal(signal.SIGTERM, _Ending(Terminated))
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _Ending(KeyboardInterrupt))


def open_standard_streams() -> None:
    """Open what a caller has closed of stdin, stdout and stderr, or a file would take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                descriptor = os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
                setattr(sys, name, os.fdopen(descriptor, mode, closefd=descriptor > 2))


class _Ending:
    """Raises an exception at a signal, but not again at once: that would disturb the tidying."""

    last = -TIDYING  # when any of them raised

    def __init__(self, kind: type[BaseException]) -> None:
        self._kind = kind

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - _Ending.last >= TIDYING:
            _Ending.last = now
            raise self._kind


def _print_faults(faults: list[str]) -> None:
    for fault in faults:
        click.echo(f"twinset: {fault}", err=True)


def _system_fault(fault: OSError) -> str:
    place = f"{fault.filename}: " if fault.filename else ""
    reason = (fault.strerror or str(fault) or type(fault).__name__).lower()
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"{place}the disk is full; nothing was written: free some space, choose another -o, "
            "or name another folder for temporary files by the variable TMPDIR"
        )
    if fault.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{place}{reason}; choose a place you may write to, or change its permissions"
    return f"{place}{reason}"
