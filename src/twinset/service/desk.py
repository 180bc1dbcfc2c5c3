"""Work on the index for requests: questions and changes wait apart, so that questions go on."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from twinset.index.answers import Added
from twinset.index.local import LocalWork, text_column
from twinset.service.bodies import AddRequest, QueryRequest, RequestError
from twinset.service.logs import places_of, write_line
from twinset.service.queues import RequestQueue
from twinset.service.settings import ServiceSettings

Result = TypeVar("Result")
PIECE = 1 << 18
"""Bytes that are sent at a time of all documents."""
EXPORTS = 2
"""Readers of all documents at a time."""
PAUSE = 1.0
"""Seconds between two looks for what can be tidied."""
ENDING = 20.0
"""Seconds that work which has begun may take at the end of the service."""


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
        self._grown, self._ended = threading.Event(), threading.Event()
        threading.Thread(target=self._tidy, name="twinset-tidy", daemon=True).start()

    @property
    def waiting(self) -> dict[str, int]:
        """Requests that wait, by queue."""
        return {queue.name: len(queue) for queue in (self.questions, self.changes)}

    # questions

    async def query(self, request: QueryRequest) -> bytes:
        """The answers as JSON."""
        kind = request.top, request.passages
        size = len(request.texts)
        answer: bytes = await self.questions.run(self._query, kind, request, size)
        return answer

    def _query(self, kind: tuple[int, bool], requests: list[QueryRequest]) -> list[bytes]:
        ids = [id for request in requests for id in request.ids]
        texts = [text for request in requests for text in request.texts]
        top, passages = kind
        answers = iter(self.work.query_texts(ids, texts, top=top, passages=passages))
        return [as_json([next(answers).as_dict() for _ in request.ids]) for request in requests]

    def warm_up(self) -> None:
        """Do once what every request does, so that the first does not wait for imports."""
        texts = text_column(["what is needed to add and to ask"], "texts")
        self.work.maker.prepare(texts, texts)
        self._query((1, False), [QueryRequest([None], texts.to_pylist())])

    async def document(self, id: str) -> dict[str, Any]:
        """A document; without its text where the index keeps none."""
        document: dict[str, Any] = await self.questions.run(self._document, None, id)
        return document

    def _document(self, _: None, requests: list[str]) -> list[dict[str, Any]]:
        [id] = requests
        text = self.work.text(id)
        if text is None and not self.work.has(id):
            raise RequestError(404, "the index has no document of this id")
        return [{"id": id, "text": text} if text is not None else {"id": id}]

    async def compare(self, texts: tuple[str, str]) -> bytes:
        """Two texts by the plan of the index, as JSON."""
        answer: bytes = await self.questions.run(self._compare, None, texts)
        return answer

    def _compare(self, _: None, requests: list[tuple[str, str]]) -> list[bytes]:
        from twinset.verify.diff import text_diff
        from twinset.verify.kinds import kind_of
        from twinset.verify.side_by_side import lay_out

        [(left, right)] = requests
        diff = text_diff(left, right)
        side = lay_out(diff)
        answer = self._similarity(left, right) | {
            "equal": left == right,
            "kind": kind_of(left, right),
            "differences": len(side.differences),
            "numbers_only": side.numbers_only,
            "moved": len(side.moved),
            "cut": diff.cut,
            "diff": [{"change": run.change, "words": run.words} for run in diff.runs()],
        }
        return [as_json(answer)]

    def _similarity(self, left: str, right: str) -> dict[str, Any]:
        """What the measure of the index says; a method without one knows matches only."""
        maker = self.work.maker
        goal = maker.goal
        features = maker.features(text_column([left, right], "texts"))
        ours, theirs = features[0], features[1]
        shared = len(np.intersect1d(ours, theirs, assume_unique=True))
        facts: dict[str, Any] = {"similarity": None, "match": None, "threshold": goal.threshold}
        if maker.is_simple:
            columns = (np.array([count]) for count in (shared, len(ours), len(theirs)))
            score = float(goal.measure.score(*columns)[0]) if len(ours) and len(theirs) else 0.0
            facts |= {"similarity": score, "match": score >= goal.threshold}
        return facts | {
            "shared": shared,
            "containment_left": shared / len(ours) if len(ours) else 0.0,
            "containment_right": shared / len(theirs) if len(theirs) else 0.0,
        }

    def documents(self) -> Iterator[bytes]:
        """All documents as lines of JSON; `RequestError` where too many others read them."""
        if self.work.contents.kept != "texts":
            raise RequestError(409, f"the index keeps {self.work.contents.kept}, and no texts")
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

    async def add(self, request: AddRequest) -> Added:
        """What became of the documents, which are safe then."""
        kind = None if request.dedup else request.replace
        size = len(request.texts)
        added: Added = await self.changes.run(self._add, kind, request, size)
        self._grown.set()
        return added

    def _add(self, _: bool | None, requests: list[AddRequest]) -> list[Added]:
        if len(requests) == 1:
            [one] = requests
            added = self.work.add_texts(one.ids, one.texts, replace=one.replace, dedup=one.dedup)
            return [added]
        ids = [id for request in requests for id in request.ids]
        if len(set(ids)) < len(ids):
            raise ValueError("an id comes twice: each request by itself, in its turn")
        texts = [text for request in requests for text in request.texts]
        columns = text_column(ids, "ids"), text_column(texts, "texts")
        written = self.work.store.write(self.work.maker.prepare(*columns), requests[0].replace)
        results, end = [], 0
        for request in requests:
            rows, end = slice(end, end + len(request.ids)), end + len(request.ids)
            new, replaced = int(written.added[rows].sum()), int(written.replaced[rows].sum())
            results.append(Added(new, replaced, len(request.ids) - new - replaced))
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

    def _tidy(self) -> None:
        while not self._ended.is_set():
            self._grown.wait()
            self._grown.clear()
            if self._ended.is_set():
                return
            try:
                self.work.store.tidy()
            except Exception as fault:
                write_line("error", "tidy", fault=type(fault).__name__, places=places_of(fault))
            self._ended.wait(PAUSE)

    def close(self) -> None:
        """Finish what waits; nothing that was acknowledged depends on it."""
        self._ended.set()
        self._grown.set()
        self.changes.close(ENDING)
        self.questions.close(ENDING)
        self._aside.shutdown()
        self.work.close()


def as_json(value: Any) -> bytes:
    """In UTF-8, without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
