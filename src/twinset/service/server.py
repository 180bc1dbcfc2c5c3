"""Listens at an address and answers, in one process or several, until it is asked to end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from twinset import _kernels
from twinset.errors import PlanError, TwinsetError
from twinset.index.local import LocalWork, open_store
from twinset.run.streaming import LARGE
from twinset.service.app import create_app
from twinset.service.desk import as_json
from twinset.service.front import MOST_BYTES
from twinset.service.models import ServiceSettings
from twinset.service.operation import FOLDER, log_libraries, write_line
from twinset.system.serving import called_to_end, listen

BACKLOG = 1024
ENDING = 30
"""Seconds that requests have to end."""
IDLE = 75
"""Seconds that a connection may be idle, longer than most proxies keep theirs."""
SOON = 5.0
"""Seconds in which a process that ends has failed to begin."""
MOST_CONNECTIONS = 500
"""Connections of a process at a time; many systems let it open 1,024 files."""
SECONDS = 10.0
"""Until a head has to be there, from its first byte on, or from the beginning of a connection."""


class BoundedProtocol(HttpToolsProtocol):
    """Ends connections on which nothing comes that could become a request."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._came, self._bytes = False, 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Answer at most so many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self._refuse(b"503 Service Unavailable\r\nretry-after: 1", "too many connections")
        else:
            self._timer = self.loop.call_later(SECONDS, self._end)

    def data_received(self, data: bytes) -> None:
        """Take in bytes, and count and time those that bring no request further."""
        self._came = False
        super().data_received(data)
        if self._came:
            self._bytes = 0
            self._stop_timer()
            return
        self._bytes += len(data)
        if self._bytes > MOST_BYTES:
            self._refuse(
                b"431 Request Header Fields Too Large", "the head of a request is too large"
            )
        elif self._timer is None:
            self._timer = self.loop.call_later(SECONDS, self._end)

    def on_headers_complete(self) -> None:
        """A head is there."""
        self._came = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body is there, which counts while it is waited for."""
        self._came = self._came or not self.cycle.response_complete
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is there."""
        self._came = True
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP in the form of all faults."""
        self._refuse(b"400 Bad Request", "this is no request of HTTP")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._refuse(b"408 Request Timeout", "the head of the request did not arrive in time")

    def _refuse(self, status: bytes, sentence: str) -> None:
        """Say why, unless another answer is being sent, and end the connection."""
        if self.cycle is None or self.cycle.response_complete:
            body = as_json({"error": sentence})
            head = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n"
            end = b"connection: close\r\n\r\n%s"
            self.transport.write((head + end) % (status, len(body), body))
        self.transport.close()


def serve(settings: ServiceSettings, tell: Callable[[str], None]) -> None:
    """Answer until interrupted; ``tell`` is called with the address when it is listened at."""
    store = open_store(settings.place)
    try:
        has_keys, place = bool(store.roles()), store.place
    finally:
        store.close()
    if not (has_keys or settings.is_local or settings.is_open):
        raise PlanError(
            [
                f"anybody who reaches {settings.host} could read and change the index: make keys "
                f"with 'twinset index key add {place} NAME', or give --open"
            ]
        )
    listening = listen(settings.host, settings.port, BACKLOG)
    host, port = listening.getsockname()[:2]
    ending = threading.Event()

    def end_if_asked(server: uvicorn.Server) -> None:
        if ending.is_set():
            server.should_exit = True

    # from the moment on at which somebody may know of it
    with called_to_end(lambda _: ending.set()):
        tell(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        if settings.workers == 1:
            run(settings, listening, ends=end_if_asked)
        else:
            _run_several(settings, listening, ending)


def run(
    settings: ServiceSettings,
    listening: socket.socket,
    ends: Callable[[uvicorn.Server], None] | None = None,
) -> None:
    """Answer in this process; ``ends`` gets the server, to end it."""
    log_libraries()
    # else the C library keeps what merging has freed, some 30 MB, for as long as the service runs
    _kernels.keep_arrays_apart(LARGE)
    app = create_app(LocalWork(open_store(settings.place)), settings)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
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

    def end(_: int) -> None:
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
        os.environ[FOLDER] = folder

        def begin() -> Any:
            arguments = (settings, listening)
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
                mark_process_dead(process.pid, folder)
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


def _run_one(settings: ServiceSettings, listening: socket.socket) -> None:
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
    run(settings, listening, follow)
