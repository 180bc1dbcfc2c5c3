"""Functions computed by other processes, for work that holds Python's lock.

A launcher, a process of its own without threads, imports what is needed once and forks a worker for
every call that waits; the program itself is never forked or run again. Whatever ends a worker (a
crash of a library, memory, too much computing) costs the call it was at.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from twinset.errors import TwinsetError
from twinset.system.background import go_on

if TYPE_CHECKING:  # loaded with the first process: most runs need none
    import socket
    import subprocess

Result = TypeVar("Result")
PAYS = 2 << 20
"""Bytes to work on from which processes are started: for fewer, starting them takes longer."""
_PATIENCE = 0.2  # seconds
_START = 60.0  # seconds that a launcher may need to import what it is for
_ENDED = (
    "the process that starts readers of pages and files was ended from outside, perhaps since "
    "memory ran out; use fewer --threads, or --threads 1 to do without such processes"
)
_COMMAND = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from twinset.system.launcher import main; main(int(sys.argv[1]))"
)


class LostCall:
    """Stands for the result of a call whose worker has ended before it could answer."""


LOST = LostCall()
_REFUSED: Any = object()  # in place of a result: the system grants no process


class Workers:
    """Up to ``most`` processes, started when they are needed; ``modules`` are imported once.

    Several threads may call at the same time. With ``most`` below two, and where no process can be
    started, everything is computed here.
    """

    def __init__(self, most: int, modules: Sequence[str] = ()) -> None:
        self.most = most if hasattr(os, "fork") and not getattr(sys, "frozen", False) else 1
        self._modules = tuple(modules)
        self._launcher: _Launcher | None = None
        self._free: list[socket.socket] = []
        self._busy = 0
        self._asked = 0
        self._change = threading.Condition()

    def pays(self, size: int) -> bool:
        """Whether there has been enough to work on, with this many bytes more."""
        with self._change:
            self._asked += size
            return self.most > 1 and self._asked >= PAYS

    def results(
        self, function: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> list[Result | LostCall]:
        """The function of each of the arguments, in their order; `LOST` where a worker ended.

        The function is one of a module, and so are its arguments and results.
        """
        if self.most < 2:
            return [function(*call) for call in calls]
        import selectors

        from twinset.system.messages import send

        results: dict[int, Result | LostCall] = {}
        waiting = list(range(len(calls)))[::-1]
        with self._borrowed() as workers, selectors.DefaultSelector() as answers:
            if workers.launcher is None:
                self.most = 1
                return [function(*call) for call in calls]
            while waiting or workers.at:
                while waiting and (worker := workers.another(bool(workers.at))) is not None:
                    number = waiting.pop()
                    workers.at[worker] = number
                    answers.register(worker, selectors.EVENT_READ)
                    with suppress(ConnectionError):  # then it has no answer either
                        send(worker, (function, calls[number]))
                for key, _ in answers.select(_PATIENCE):
                    worker = cast("socket.socket", key.fileobj)
                    answers.unregister(worker)
                    number = workers.at[worker]
                    answer = _answer(worker, workers)
                    if answer is _REFUSED:
                        answer = function(*calls[number])
                    results[number] = answer
                go_on()
        return [results[number] for number in range(len(calls))]

    @contextmanager
    def _borrowed(self) -> Iterator[_Borrowed]:
        borrowed = _Borrowed(self, self._launched())
        try:
            yield borrowed
        finally:
            for worker in list(borrowed.at):  # Ctrl-C: what they still answer belongs to nobody
                borrowed.give_back(worker, alive=False)

    def _launched(self) -> _Launcher | None:
        with self._change:
            if self._launcher is None:
                go_on()  # whoever held the lock may have been stopped
                self._launcher = _Launcher.started(self._modules)
            return self._launcher

    def close(self) -> None:
        """End all processes."""
        with self._change:
            free, self._free = self._free, []
            launcher, self._launcher = self._launcher, None
        for worker in free:
            worker.close()
        if launcher is not None:
            launcher.close()


class _Borrowed:
    """The workers of one caller: ``at`` says which call each of them computes."""

    def __init__(self, owner: Workers, launcher: _Launcher | None) -> None:
        self._owner, self.launcher = owner, launcher
        self.at: dict[socket.socket, int] = {}

    def another(self, has_some: bool) -> socket.socket | None:
        """A worker that is free, or a new one; None where all work and the caller has some."""
        owner = self._owner
        with owner._change:
            while not owner._free and owner._busy >= owner.most:
                if has_some:
                    return None
                owner._change.wait(_PATIENCE)
                go_on()
            owner._busy += 1
            if owner._free:
                return owner._free.pop()
        assert self.launcher is not None
        try:
            return self.launcher.worker()
        except BaseException:
            with owner._change:
                owner._busy -= 1
            raise

    def give_back(self, worker: socket.socket, alive: bool = True) -> None:
        """Let others have the worker, unless it has ended."""
        del self.at[worker]
        owner = self._owner
        with owner._change:
            owner._busy -= 1
            if alive and owner._launcher is not None:
                owner._free.append(worker)
            else:
                worker.close()
            owner._change.notify()


def _answer(worker: socket.socket, workers: _Borrowed) -> Any:
    from twinset.system.launcher import REFUSED
    from twinset.system.messages import receive

    try:
        outcome, value = receive(worker)
    except (ConnectionError, EOFError):
        workers.give_back(worker, alive=False)
        return LOST
    except BaseException:
        workers.give_back(worker, alive=False)
        raise
    workers.give_back(worker, alive=outcome != REFUSED)
    if outcome == REFUSED:
        return _REFUSED
    if outcome == "raised":
        raise value
    return LOST if outcome == "lost" else value


class _Launcher:
    """The process that forks workers."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process, self._control = process, control
        self._lock = threading.Lock()

    @classmethod
    def started(cls, modules: Sequence[str]) -> _Launcher | None:
        """A launcher that has imported the modules; None where that is not possible here."""
        import socket
        import subprocess

        from twinset.system.messages import send

        control, its_end = socket.socketpair()
        with its_end:
            number = its_end.fileno()
            command = [sys.executable, "-c", _COMMAND, str(number), *sys.path]
            # Threads of NumPy would not live on in what is forked.
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(number,),
                    env=environment,
                )
            except OSError:
                control.close()
                return None
        launcher = cls(process, control)
        try:
            send(control, tuple(modules))
            control.settimeout(_PATIENCE)
            if launcher._sign_of_life() == b"!":
                control.settimeout(None)
                return launcher
        except BaseException as fault:
            process.kill()  # it is importing still, and has nothing to lose
            launcher.close()
            if not isinstance(fault, OSError):
                raise
            return None
        launcher.close()
        return None

    def _sign_of_life(self) -> bytes:
        """What it sends when it has imported the modules; nothing where it has ended."""
        for _ in range(int(_START / _PATIENCE)):
            with suppress(TimeoutError):
                return self._control.recv(1)
            go_on()
        return b""

    def worker(self) -> socket.socket:
        """A new worker, by the socket that it listens to."""
        import socket

        ours, its_end = socket.socketpair()
        try:
            with its_end, self._lock:
                socket.send_fds(self._control, [b"+"], [its_end.fileno()])
        except ConnectionError:  # not a fault of the file that is being read, nor of our output
            ours.close()
            raise TwinsetError(_ENDED) from None
        return ours

    def close(self) -> None:
        """End it and all its workers."""
        import subprocess

        self._control.close()
        try:
            self._process.wait(_PATIENCE * 10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
