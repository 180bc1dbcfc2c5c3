"""The ``twinset`` command, and ``python -m twinset``: Ctrl-C is answered before heavy imports."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130


def main() -> None:
    """Run the command line; while it is still being imported, Ctrl-C ends the process at once."""
    # A parent that ignores Ctrl-C (``nohup``, a job in the background) has its way.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception would surface in the middle of an import; nothing is open that needs closing.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    from twinset.cli import main as run

    run()


if __name__ == "__main__":
    main()
