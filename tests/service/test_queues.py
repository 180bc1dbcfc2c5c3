"""Bounded queues: what waits is done together, the rest is asked to come again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.conftest import FOX, HEN, until
from twinset.index import Index
from twinset.service.desk import TOGETHER, Desk, OutOfTimeError, QueueFullError, RequestQueue
from twinset.service.models import AddParameters, NewDocument

Visit = Callable[..., TestClient]


class Gate:
    """Work that waits until it is let through, and remembers what came together."""

    def __init__(self) -> None:
        self.open, self.busy = threading.Event(), threading.Event()
        self.groups: list[list[Any]] = []

    def work(self, kind: Any, requests: list[Any]) -> list[Any]:
        self.busy.set()
        assert self.open.wait(20)
        self.groups.append(requests)
        if "bad" in requests:
            raise ValueError("bad")
        return [f"{kind} {request}" for request in requests]


@pytest.fixture
def gate() -> Gate:
    return Gate()


async def first_and_then(queue: RequestQueue, gate: Gate, *requests: tuple[Any, Any, int]) -> Any:
    """The first request holds the thread until all the others wait."""
    first = asyncio.ensure_future(queue.run(gate.work, None, "first"))
    await asyncio.to_thread(gate.busy.wait, 20)
    others = [asyncio.ensure_future(queue.run(gate.work, *request)) for request in requests]
    await asyncio.sleep(0)
    gate.open.set()
    return await asyncio.gather(first, *others, return_exceptions=True)


@pytest.fixture
def queue() -> Iterator[RequestQueue]:
    made = RequestQueue("test", 1, 5, 20)
    yield made
    asyncio.run(made.close(20))


def test_what_waits_is_done_together_by_kind(queue: RequestQueue, gate: Gate) -> None:
    waiting = [("a", 1, 1), ("b", 2, 1), ("a", "bad", 1), (None, 4, 1), ("a", 5, TOGETHER)]
    *results, refused = asyncio.run(first_and_then(queue, gate, *waiting, ("b", 6, 1)))
    failed = results.pop(3)  # which harms no other
    assert results == ["None first", "a 1", "b 2", "None 4", "a 5"]
    assert gate.groups == [["first"], [1, "bad"], [1], ["bad"], [2], [4], [5]]
    assert isinstance(failed, ValueError)
    assert isinstance(refused, QueueFullError)


def test_who_waits_too_long_is_told_whether_it_was_begun(gate: Gate) -> None:
    queue = RequestQueue("test", 1, 5, 0.05)

    async def too_long() -> list[Any]:
        runs = [queue.run(gate.work, None, name) for name in ("first", "second")]
        results: list[Any] = await asyncio.gather(*runs, return_exceptions=True)
        assert len(queue) == 0
        gate.open.set()
        await queue.close(20)
        return results

    first, second = asyncio.run(too_long())
    assert isinstance(first, OutOfTimeError)
    assert (first.begun, second.begun) == (True, False)
    assert gate.groups == [["first"]]


@pytest.fixture
def closed(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Additions wait until the gate is opened."""
    add = Desk._add

    def waiting(self: Desk, kind: Any, requests: list[Any]) -> Any:
        gate.busy.set()
        assert gate.open.wait(20)
        return add(self, kind, requests)

    monkeypatch.setattr(Desk, "_add", waiting)
    yield gate
    gate.open.set()


def waiting_changes(client: TestClient) -> int:
    waiting: int = client.app.state.desk.waiting["changes"]  # type: ignore[attr-defined]
    return waiting


def test_questions_go_on_while_additions_wait_and_too_many_are_refused(
    visit: Visit, closed: Gate
) -> None:
    client = visit(most_waiting=3)

    def add(number: int) -> Any:
        return client.post("/documents", json=[{"id": str(number), "text": FOX}])

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(add, 0)
        assert closed.busy.wait(20)
        others = [threads.submit(add, number) for number in range(1, 4)]
        until(lambda: waiting_changes(client) == 3)
        refused = add(9)
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert client.post("/query", json=[{"text": FOX}]).status_code == 200
        closed.open.set()
        answers = [each.result() for each in (first, *others)]
    assert [answer.json()["added"] for answer in answers] == [1, 1, 1, 1]


def test_memory_for_bodies_is_bounded(visit: Visit, closed: Gate) -> None:
    client = visit(most_bytes=1000)
    body = [{"id": "a", "text": "x" * 900}]
    with ThreadPoolExecutor(8) as threads:
        held = [threads.submit(client.post, "/documents", json=body)]
        assert closed.busy.wait(20)
        held += [threads.submit(client.post, "/documents", json=body) for _ in range(7)]
        until(lambda: waiting_changes(client) == 7)
        assert client.post("/documents", json=body).status_code == 429
        assert client.get("/health").status_code == 200
        closed.open.set()
        assert {each.result().status_code for each in held} == {200}
    assert client.post("/documents", json=body).status_code == 200


def test_additions_that_come_together_are_counted_apart(client: TestClient, index: Index) -> None:
    desk = client.app.state.desk  # type: ignore[attr-defined]
    index.add_texts(["old", "other"], [FOX, FOX])

    def request(replace: bool, **texts: str) -> Any:
        documents = [NewDocument(id=id, text=text) for id, text in texts.items()]
        return documents, AddParameters(replace=replace)

    requests = [request(False, old=FOX, a=HEN), request(False, b=HEN), request(False)]
    results = desk._add(False, requests)
    assert [(each.added, each.unchanged) for each in results] == [(1, 1), (1, 0), (0, 0)]
    replaced = desk._add(True, [request(True, old=HEN), request(True, c=HEN)])
    assert [(each.added, each.replaced) for each in replaced] == [(0, 1), (1, 0)]
    assert index.text("old") == HEN
