"""Real processes: how they end, what survives, and what cut or slow requests do to them."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.service.conftest import FOX, Served, Start, until
from twinset.index import Index
from twinset.service.app import OFTEN

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


def add(served: Served, name: str, text: str = FOX) -> int:
    return served.ask("POST", "/documents", [{"id": name, "text": f"{text} {name}"}])[0]


class Adding:
    """Threads that add documents one by one, and remember which were acknowledged."""

    def __init__(self, served: Served, prefix: str = "", threads: int = 4) -> None:
        self.acknowledged: list[str] = []
        self.statuses: Counter[int] = Counter()
        self._served, self._prefix, self._stop = served, prefix, threading.Event()
        self._threads = [threading.Thread(target=self._add, args=(n,)) for n in range(threads)]
        for thread in self._threads:
            thread.start()
        until(lambda: len(self.acknowledged) > 20)

    def _add(self, number: int) -> None:
        count = 0
        while not self._stop.is_set():
            name = f"{self._prefix}{number}-{count}"
            try:
                status = add(self._served, name)
            except (OSError, HTTPException, ValueError):
                return
            self.statuses[status] += 1
            if status == 200:
                self.acknowledged.append(name)
            count += 1

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_that_is_asked_to_end_before_it_answers_ends_well(
    start: Start, workers: str, kind: signal.Signals
) -> None:
    assert start("--workers", workers).end(kind) == 0


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.long)])
def test_what_was_acknowledged_survives_kills(start: Start, folder: Path, kills: int) -> None:
    acknowledged: list[str] = []
    for kill in range(kills):
        served = start()
        adding = Adding(served, f"{kill}-")
        served.end(signal.SIGKILL)
        adding.end()
        acknowledged += adding.acknowledged
    served = start()
    texts = [{"id": None, "text": f"{FOX} {name}"} for name in acknowledged]
    for name in acknowledged:
        assert served.ask("GET", f"/documents/{name}")[1]["text"] == f"{FOX} {name}"
    status, answers = served.ask("POST", "/query?top=0", texts[:50])
    assert status == 200
    matched = [{match["id"] for match in answer["matches"]} for answer in answers]
    assert all(name in found for name, found in zip(acknowledged, matched, strict=False))
    assert served.end() == 0
    with Index.open(folder) as index:
        assert index.check() == []


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_an_end_answers_what_it_has_taken(start: Start, folder: Path, kind: int) -> None:
    served = start()
    adding = Adding(served)
    # A request of which the last byte is missing when the service is asked to end.
    body = json.dumps([{"id": "late", "text": FOX}]).encode()
    with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
        head = f"POST /documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body[:-1])
        time.sleep(0.1)
        os.kill(served.process.pid, kind)
        time.sleep(0.2)
        connection.sendall(body[-1:])
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 200")
    adding.end()
    assert served.process.wait(30) == 0
    assert set(adding.statuses) == {200}
    with Index.open(folder) as index:
        assert all(name in index for name in [*adding.acknowledged, "late"])
    last = json.loads(served.log.read_text("utf-8").splitlines()[-1])
    assert last["event"] == "ended"


def test_cut_and_slow_requests_harm_nobody(start: Start) -> None:
    served = start("--timeout", "1")
    head = b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n"
    for piece in (b"", b"POST /que", head, head + b'[{"te', b"\x00\xff\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
            connection.sendall(piece)
    slow = socket.create_connection(("127.0.0.1", served.port), 30)
    slow.sendall(head)
    answer = b"".join(iter(lambda: slow.recv(4096), b""))
    slow.close()
    assert answer.startswith(b"HTTP/1.1 408")
    until(lambda: add(served, "a") == 200)
    status, answers = served.ask("POST", "/query", [{"text": f"{FOX} a"}])
    assert (status, answers[0]["matches"][0]["id"]) == (200, "a")
    assert "Traceback" not in served.log.read_text("utf-8")
    assert FOX not in served.log.read_text("utf-8")


def received(connection: socket.socket) -> bytes:
    """What comes until the other side ends the connection."""
    with suppress(ConnectionResetError):
        return b"".join(iter(lambda: connection.recv(4096), b""))
    return b""


GET = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ODD_HEADS = {
    b"endless lines": (GET, b"X-%d: y\r\n", 431),
    b"an endless line": (GET + b"X: ", b"%d", 431),
    b"an endless address": (b"GET /", b"%d", 431),
    b"an endless trailer": (
        b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"X-%d: y\r\n",
        None,
    ),
}


def test_a_head_without_end_is_refused_soon(start: Start) -> None:
    served = start()
    for begin, more, status in ODD_HEADS.values():
        _ensure_refused(served, begin, more, status)
    for odd, status in ((b"X: %s\r\n" % (b"y" * 33000), b"431"), (b"Host: b\r\n", b"400")):
        with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
            connection.sendall(GET + b"Connection: close\r\n" + odd + b"\r\n")
            assert received(connection).startswith(b"HTTP/1.1 " + status)


def _ensure_refused(served: Served, begin: bytes, more: bytes, status: int | None) -> None:
    sent = 0
    with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
        connection.sendall(begin)
        with suppress(ConnectionError):
            while sent < 4 << 20:
                piece = b"".join(more % number for number in range(1000))
                connection.sendall(piece)
                sent += len(piece)
                time.sleep(0.001)
        assert sent < 4 << 20
        answer = received(connection)
    assert status is None or answer.startswith(b"HTTP/1.1 %d" % status) or not answer
    assert _answers(served)


def test_a_head_that_does_not_come_is_not_waited_for(start: Start) -> None:
    served = start()
    with ExitStack() as stack:
        half = []
        for begin in (b"", GET, GET + b"\r\n" + GET, GET + b"Content-Length: 9\r\n\r\n"):
            connection = socket.create_connection(("127.0.0.1", served.port), 30)
            half.append(stack.enter_context(connection))
            connection.sendall(begin)
        begun = time.monotonic()
        time.sleep(1)
        for connection in half[1:]:
            connection.sendall(b"X")
        answers = [received(connection) for connection in half]
    assert time.monotonic() - begun < 15
    assert [b" 408 " in answer for answer in answers] == [True, True, True, True]


def test_connections_are_bounded(start: Start) -> None:
    served = start()
    with ExitStack() as stack:
        for _ in range(600):
            connection = socket.create_connection(("127.0.0.1", served.port), 30)
            stack.enter_context(connection)
        assert received(connection).startswith(b"HTTP/1.1 503")
    until(lambda: _answers(served))


def test_several_processes_share_an_index_and_their_figures(start: Start, folder: Path) -> None:
    served = start("--workers", "2")
    until(lambda: _answers(served), 60)
    for number in range(20):
        assert add(served, str(number)) == 200
        assert served.ask("GET", f"/documents/{number}")[0] == 200
    total = until(lambda: _total(served) >= 40 and _total(served))
    time.sleep(5 * OFTEN)  # until every process has let the others know
    children = _children(served)
    assert len(children) >= 2
    os.kill(children[-1], signal.SIGKILL)
    until(lambda: children[-1] not in _children(served))
    until(lambda: _answers(served))
    until(lambda: _total(served) >= total)
    assert served.end() == 0
    with Index.open(folder) as index:
        assert index.info()["documents"] == 20


def _answers(served: Served) -> bool:
    try:
        return served.ask("GET", "/ready")[0] == 200
    except (OSError, HTTPException):
        return False


def _total(served: Served) -> int:
    """Requests for documents that all processes have answered."""
    try:
        with socket.create_connection(("127.0.0.1", served.port), 30) as connection:
            connection.sendall(b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    except OSError:
        return 0
    lines = [line for line in text.splitlines() if 'path="/documents' in line and "_total" in line]
    return sum(round(float(line.rpartition(" ")[2])) for line in lines)


def _children(served: Served) -> list[int]:
    """Processes that the first one has begun and that answer, by /proc; the spawner is not one."""
    own = served.process.pid
    found: list[int] = []
    listed: Any = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    for child in map(int, listed):
        command = Path(f"/proc/{child}/cmdline").read_bytes()
        if b"spawn_main" in command:
            found.append(child)
    return found
