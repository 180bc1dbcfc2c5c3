"""An index, and its service with and without a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from twinset.index import Index
from twinset.index.local import LocalWork
from twinset.service.app import create_app
from twinset.service.models import ServiceSettings

FOX = "the quick brown fox jumps over the lazy dog and runs far away from all the others"
HEN = "a fat hen sits on nine eggs in the barn until the farmer comes to look for her there"
Start = Callable[..., "Served"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Index.create(tmp_path / "index", threshold=0.5).close()
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    with Index.open(folder) as opened:
        yield opened


@pytest.fixture
def visit(folder: Path) -> Iterator[Callable[..., TestClient]]:
    """Makes clients of a service with some settings."""
    entered: list[TestClient] = []

    def make(key: str | None = None, **settings: Any) -> TestClient:
        work = Index.open(folder).work
        assert isinstance(work, LocalWork)
        app = create_app(work, ServiceSettings(str(folder), **settings))
        client = TestClient(app, base_url="http://127.0.0.1:8760")
        if key is not None:
            client.headers["authorization"] = f"Bearer {key}"
        entered.append(client.__enter__())
        return client

    yield make
    for client in entered:
        client.__exit__(None, None, None)


@pytest.fixture
def client(visit: Callable[..., TestClient]) -> TestClient:
    return visit()


class Served:
    """A process of ``twinset serve``."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "twinset", "serve", str(folder), "--port", "0", *options]
        self.log = folder.parent / "log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+))$", line.strip())
        assert found is not None, self.log.read_text("utf-8")
        self.address, self.port = found.group(1), int(found.group(2))

    def ask(self, method: str, path: str, value: Any = None, **headers: str) -> tuple[int, Any]:
        """The status and the value of an answer, over a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if value is None else json.dumps(value), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def end(self, kind: int = signal.SIGTERM) -> int:
        os.kill(self.process.pid, kind)
        return self.process.wait(30)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts servers of the index, which end with the test."""
    begun: list[Served] = []

    def begin(*options: str) -> Served:
        begun.append(Served(folder, *options))
        return begun[-1]

    yield begin
    for served in begun:
        if served.process.poll() is None:
            with suppress(ProcessLookupError):
                served.process.kill()
            served.process.wait(30)
        assert served.process.stdout is not None
        served.process.stdout.close()


def until(happens: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait for something, and return it."""
    end = time.monotonic() + seconds
    while not (value := happens()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return value
