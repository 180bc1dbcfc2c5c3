"""Listens at an address and answers, in one process or several, until it is asked to end."""

from __future__ import annotations

import multiprocessing
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import uvicorn

from twinset import _kernels
from twinset.engine.streaming import LARGE
from twinset.errors import PlanError, TwinsetError
from twinset.index.index import open_store
from twinset.index.local import LocalWork
from twinset.service.app import create_app
from twinset.service.logs import log_libraries, write_line
from twinset.service.settings import ServiceSettings
from twinset.system.ending import called_to_end
from twinset.system.listening import listen

BACKLOG = 1024
ENDING = 30
"""Seconds that requests have to end."""
IDLE = 75
"""Seconds that a connection may be idle, longer than most proxies keep theirs."""
SOON = 5.0
"""Seconds in which a process that ends has failed to begin."""


def serve(settings: ServiceSettings, tell: Callable[[str], None]) -> None:
    """Answer until interrupted; ``tell`` is called with the address when it is listened at."""
    store = open_store(settings.place)
    try:
        has_keys = bool(store.roles())
    finally:
        store.close()
    if not (has_keys or settings.is_local or settings.is_open):
        raise PlanError(
            [
                f"anybody who reaches {settings.host} could read and change the index: make keys "
                f"with 'twinset index key add {settings.place} NAME', or give --open"
            ]
        )
    listening = listen(settings.host, settings.port, BACKLOG)
    host, port = listening.getsockname()[:2]
    ending = threading.Event()

    def end_if_asked(server: uvicorn.Server) -> None:
        if ending.is_set():
            server.should_exit = True

    with called_to_end(ending.set):  # from the moment on at which somebody may know of it
        tell(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        if settings.workers == 1:
            run(settings, listening, ends=end_if_asked)
        else:
            _run_several(settings, listening, ending)


def run(
    settings: ServiceSettings,
    listening: socket.socket,
    figures: Path | None = None,
    ends: Callable[[uvicorn.Server], None] | None = None,
) -> None:
    """Answer in this process; ``ends`` gets the server, to end it."""
    log_libraries()
    # else the C library keeps what merging has freed, some 30 MB, for as long as the service runs
    _kernels.keep_arrays_apart(LARGE)
    app = create_app(LocalWork(open_store(settings.place)), settings, figures)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=ENDING,
    )
    server = uvicorn.Server(config)

    def end() -> None:
        server.should_exit = True

    try:
        with called_to_end(end):
            if ends is not None:
                ends(server)
            write_line("info", "started")
            server.run(sockets=[listening])
    finally:
        write_line("info", "ended")


# several processes


def _run_several(
    settings: ServiceSettings, listening: socket.socket, ending: threading.Event
) -> None:
    """Processes that share the socket, until the event; one that dies is replaced."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="twinset-figures-") as folder:

        def begin() -> Any:
            arguments = (settings, listening, Path(folder))
            process = context.Process(target=_run_one, args=arguments, name="twinset-worker")
            process.start()
            return process

        begun = time.monotonic()
        processes = [begin() for _ in range(settings.workers)]
        while not ending.is_set():
            wait([process.sentinel for process in processes], timeout=0.2)
            for place, process in enumerate(processes):
                if process.is_alive() or ending.is_set():
                    continue
                write_line("error", "worker ended", process=process.pid, code=process.exitcode)
                # one that was killed is begun again; a fault at the beginning would come again
                if time.monotonic() - begun < SOON and process.exitcode > 0:
                    _end(processes)
                    raise TwinsetError("a process of the service could not begin; see its log")
                processes[place] = begin()
        _end(processes)


def _end(processes: list[Any]) -> None:
    for process in processes:
        process.terminate()
    until = time.monotonic() + ENDING + 10
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            process.kill()


def _run_one(settings: ServiceSettings, listening: socket.socket, figures: Path) -> None:
    """In a process of its own, which ends when the one that began it does."""
    parent = multiprocessing.parent_process()

    def follow(server: uvicorn.Server) -> None:
        def watch() -> None:
            if parent is not None:
                parent.join()
                server.should_exit = True

        threading.Thread(target=watch, daemon=True).start()

    # Ctrl-C reaches all processes of a terminal; the first of them ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run(settings, listening, figures, follow)
