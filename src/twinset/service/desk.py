"""Work on the index for requests: questions and changes wait apart, so that questions go on.

One question costs mostly what every call costs; a hundred that wait at the same time are asked at
once, and many additions end in one write to the disk (`RequestQueue`).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from twinset.index.local import LocalWork, text_column
from twinset.index.work import Added
from twinset.service.models import (
    AddParameters,
    AskedText,
    NewDocument,
    QueryParameters,
    RequestError,
    ServiceSettings,
)

Result = TypeVar("Result")
Addition = tuple[list[NewDocument], AddParameters]
Do = Callable[[Any, list[Any]], Sequence[Any]]
"""From a kind and requests of this kind to their results; an exception may be a result."""
TOGETHER = 128
"""Documents of small requests that are worked on at once."""
PIECE = 1 << 18
"""Bytes that are sent at a time of all documents."""
EXPORTS = 2
"""Readers of all documents at a time."""
ENDING = 20.0
"""Seconds that work which has begun may take at the end of the service."""


class QueueFullError(Exception):
    """As many requests wait as may."""


class OutOfTimeError(Exception):
    """A request has waited too long; ``begun`` says that it was being worked on."""

    def __init__(self, begun: bool) -> None:
        self.begun = begun
        super().__init__("out of time")


@dataclass(eq=False)
class _Waiting:
    """A request in a queue; one without a ``kind`` is done alone."""

    do: Do
    kind: Hashable
    request: Any
    size: int
    future: asyncio.Future[Any]

    def finish(self, result: Any) -> None:
        if self.future.done():  # nobody waits any more
            return
        if isinstance(result, BaseException):
            self.future.set_exception(result)
        else:
            self.future.set_result(result)


class RequestQueue:
    """Requests of one loop that wait for some threads; of one kind they are done together."""

    def __init__(self, name: str, threads: int, most: int, timeout: float) -> None:
        self.name, self._most, self._timeout = name, most, timeout
        self._pool = ThreadPoolExecutor(threads, f"twinset-{name}")
        self._free, self._is_closed = threads, False
        self._waiting: deque[_Waiting] = deque()
        self._working: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    async def run(self, do: Do, kind: Hashable, request: Any, size: int = 1) -> Any:
        """The result of a request; `QueueFullError` at once, or `OutOfTimeError` later."""
        loop = asyncio.get_running_loop()
        if len(self._waiting) >= self._most or self._is_closed:
            raise QueueFullError
        waiting = _Waiting(do, kind, request, size, loop.create_future())
        self._waiting.append(waiting)
        if self._free:
            self._free -= 1
            task = loop.create_task(self._work())
            self._working.add(task)
            task.add_done_callback(self._working.discard)
        timer = loop.call_later(self._timeout, self._expire, waiting)
        try:
            return await waiting.future
        finally:
            timer.cancel()

    def _expire(self, waiting: _Waiting) -> None:
        is_waiting = waiting in self._waiting
        if is_waiting:
            self._waiting.remove(waiting)
        waiting.finish(OutOfTimeError(begun=not is_waiting))

    async def _work(self) -> None:
        """Have a thread work until nothing waits."""
        while self._waiting:
            some = self._take()
            results = await asyncio.get_running_loop().run_in_executor(self._pool, _done, some)
            for waiting, result in zip(some, results, strict=True):
                waiting.finish(result)
        self._free += 1

    def _take(self) -> list[_Waiting]:
        """The oldest request and what can be done with it."""
        first = self._waiting.popleft()
        some, size = [first], first.size
        for other in [*self._waiting] if first.kind is not None else ():
            if (other.kind, other.do) == (first.kind, first.do) and size + other.size <= TOGETHER:
                self._waiting.remove(other)
                some.append(other)
                size += other.size
        return some

    async def close(self, seconds: float) -> None:
        """Finish what waits, and end the threads."""
        self._is_closed = True
        if self._working:
            await asyncio.wait(self._working, timeout=seconds)
        self._pool.shutdown(wait=False)


def _done(some: list[_Waiting]) -> Sequence[Any]:
    first = some[0]
    try:
        return first.do(first.kind, [waiting.request for waiting in some])
    except BaseException as fault:
        if len(some) == 1:
            return [fault]
    # One of them is at fault, and the others must not suffer for it.
    return [_done([waiting])[0] for waiting in some]


class Desk:
    """Takes requests, and hands them to the threads that work on the index."""

    def __init__(self, work: LocalWork, settings: ServiceSettings) -> None:
        self.work, self.settings = work, settings
        threads = max(2, min(4, os.cpu_count() or 1))
        bounds = settings.most_waiting, settings.timeout
        self.questions = RequestQueue("questions", threads, *bounds)
        self.changes = RequestQueue("changes", 1, *bounds)
        self._aside = ThreadPoolExecutor(1, "twinset-aside")
        self._exports = 0

    @property
    def waiting(self) -> dict[str, int]:
        """Requests that wait, by queue."""
        return {queue.name: len(queue) for queue in (self.questions, self.changes)}

    # questions

    async def query(self, asked: list[AskedText], options: QueryParameters) -> bytes:
        """The answers as JSON."""
        answer: bytes = await self.questions.run(self._query, options, asked, len(asked))
        return answer

    def _query(self, how: QueryParameters, requests: list[list[AskedText]]) -> list[bytes]:
        every = [each for request in requests for each in request]
        ids, texts = [each.id or None for each in every], [each.text for each in every]
        answers = iter(self.work.query_texts(ids, texts, **how.model_dump()))
        return [as_json([next(answers).as_dict() for _ in request]) for request in requests]

    def warm_up(self) -> None:
        """Do once what every request does, so that the first does not wait for imports."""
        texts = text_column(["what is needed to add and to ask"], "texts")
        self.work.maker.prepare(texts, texts)
        self._query(
            QueryParameters(top=1, least=None),
            [[AskedText(text=text) for text in texts.to_pylist()]],
        )

    def look(self) -> None:
        """Raise where the index cannot be read."""
        with self.work.store.view():
            pass

    async def document(self, id: str) -> dict[str, Any]:
        """A document."""
        document: dict[str, Any] = await self.questions.run(self._document, None, id)
        return document

    def _document(self, _: None, requests: list[str]) -> list[dict[str, Any]]:
        [id] = requests
        text = self.work.text(id)
        if text is None:
            raise RequestError(404, "the index has no document of this id")
        return [{"id": id, "text": text}]

    def documents(self) -> Iterator[bytes]:
        """All documents as lines of JSON; `RequestError` where too many others read them."""
        if self._exports >= EXPORTS:
            raise RequestError(429, "others read all documents: try again", {"Retry-After": "10"})
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        self._exports += 1
        try:
            lines, size = [], 0
            for id, text in self.work.documents():
                lines.append(as_json({"id": id, "text": text}) + b"\n")
                size += len(lines[-1])
                if size > PIECE:
                    yield b"".join(lines)
                    lines, size = [], 0
            yield b"".join(lines)
        finally:
            self._exports -= 1

    # changes

    async def add(self, documents: list[NewDocument], options: AddParameters) -> Added:
        """What became of the documents, which are safe then."""
        kind = None if options.dedup else options.replace
        request = documents, options
        added: Added = await self.changes.run(self._add, kind, request, len(documents))
        return added

    def _add(self, _: bool | None, requests: list[Addition]) -> list[Added]:
        every = [each for documents, _ in requests for each in documents]
        ids, texts = [each.id for each in every], [each.text for each in every]
        options = requests[0][1]
        if len(requests) == 1:
            return [self.work.add_texts(ids, texts, **options.model_dump())]
        if len(set(ids)) < len(ids):
            raise ValueError("an id comes twice: each request by itself, in its turn")
        columns = text_column(ids, "ids"), text_column(texts, "texts")
        written = self.work.store.write(self.work.maker.prepare(*columns), options.replace)
        results, end = [], 0
        for documents, _options in requests:
            rows, end = slice(end, end + len(documents)), end + len(documents)
            new, replaced = int(written.added[rows].sum()), int(written.replaced[rows].sum())
            results.append(Added(new, replaced, len(documents) - new - replaced))
        return results

    async def remove(self, ids: list[str]) -> int:
        """Take documents out; how many were there."""
        removed: int = await self.changes.run(self._remove, None, ids)
        return removed

    def _remove(self, _: None, requests: list[list[str]]) -> list[int]:
        return [self.work.remove(requests[0])]

    # the rest

    async def aside(self, function: Callable[[], Result]) -> Result:
        """What does not wait behind requests: keys, counts."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, function)

    async def close(self) -> None:
        """Finish what waits; nothing that was acknowledged depends on it."""
        for queue in (self.changes, self.questions):
            await queue.close(ENDING)
        await asyncio.to_thread(self._let_go)

    def _let_go(self) -> None:
        self._aside.shutdown()
        self.work.close()


def as_json(value: Any) -> bytes:
    """In UTF-8, without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
