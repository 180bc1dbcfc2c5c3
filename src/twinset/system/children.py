"""Child processes that end with their parent, however it ends.

A parent that is killed cannot end them. On Linux the system does so; elsewhere, and in the moment
before that is arranged, a thread of the child looks who its parent is. A `Child` computes
functions, one after another and within bounds.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from twinset.errors import TwinsetError

_SET_SIGNAL_OF_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_PARENT = "TWINSET_PARENT"


def environment_of_child() -> dict[str, str]:
    """The variables of a command that begins with `follow_parent`."""
    return {**os.environ, _PARENT: str(os.getpid())}


def follow_parent() -> None:
    """In the child: end when the parent does, from now on."""
    import ctypes

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_SIGNAL_OF_PARENTS_DEATH, signal.SIGKILL, 0, 0, 0)
    parent = int(os.environ.pop(_PARENT))
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


MOST_SECONDS = 120.0
"""Seconds of computing for one call: far more than any page needs that is not made to take long."""
_WAITING = 20.0
"""A child that is still computing may be waited for this many times as long, on a busy machine."""
_PATIENCE = 200  # milliseconds between two looks at what the caller wants
_COMMAND = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from twinset.system.children import serve; serve(int(sys.argv[1]))"
)


class LostError(Exception):
    """The process has ended before it could answer."""


class Child:
    """A process that computes functions of modules; one that is lost costs the call it was at.

    It starts with the first call, and a new one takes the place of one that was lost.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def send(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: float = MOST_SECONDS,
        memory: int | None = None,
    ) -> None:
        """Have a function computed, within so many seconds of computing and bytes of memory."""
        request = pickle.dumps((function, arguments, seconds, memory), protocol=5)
        process = self._running()
        assert process.stdin is not None
        with suppress(BrokenPipeError, ConnectionError):  # then it has no answer either
            process.stdin.write(request)
            process.stdin.flush()

    def answer(self, meanwhile: Callable[[], None] | None = None) -> Any:
        """What the function returns; a fault of the function is raised, or `LostError`.

        While it is computed ``meanwhile`` is called again and again, which may raise.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            if meanwhile is not None:
                answer = select.poll()
                answer.register(self._process.stdout, select.POLLIN)
                while not answer.poll(_PATIENCE):
                    meanwhile()
            outcome, value = pickle.load(self._process.stdout)
        except (EOFError, ConnectionError, pickle.UnpicklingError):
            outcome, value = "lost", None
        except BaseException:  # Ctrl-C: what it still answers belongs to nobody
            self.close()
            raise
        if outcome == "lost":
            self.close()
            raise LostError
        if outcome == "raised":
            raise value
        return value

    def call(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: float,
        memory: int | None,
    ) -> Any:
        """Send and wait for the answer, which a machine that is busy may delay."""
        until = time.monotonic() + _WAITING * seconds

        def look() -> None:
            if time.monotonic() > until:
                raise LostError

        self.send(function, arguments, seconds, memory)
        return self.answer(look)

    def _running(self) -> subprocess.Popen[bytes]:
        # A process that was forked off must not talk into the pipes of its parent.
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            # Threads of NumPy would only take each other's time.
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            self._process = subprocess.Popen(
                [sys.executable, "-c", _COMMAND, str(os.getpid()), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        """End the process, whatever it is at."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None


def serve(parent: int) -> None:
    """In the child: answer calls on stdin until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    try:
        while True:
            function, arguments, seconds, memory = pickle.load(sys.stdin.buffer)
            bound(seconds, memory)
            pickle.dump(_outcome(function, arguments), answers, protocol=5)
            answers.flush()
    except (EOFError, ConnectionError, MemoryError):
        os._exit(0)


def _follow(parent: int) -> None:
    """End with the parent, also in the middle of a call."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
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


def bound(seconds: float, memory: int | None) -> None:
    """End this process when it has computed for so long from now; refuse it more memory."""
    with suppress(ImportError, ValueError, OSError):  # what a system does not have
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        spent = used.ru_utime + used.ru_stime
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + 1, hard))
        if memory is not None:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            resource.setrlimit(resource.RLIMIT_DATA, (memory, hard))
