"""What servers need: a socket to listen at, and Ctrl-C and SIGTERM as calls."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from twinset.errors import TwinsetError


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


def listen(host: str, port: int, backlog: int, or_any: bool = False) -> socket.socket:
    """A socket at this address; ``or_any`` takes a free port where this one is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as fault:
        if not or_any:
            listening.close()
            why = getattr(fault, "strerror", None) or "ports are 0 to 65535"
            raise TwinsetError(
                f"cannot listen at {host}, port {port}: {why}; choose another --port or --host"
            ) from None
        listening.bind((host, 0))
    listening.listen(backlog)
    return listening
