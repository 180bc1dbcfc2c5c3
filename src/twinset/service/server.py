"""Listens at an address and answers, in one process or several, until it is asked to end."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from twinset import _kernels
from twinset.errors import PlanError
from twinset.index.local import LocalWork, open_store
from twinset.run.streaming import LARGE
from twinset.service.app import create_app
from twinset.service.desk import as_json
from twinset.service.front import MOST_BYTES
from twinset.service.models import ServiceSettings
from twinset.service.operation import FOLDER, log_libraries
from twinset.system.serving import called_to_end, listen

BACKLOG = 1024
SETTINGS = "TWINSET_SERVICE"
"""The variable by which processes of several are told how they were asked for."""
ENDING = 30
"""Seconds that requests have to end."""
IDLE = 75
"""Seconds that a connection may be idle, longer than most proxies keep theirs."""
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
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if settings.workers == 1:
        _serve_alone(settings, listening, partial(tell, address))
    else:
        _serve_together(settings, listening, partial(tell, address))


def _serve_alone(
    settings: ServiceSettings, listening: socket.socket, tell: Callable[[], None]
) -> None:
    server = uvicorn.Server(uvicorn.Config(_app(settings), **OPTIONS))

    def end(_: int) -> None:
        server.should_exit = True

    # from the moment on at which somebody may know of it
    with called_to_end(end):
        tell()
        server.run(sockets=[listening])


def _serve_together(
    settings: ServiceSettings, listening: socket.socket, tell: Callable[[], None]
) -> None:
    """Processes of uvicorn share the socket; one that dies is replaced."""
    with tempfile.TemporaryDirectory(prefix="twinset-figures-") as folder:
        os.environ |= {FOLDER: folder, SETTINGS: json.dumps(asdict(settings))}
        with called_to_end(lambda _: sys.exit()):
            tell()
            uvicorn.run(
                "twinset.service.server:app_of_process",
                factory=True,
                fd=listening.fileno(),
                workers=settings.workers,
                **OPTIONS,
            )


def app_of_process() -> FastAPI:
    """The service in one process of several, which ends with the one that began it."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
    return _app(ServiceSettings(**json.loads(os.environ[SETTINGS])))


def _app(settings: ServiceSettings) -> FastAPI:
    log_libraries()
    # else the C library keeps what merging has freed, some 30 MB, for as long as the service runs
    _kernels.keep_arrays_apart(LARGE)
    return create_app(LocalWork(open_store(settings.place)), settings)


OPTIONS: dict[str, Any] = {
    "http": "twinset.service.server:BoundedProtocol",
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "ws": "none",
    "backlog": BACKLOG,
    "timeout_keep_alive": IDLE,
    "timeout_graceful_shutdown": ENDING,
}
"""Of uvicorn. The protocol is named, so that a process that begins answers before it loads it."""
