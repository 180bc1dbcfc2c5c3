"""The client: the same methods, the same answers, and clear sentences."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.service.conftest import FOX, HEN
from tests.service.test_requests import IDS
from twinset.errors import PlanError, TwinsetError
from twinset.index import IdTakenError, Index, client
from twinset.index.local import LocalWork, open_store
from twinset.service.access import add_key
from twinset.service.app import create_app
from twinset.service.models import ServiceSettings


@contextmanager
def served(folder: Path, **settings: Any) -> Iterator[str]:
    """The address of a service that runs in a thread of this process."""
    work = LocalWork(open_store(str(folder)))
    app = create_app(work, ServiceSettings(str(folder), **settings))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with served(folder, most_documents=3) as found:
        yield found


def test_an_address_is_an_index_as_a_folder_is(address: str, folder: Path) -> None:
    documents = {f"d{n}": f"{FOX} {n}" for n in range(10)} | {"hen": HEN}
    with Index.open(address) as remote, Index.open(folder) as local:
        assert remote.plan == local.plan
        assert remote.add(documents).added == 11  # in parts, as the service takes three at once
        asked = {"new": f"{FOX} 3 4", "d1": documents["d1"], "none": "x"}
        for options in ({}, {"top": 2}, {"top": 0}, {"least": 0.3}):
            assert list(remote.query(asked, **options)) == list(local.query(asked, **options))
        assert "d5" in remote
        assert "d55" not in remote
        assert (remote.text("hen"), remote.text("cow")) == (HEN, None)
        assert list(remote.documents()) == list(local.documents())
        assert remote.remove(["d0", "d1", "d2", "d3", "d0", "cow"]) == 4
        again = remote.add({"hen": HEN, "chick": HEN}, dedup=True)
        assert [answer.id for answer in again.duplicates] == ["chick"]
        facts = remote.info()
        assert (facts["index"], facts["documents"]) == (address, 7)
        assert facts["plan"] == local.info()["plan"]
        for work in (remote.compact, remote.check):
            with pytest.raises(TwinsetError, match="where the index of http"):
                work()


def test_ids_of_any_characters(address: str) -> None:
    with Index.open(address) as remote:
        for work in (
            lambda: remote.add_texts(["\ud800"], [FOX]),
            lambda: remote.remove(["\ud800"]),
            lambda: remote.remove("12"),
        ):
            with pytest.raises(PlanError, match=r"half of a surrogate|list of strings"):
                work()
        for id in [*IDS, "%2F", "a%20b"]:
            assert remote.add_texts([id], [FOX]).added == 1
            assert id in remote
            assert remote.text(id) == FOX
            assert remote.remove([id]) == 1
            assert id not in remote


def test_faults_are_those_of_a_folder(address: str) -> None:
    with Index.open(address) as remote:
        remote.add_texts(["a"], [FOX])
        with pytest.raises(IdTakenError) as taken:
            remote.add_texts(["a"], [HEN])
        assert taken.value.ids == ["a"]
        assert remote.add_texts(["a"], [HEN], replace=True).replaced == 1
        with pytest.raises(TwinsetError, match=r"3 documents .* at once"):
            remote.add_texts(list("bcde"), [HEN] * 4)
        assert "b" not in remote


def test_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(str(folder))
    key = add_key(store, "reader", "read")
    store.close()
    with served(folder) as address:
        with pytest.raises(TwinsetError, match="this needs a key"):
            Index.open(address)
        with pytest.raises(TwinsetError, match="this needs a key"):
            Index.open(address, key="wrong")
        with Index.open(address, key=key) as remote:
            assert "a" not in remote
            with pytest.raises(TwinsetError, match="may read only"):
                remote.add_texts(["a"], [FOX])
        monkeypatch.setenv("TWINSET_KEY", key)
        Index.open(address).close()


def test_a_connection_that_was_closed_meanwhile_is_made_again(folder: Path) -> None:
    with served(folder) as first, Index.open(first) as remote:
        remote.work._own.connection.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[attr-defined]
        assert remote.add_texts(["a"], [FOX]).added == 1


def test_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(TwinsetError, match="does not answer: connection refused; is it running"):
        Index.open(f"http://127.0.0.1:{port}")


def test_addresses_that_are_none() -> None:
    for url in ("http://", "http://a:b@host/", "http://h:99999", "http://h?x=1"):
        with pytest.raises(PlanError, match="http"):
            Index.open(url)


@contextmanager
def answering(*answers: tuple[int, dict[str, str], bytes]) -> Iterator[str]:
    """The address of a server that gives these answers, the last one again and again."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_another_server_or_version_is_named_as_such() -> None:
    newer = json.dumps({"twinset": "9.9", "plan": {"something": "new"}, "limits": {}}).encode()
    for status, body, said in (
        (200, b"<html>", "is no service of twinset"),
        (200, b"[]", "is no service of twinset"),
        (404, b"{}", "is no service of twinset"),
        (500, b'{"error": 5}', "is no service of twinset"),
        (200, newer, r"another version \(9\.9"),
    ):
        with answering((status, {}, body)) as address, pytest.raises(TwinsetError, match=said):
            Index.open(address)


def test_a_busy_service_is_asked_again(
    index: Index, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[int] = []
    monkeypatch.setattr(client.time, "sleep", slept.append)
    facts = index.info() | {"limits": {"documents": 5, "bytes": 5000}, "twinset": "1"}
    busy = (429, {"Retry-After": "7"}, b'{"error": "too many"}')
    with answering(busy, busy, (200, {}, json.dumps(facts).encode())) as address:
        Index.open(address)
    assert slept == [7, 7]
    forever = (503, {"Retry-After": "999"}, b'{"error": "not now"}')
    with answering(forever) as address, pytest.raises(TwinsetError, match="not now"):
        Index.open(address)


def test_a_document_that_is_too_large_is_named(index: Index) -> None:
    facts = index.info() | {"limits": {"documents": 5, "bytes": 100}, "twinset": "1"}
    with answering((200, {}, json.dumps(facts).encode())) as address:
        asked = Index.open(address)
    for ids, name in ((["small", "large"], "the document 'large'"), ([None, None], "a text")):
        with pytest.raises(TwinsetError, match=f"{name} takes .* and the service .* takes 100 at"):
            asked.query_texts(ids, ["few words", "word " * 50])
