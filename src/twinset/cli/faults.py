"""Exceptions as sentences and exit codes, and what libraries say as notes.

A user's mistake never shows a traceback. Libraries warn and log in their own words, in the middle
of ours, and often once for every file. Who reads such a line cannot know whether the result is
wrong. So each distinct one is said once, at the end, with how often it came and that the work went
on; ``--verbose`` gives the words in full.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TextIO

import click
from click.exceptions import Exit

from twinset.cli.limits import is_for_want_of_memory, short_of_memory
from twinset.errors import (
    MissingFileError,
    MissingReportError,
    PlanError,
    Stopped,
    TwinsetError,
    UnusedOption,
)
from twinset.system.schemes import masked

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
    except (PlanError, MissingFileError, MissingReportError) as fault:
        _print_faults(getattr(fault, "faults", [str(fault)]))
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
    except (MemoryError, ImportError, RuntimeError) as fault:
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
        click.echo(f"twinset: {masked(fault)}", err=True)


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


MOST_LINES = 1000
MOST_NOTES = 5
LONGEST = 160
QUIET = ("HF_HUB_DISABLE_PROGRESS_BARS", "HF_DATASETS_DISABLE_PROGRESS_BARS")
"""Bars of libraries would run through ours; whoever has set one of these has decided on it."""
_NUMBERS = re.compile(r"0x[0-9a-f]+|[0-9]+")
_collecting: list[LibraryLines] = []


def say_all(verbose: bool) -> bool:
    """Remember whether the words of libraries are to be said in full; the callback of a flag."""
    for lines in _collecting:
        lines.verbose |= verbose
    return verbose


class LibraryLines(logging.Handler):
    """The lines by library, with how often they came; numbers do not make another line of one."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: dict[tuple[str, str], tuple[str, int]] = {}
        self.verbose = False

    def add(self, library: str, text: str) -> None:
        """Count a line."""
        key = library, _NUMBERS.sub("#", text)
        first, count = self.said.get(key, (text, 0))
        if count or len(self.said) < MOST_LINES:
            self.said[key] = first, count + 1

    def emit(self, record: logging.LogRecord) -> None:
        """A line of a log; our own, as that of the page, is for whoever watches it."""
        library = record.name.partition(".")[0]
        if library == "twinset":
            click.echo(self.format(record), err=True)
        else:
            self.add(library, record.getMessage())

    def show_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Our own warnings at once, as a sentence; those of libraries are counted."""
        if issubclass(category, UnusedOption):
            click.echo(f"twinset: note: {message}", err=True)
        else:
            self.add(_package(filename), f"{category.__name__}: {message}")

    def unraisable(self, fault: Any) -> None:
        """An exception that nobody could catch, as in the end of an object."""
        name = getattr(fault.exc_type, "__name__", "error")
        self.add("Python", f"{fault.err_msg or 'exception ignored'}: {name}: {fault.exc_value}")

    def notes(self) -> Iterator[str]:
        """A sentence for each distinct line, the most frequent first; with ``verbose`` all."""
        verbose = self.verbose
        ranked = sorted(self.said.items(), key=lambda entry: -entry[1][1])
        for (library, _), (text, count) in ranked if verbose else ranked[:MOST_NOTES]:
            flat = " ".join(text.split())
            shown = flat if verbose or len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
            times = f" {count:,} times" if count > 1 else ""
            yield f"the work went on ({library} said{times}: {shown})"
        if len(ranked) > MOST_NOTES and not verbose:
            yield f"{len(ranked) - MOST_NOTES:,} more of this kind; --verbose says all of them"


@contextmanager
def in_notes() -> Iterator[None]:
    """Collect what libraries say, and say it as notes at the end, also after a fault."""
    if _collecting:  # around all of this already
        yield
        return
    lines, root, hook = LibraryLines(), logging.getLogger(), sys.unraisablehook
    for name in QUIET:
        os.environ.setdefault(name, "1")
    _collecting.append(lines)
    sys.unraisablehook = lines.unraisable
    root.addHandler(lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UnusedOption)
            warnings.showwarning = lines.show_warning
            yield
    except (KeyboardInterrupt, Stopped):
        lines.said.clear()  # what was cut off complains of that
        raise
    finally:
        _collecting.remove(lines)
        root.removeHandler(lines)
        sys.unraisablehook = hook
        for note in lines.notes():
            click.echo(f"twinset: note: {masked(note)}", err=True)


def _package(filename: str) -> str:
    """The library that a file belongs to."""
    parts = re.split(r"[\\/]", filename)
    if "site-packages" in parts[:-1]:
        return parts[parts.index("site-packages") + 1].removesuffix(".py")
    return parts[-1].removesuffix(".py")
