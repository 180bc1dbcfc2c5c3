"""Ctrl-C and SIGTERM as calls, for work that an exception from nowhere would not end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def called_to_end(act: Callable[[int], object]) -> Iterator[None]:
    """At Ctrl-C and SIGTERM call ``act`` with the number, in place of what they did before.

    An exception raised by a signal would be lost where an event loop is just beginning: it reports
    the exception as a fault of a callback and waits for ever. Ctrl-C stays ignored where it is
    (``nohup``, a job in the background). Signals reach the main thread only; elsewhere nothing
    is changed.
    """
    kinds = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        kinds.append(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():
        kinds = []
    before = [(kind, signal.signal(kind, lambda number, _: act(number))) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in before:
            signal.signal(kind, handler)
