"""The work of an index behind a service, over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NoReturn
from urllib.parse import quote, urlencode, urlsplit

import pyarrow as pa

from twinset._version import VERSION
from twinset.errors import PlanError, TwinsetError
from twinset.index.store import IdTakenError, IndexBusyError
from twinset.index.work import Added, QueryAnswer, ensure_strings, readable
from twinset.model import Batch
from twinset.plan import Plan, Resources
from twinset.system.schemes import without_secrets

KEY = "TWINSET_KEY"
"""The variable that holds the key where none is given."""
TIMEOUT = 120.0
"""Seconds that an answer may take."""
PATIENCE = 120.0
"""Seconds for which a service that is busy is asked again."""
AT_ONCE = 500
"""Documents of a request, if the service takes as many."""
GONE = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
"""What a connection says that was closed while nobody used it."""


class ServiceWork:
    """Asks and fills an index through its service; each thread has a connection of its own."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.place = url.rstrip("/")
        self._key = key or os.environ.get(KEY, "")
        parts = urlsplit(self.place)
        try:
            is_plain = not (parts.query or parts.fragment or parts.username)
            self._host, self._port = parts.hostname or "", parts.port
        except ValueError:  # of a port that cannot be
            is_plain = False
        if not is_plain or not self._host:
            shown = without_secrets(url)
            raise PlanError([f"{shown} is no address of a service: give http://HOST:PORT"])
        self._prefix = parts.path
        self._secure = parts.scheme == "https"
        self._own = threading.local()
        facts = self.info()
        try:
            self.plan = Plan.from_dict(facts["plan"])
            self._most_documents = min(AT_ONCE, int(facts["limits"]["documents"]))
            self._most_bytes = int(facts["limits"]["bytes"])
        except (KeyError, TypeError, ValueError, TwinsetError):
            other = facts.get("twinset", "")
            raise TwinsetError(
                f"the service at {self.place} is of another version ({other}, and this is "
                f"{VERSION}): use the same on both sides"
                if other
                else f"what answers at {self.place} is no service of twinset"
            ) from None

    # requests

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=TIMEOUT)

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, Any, bytes]:
        """Status, headers and body of one answer, over the connection of this thread."""
        if not hasattr(self._own, "connection"):
            self._own.connection = self._connect()
        connection: http.client.HTTPConnection = self._own.connection
        was_open = connection.sock is not None
        try:
            connection.request(method, self._prefix + path, body, self._headers(body))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException) as fault:
            connection.close()  # the next request opens it again
            if was_open and isinstance(fault, GONE):  # meanwhile: nothing was asked yet
                return self._exchange(method, path, body)
            self._fail(_reason(fault))

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        return headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {})

    def _fail(self, reason: str) -> NoReturn:
        raise TwinsetError(
            f"the service at {self.place} does not answer: {reason}; is it running, and is this "
            "its address?"
        ) from None

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        """The value that is answered; a service that is busy is asked again."""
        until = time.monotonic() + PATIENCE
        while True:
            status, headers, content = self._exchange(method, path, body)
            again = headers.get("Retry-After", "") if status in (429, 503) else ""
            if not again.isdigit() or time.monotonic() + int(again) > until:
                return self._value(status, content)
            time.sleep(int(again))

    def _value(self, status: int, content: bytes) -> Any:
        try:
            value = json.loads(content)
        except ValueError:
            value = None
        if status == 200 and value is not None:
            return value
        fault = value.get("error") if isinstance(value, dict) else None
        if not isinstance(fault, str):
            raise TwinsetError(
                f"what answers at {self.place} is no service of twinset (status {status})"
            )
        if status == 404:
            raise _NoSuchError(fault)
        if status == 409 and value.get("ids"):
            raise IdTakenError(value["ids"], bool(value.get("twice")))
        busy = status in (429, 503)
        raise (IndexBusyError if busy else TwinsetError)(f"{self.place}: {fault}")

    # adding

    def add_texts(
        self, ids: Sequence[str], texts: Sequence[str], *, replace: bool, dedup: bool
    ) -> Added:
        """Take in documents that are at hand, all or none; they are safe when this returns."""
        bodies = list(self._bodies(ids, texts))
        if len(bodies) > 1:
            raise TwinsetError(
                f"the service takes {self._most_documents:,} documents and {self._most_bytes:,} "
                "bytes at once: give fewer, or add them by Index.add, which sends them in parts"
            )
        return self._add(bodies[0], replace, dedup) if bodies else Added()

    def _add(self, body: bytes, replace: bool, dedup: bool) -> Added:
        how = urlencode({"replace": replace, "dedup": dedup})
        values = self._ask("POST", f"/documents?{how}", body)
        answers = [QueryAnswer.from_dict(each) for each in values.get("duplicates", ())]
        return Added(values["added"], values["replaced"], values["unchanged"], 0, answers)

    def add_batches(
        self, batches: Iterable[Batch], *, replace: bool, dedup: bool, resources: Resources
    ) -> Added:
        """Take in documents that are read, part by part."""
        total = Added()
        for batch in batches:
            ids, texts = readable(batch)
            total.unread += len(batch) - len(ids)
            for body in self._bodies(ids, texts):
                total.include(self._add(body, replace, dedup))
        return total

    def _bodies(self, ids: Sequence[str | None], texts: Sequence[str]) -> Iterator[bytes]:
        """Documents as bodies of requests, within the bounds of the service."""
        rows: list[bytes] = []
        size = 0
        for id, text in zip(_plain(ids), _plain(texts), strict=True):
            values = {"text": text} if id is None else {"id": id, "text": text}
            ensure_strings([*values.values()], "ids and texts")
            row = json.dumps(values, ensure_ascii=False).encode()
            if len(row) + 2 > self._most_bytes:
                name = "a text" if id is None else f"the document {id!r}"
                raise TwinsetError(
                    f"{name} takes {len(row):,} bytes, and the service at {self.place} takes "
                    f"{self._most_bytes:,} at once: leave it out, or start the service "
                    "with a larger --max-request"
                )
            if rows and (len(rows) == self._most_documents or size + len(row) > self._most_bytes):
                yield b"[" + b",".join(rows) + b"]"
                rows, size = [], 0
            rows.append(row)
            size += len(row) + 2
        if rows:
            yield b"[" + b",".join(rows) + b"]"

    def remove(self, ids: Sequence[str]) -> int:
        """Take documents out; how many were there."""
        removed = 0
        ensure_strings(ids, "ids")
        names = list(ids)
        for first in range(0, len(names), self._most_documents):
            some = names[first : first + self._most_documents]
            removed += self._ask("POST", "/remove", json.dumps(some).encode())["removed"]
        return removed

    # asking

    def query_texts(
        self,
        ids: Sequence[str | None],
        texts: Sequence[str],
        *,
        top: int,
        least: float | None = None,
    ) -> list[QueryAnswer]:
        """The matches of texts that are at hand; ``top`` 0 lists all."""
        how = urlencode({"top": top} | ({} if least is None else {"least": least}))
        return [
            QueryAnswer.from_dict(each)
            for body in self._bodies(ids, texts)
            for each in self._ask("POST", f"/query?{how}", body)
        ]

    def text(self, id: str) -> str | None:
        """The text of a document; None where it is not there."""
        ensure_strings([id], "ids")
        with suppress(_NoSuchError):
            text: str = self._ask("GET", f"/documents/{quote(id, safe='')}")["text"]
            return text
        return None

    def documents(self, on_fault: Callable[[str], None] | None = None) -> Iterator[tuple[str, str]]:
        """All documents, id and text, in the order in which they were added."""
        connection = self._connect()
        try:
            connection.request("GET", f"{self._prefix}/documents", headers=self._headers(None))
            answer = connection.getresponse()
            if answer.status != 200:
                self._value(answer.status, answer.read())
            for line in answer:
                values = json.loads(line)
                yield values["id"], values["text"]
        except (OSError, http.client.HTTPException) as fault:
            self._fail(_reason(fault))
        finally:
            connection.close()

    # the rest

    def info(self) -> dict[str, Any]:
        """What the index is made by, counts and sizes."""
        try:
            facts = self._ask("GET", "/info")
        except _NoSuchError:
            facts = None
        if not isinstance(facts, dict):
            raise TwinsetError(f"what answers at {self.place} is no service of twinset")
        return {"index": self.place} | facts

    def compact(self) -> None:
        """A service does not offer this."""
        raise TwinsetError(f"run 'twinset index compact' where the index of {self.place} lies")

    def check(self) -> list[str]:
        """A service does not offer this."""
        raise TwinsetError(f"run 'twinset index check' where the index of {self.place} lies")

    def close(self) -> None:
        """Let go of this thread's connection."""
        if hasattr(self._own, "connection"):
            self._own.connection.close()


class _NoSuchError(TwinsetError):
    """There is no such document, or address."""


def _plain(values: Any) -> list[Any]:
    return values.to_pylist() if isinstance(values, pa.Array) else list(values)


def _reason(fault: Exception) -> str:
    reason = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
    return str(reason).lower()
