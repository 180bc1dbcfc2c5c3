"""The ``twinset`` command, and ``python -m twinset``: Ctrl-C is answered before heavy imports."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Any

INTERRUPTED = 130
TERMINATED = 143


def main() -> None:
    """Run the command line; while it is still being imported, Ctrl-C ends the process at once."""
    # A parent that ignores Ctrl-C (``nohup``, a job in the background) has its way.
    heeds_interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeds_interrupts:
        # An exception would surface in the middle of an import; nothing is open that needs closing.
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    if sys.argv[1:2] == ["mine"] and _mined_at_once(heeds_interrupts):
        return
    from twinset.cli import main as run

    # Most of a short command is loading, which leaves no garbage: to look for it after every 700
    # new objects, and through all of them at the end, would take a fifth of the time.
    gc.set_threshold(50_000)
    try:
        run()
    finally:
        gc.freeze()


def _mined_at_once(heeds_interrupts: bool) -> bool:
    """Whether the command was so plain that all is printed already."""
    from twinset.mine_at_once import mined_at_once

    if heeds_interrupts:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    lines = mined_at_once(sys.argv[2:])
    if lines is None:
        return False
    try:
        sys.stdout.buffer.writelines(lines)
        sys.stdout.flush()
    except (OSError, MemoryError) as fault:
        from twinset.cli import end_with

        end_with(fault)
    return True


def _stop(number: int, frame: Any) -> None:
    from twinset.cli.faults import STOPPED

    sys.stderr.write(f"twinset: {STOPPED}\n")
    sys.stderr.flush()
    os._exit(TERMINATED if number == signal.SIGTERM else INTERRUPTED)


if __name__ == "__main__":
    main()
