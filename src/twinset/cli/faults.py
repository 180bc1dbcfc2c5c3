"""Exceptions as sentences and exit codes: a user's mistake never shows a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from twinset.errors import PlanError, TwinsetError

FAULT, USAGE, INTERRUPTED = 1, 2, 130


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn what can go wrong in a run into one line on stderr and an exit code."""
    try:
        yield
    except PlanError as fault:
        _tell(fault.faults)
        raise typer.Exit(USAGE) from None
    except TwinsetError as fault:
        _tell([str(fault)])
        raise typer.Exit(FAULT) from None
    except KeyboardInterrupt:
        _tell(["interrupted, nothing written"])
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough; flushing at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as fault:
        _tell([_system_fault(fault)])
        raise typer.Exit(FAULT) from None
    except MemoryError:
        _tell(["out of memory; give a smaller --memory or fewer --threads"])
        raise typer.Exit(FAULT) from None


def quiet_signals() -> None:
    """Let a polite kill clean up like Ctrl-C does.

    SIGINT is left as it was inherited: where a shell lets a job in the background ignore it, a
    Ctrl-C is meant for what runs in the foreground, and SIGTERM ends the job.
    """
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(faults: list[str]) -> None:
    for fault in faults:
        typer.echo(f"twinset: {fault}", err=True)


def _system_fault(fault: OSError) -> str:
    place = f"{fault.filename}: " if fault.filename else ""
    reason = (fault.strerror or str(fault) or type(fault).__name__).lower()
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{place}the disk is full; nothing was written: free some space or choose another -o"
    if fault.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{place}{reason}; choose a place you may write to, or change its rights"
    return f"{place}{reason}"
