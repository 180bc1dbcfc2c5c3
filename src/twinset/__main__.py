"""The ``twinset`` command, and ``python -m twinset``: Ctrl-C is answered before heavy imports."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130


def main() -> None:
    """Run the command line; while it is still being imported, Ctrl-C ends the process at once."""
    # Most of a short command is loading, which leaves no garbage: to look for it after every 700
    # new objects would take a tenth of the time.
    gc.set_threshold(100_000)
    # Threads that come back from a kernel wait for Python's lock, which one that has much to do in
    # Python, such as to load a module, would keep for five milliseconds at a time.
    sys.setswitchinterval(0.0005)
    # A parent that ignores Ctrl-C (``nohup``, a job in the background) has its way.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception would surface in the middle of an import; nothing is open that needs closing.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    with _ending_at_once():
        from twinset.cli import main as run

        run()


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """Leave the taking apart of all that is loaded to the system, which does it at no cost.

    What is registered first is called last: all that others want done at the end has been done.
    After an unforeseen exception Python ends as usual.
    """
    status: int | None = None

    def end() -> None:
        if status is None:
            return
        with suppress(OSError, ValueError, AttributeError):  # closed or full: Python reports it
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    atexit.register(end)
    try:
        yield
        status = 0
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            status = ending.code or 0
        raise


if __name__ == "__main__":
    main()
