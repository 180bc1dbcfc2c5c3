"""The launcher of `twinset.system.processes`, and the workers that it forks.

It does nothing but import and fork, so no thread and no lock is lost in a fork. When the program
that started it ends, however it does, its sockets close, and launcher and workers end.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from twinset.errors import TwinsetError
from twinset.system.messages import receive, send

REFUSED = "refused"
"""What comes in place of an outcome where the system grants no process."""
MOST_SECONDS = 120
"""Seconds of computing for one call: far more than any page needs that is not made to take long."""


def main(descriptor: int) -> None:
    """Import what is asked for, then fork a worker for every socket that comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends this
    control = socket.socket(fileno=descriptor)
    for module in receive(control):
        with suppress(ImportError):  # whoever needs it says so
            importlib.import_module(module)
    gc.freeze()  # or collecting garbage would write to, and so copy, what all share
    control.sendall(b"!")
    children: set[int] = set()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        children -= _ended(os.WNOHANG, len(children))
        if not message:
            break
        try:
            child = os.fork()
        except OSError:  # too many processes: whoever asks goes without
            with socket.socket(fileno=descriptors[0]) as link, suppress(OSError):
                send(link, (REFUSED, None))
            continue
        if child == 0:
            control.close()
            _work(socket.socket(fileno=descriptors[0]))
        children.add(child)
        os.close(descriptors[0])
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    _ended(0, len(children))


def _ended(options: int, most: int) -> set[int]:
    """The children that have ended; what they took is counted as ours from then on."""
    ended = set()
    for _ in range(most):
        with suppress(ChildProcessError):
            child, _ = os.waitpid(-1, options)
            ended.add(child)
    return ended


def _work(link: socket.socket) -> None:
    """Answer calls until the other side closes its end."""
    status = 1
    try:
        while True:
            function, arguments = receive(link)
            _allow(MOST_SECONDS)
            send(link, _outcome(function, arguments))
    except (EOFError, ConnectionError):
        status = 0
    finally:
        os._exit(status)


def _outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "value", function(*arguments)
    except MemoryError:
        return "lost", None
    except Exception as fault:
        return "raised", _sendable(fault)


def _sendable(fault: Exception) -> Exception:
    """The fault, or one of the same words where it cannot be made again elsewhere."""
    with suppress(Exception):
        if str(pickle.loads(pickle.dumps(fault))) == str(fault):
            return fault
    kind = TwinsetError if isinstance(fault, TwinsetError) else RuntimeError
    return kind(str(fault))


def _allow(seconds: int) -> None:
    """End this process when it has computed for so many seconds more."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    with suppress(ValueError, OSError):
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
