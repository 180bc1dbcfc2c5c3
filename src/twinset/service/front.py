"""What happens to every request before and after its own work: id, sizes, faults, logs, figures."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from twinset.errors import TwinsetError
from twinset.index.store import DiskFullError, IdTakenError, IndexBusyError, UnreachableError
from twinset.service.access import Access
from twinset.service.desk import OutOfTimeError, QueueFullError, as_json
from twinset.service.models import LOOPBACK, RequestError, ServiceSettings
from twinset.service.operation import Metrics, places_of, write_line

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 32 << 10
"""Bytes of a head, and of whatever else comes between the pieces of a body."""
REQUEST_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
SHOWN = 100
"""Ids that an answer lists."""
FREE = ("/", "/health", "/ready", "/openapi.json")
"""Paths that need no key."""
AGAIN = {"Retry-After": "1"}
HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Front:
    """The first to see a request, and the last to see its answer."""

    def __init__(
        self,
        app: App,
        settings: ServiceSettings,
        access: Access,
        metrics: Metrics,
        routes: Sequence[BaseRoute],
    ) -> None:
        self.app, self._settings, self._access, self._metrics = app, settings, access, metrics
        self._routes, self.held = routes, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        await _Request(self._settings, scope, receive, send).answer(self)

    def check(self, scope: Scope, headers: dict[bytes, bytes]) -> str:
        """The name of the key of a request that may be answered; `RequestError` otherwise."""
        if not self._access.needs_keys:
            self._check_place(headers)
        if headers.get(b"content-encoding", b"identity") != b"identity":
            raise RequestError(415, "packed bodies are not read: send it as it is")
        caller = self._access.caller(headers.get(b"authorization", b"").decode("latin-1"))
        if scope["path"] in FREE:
            return ""
        if caller is None:
            raise RequestError(
                401,
                "this needs a key: send 'Authorization: Bearer KEY' with one that "
                "'twinset index key add' has made and that was not revoked",
                {"WWW-Authenticate": "Bearer"},
            )
        scope["twinset.may_write"] = caller.may_write
        return caller.name

    def _check_place(self, headers: dict[bytes, bytes]) -> None:
        """Keep pages of other sites off, whose requests a browser on this machine would send."""
        host = headers.get(b"host", b"").decode("latin-1")
        if self._settings.is_local and _name_of(host) not in LOOPBACK:
            raise RequestError(421, "this address is not one that the service was started for")
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin.decode("latin-1")).netloc != host:
            raise RequestError(403, "this request comes from a page of another site")

    def hold(self, count: int) -> None:
        """Have so many bytes more in memory, if there is room."""
        if self.held + count > self._settings.most_bytes_at_once:
            raise RequestError(429, "too many large requests at a time: try again", AGAIN)
        self.held += count

    def note(self, scope: Scope, facts: dict[str, Any], status: int, seconds: float) -> None:
        """Count and log a request; its path is that of the route, since ids may be secrets."""
        # What is refused before its work has no route yet.
        fitting = (each for each in self._routes if each.matches(scope)[0] != Match.NONE)
        route = scope.get("route") or next(fitting, None)
        path = getattr(route, "path_format", "other")
        self._metrics.count_request(scope["method"], path, status, seconds)
        written = {"method": scope["method"], "path": path, "status": status}
        level = "error" if status >= 500 else "info"
        write_line(level, "request", **written, ms=round(seconds * 1000, 2), **facts)


class _Request:
    def __init__(
        self, settings: ServiceSettings, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._settings, self._scope = settings, scope
        self._receive, self._send = receive, send
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        asked = self._headers.get(b"x-request-id", b"").decode("latin-1")
        self._id = asked if REQUEST_ID.fullmatch(asked) else os.urandom(8).hex()
        self._status, self._bytes, self._held = 0, 0, 0

    async def answer(self, front: Front) -> None:
        start = time.perf_counter()
        self._front, self._is_whole, self._end = front, False, start + self._settings.timeout
        facts: dict[str, Any] = {"id": self._id}
        self._scope["twinset.facts"] = facts
        try:
            self._check_head()
            self._check_length()
            # A body is JSON, whatever whoever sends it calls it.
            kept = [each for each in self._scope["headers"] if each[0] != b"content-type"]
            self._scope["headers"] = [*kept, (b"content-type", b"application/json")]
            if key := front.check(self._scope, self._headers):
                facts["key"] = key
            await front.app(self._scope, self._read, self._write)
        except Exception as fault:
            if self._status:  # the answer has begun: all that can be done is to end it
                facts |= {"fault": type(fault).__name__, "places": places_of(fault)}
            else:
                await self._refuse(fault, facts)
        finally:
            front.held -= self._held
            if self._bytes:
                facts["bytes"] = self._bytes
            front.note(self._scope, facts, self._status or 499, time.perf_counter() - start)

    def _check_head(self) -> None:
        """Refuse a head that is too large, or that names no host or several."""
        headers = self._scope["headers"]
        if sum(len(name) + len(value) for name, value in headers) > MOST_BYTES:
            raise RequestError(431, f"the head of a request may have {MOST_BYTES:,} bytes")
        if sum(name == b"host" for name, _ in headers) != 1:
            raise RequestError(400, "a request names one host: send one header Host")

    def _check_length(self) -> None:
        """Refuse what is too large by its own word, and keep room for the rest."""
        length = self._headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 15 or int(length) > self._settings.most_bytes:
            raise self._too_large()
        self._front.hold(int(length))
        self._held = int(length)

    def _too_large(self) -> RequestError:
        most = self._settings.most_bytes
        return RequestError(413, f"a request may have {most:,} bytes: send several")

    async def _read(self) -> Message:
        left = None if self._is_whole else max(0.0, self._end - time.perf_counter())
        try:
            message = await asyncio.wait_for(self._receive(), left)
        except asyncio.TimeoutError:
            raise RequestError(408, "the request did not arrive in time") from None
        self._is_whole = not message.get("more_body")
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            if self._bytes > self._settings.most_bytes:
                raise self._too_large()
            if self._bytes > self._held:
                self._front.hold(self._bytes - self._held)
                self._held = self._bytes
        return message

    async def _write(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = [*message.get("headers", ()), *HEADERS, (b"x-request-id", self._id.encode())]
            message = {**message, "headers": headers}
        await self._send(message)

    async def _refuse(self, fault: Exception, facts: dict[str, Any]) -> None:
        refusal = refusal_of(fault)
        if refusal.status_code >= 500:
            facts |= {"fault": type(fault).__name__, "places": places_of(fault)}
        body = as_json({"error": refusal.detail} | refusal.more)
        # Where it took too long or is too large, the rest of the body is not read.
        ends = {"connection": "close"} if refusal.status_code in (408, 413) else {}
        headers = {**(refusal.headers or {}), **ends}
        answer = Response(body, refusal.status_code, headers, "application/json")
        await answer(self._scope, self._read, self._write)


FULL = RequestError(507, "the disk of the index is full; nothing was added")
REFUSALS: dict[type[Exception], RequestError] = {
    QueueFullError: RequestError(429, "too many requests wait: try again", AGAIN),
    UnreachableError: RequestError(503, "the index cannot be reached: try again", AGAIN),
    DiskFullError: FULL,
}
"""Faults whose own sentences are not for whoever asks, as where the index lies."""
UNREAD: dict[type, str] = {
    UnicodeDecodeError: ": it is not UTF-8",
    RecursionError: ": it nests too deeply",
}
"""Why a body cannot be read that is no JSON at all."""


def refusal_of(fault: Exception) -> RequestError:
    """What is said of a fault: never more than its sentence."""
    if isinstance(fault, RequestError):
        return fault
    for kind, refusal in REFUSALS.items():
        if isinstance(fault, kind):
            return refusal
    if isinstance(fault, OutOfTimeError):
        done = "its work has begun, and may end well" if fault.begun else "nothing was done"
        return RequestError(503, f"there was not enough time, {done}: try again", AGAIN)
    if isinstance(fault, IdTakenError):
        sentence = (
            f"the body has {fault.name} more than once, with different texts: ask with "
            "?replace=true to take the last, or give each an id of its own"
            if fault.twice
            else f"the index has {fault.name} with another text: ask with ?replace=true to replace "
            "it, or give another id"
        )
        more: dict[str, Any] = {"twice": True} if fault.twice else {}
        return RequestError(409, sentence, ids=fault.ids[:SHOWN], **more)
    if isinstance(fault, RequestValidationError):
        return RequestError(400, _first_of(fault))
    if isinstance(fault, HTTPException):
        sentences = {
            400: "the body cannot be read",
            404: "there is no such address",
            405: "this address has no such method",
        }
        sentence = sentences.get(fault.status_code, "the request cannot be answered")
        sentence += UNREAD.get(type(fault.__cause__), "")
        return RequestError(fault.status_code, sentence, fault.headers)
    if isinstance(fault, OSError) and fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return FULL
    if isinstance(fault, TwinsetError):
        is_busy = isinstance(fault, IndexBusyError)
        return RequestError(503 if is_busy else 500, str(fault), AGAIN if is_busy else None)
    return RequestError(500, "a fault of the service; its log says more")


def _first_of(fault: RequestValidationError) -> str:
    """What is wrong with a body or the parameters, and at which place."""
    first = fault.errors()[0]
    what = "the body" if first["loc"][0] == "body" else "the address"
    if first["type"] == "json_invalid":
        return f"{what} cannot be read: invalid JSON ({first['ctx']['error']})"
    place = ", ".join(f"item {at}" if isinstance(at, int) else f'"{at}"' for at in first["loc"][1:])
    said = first["msg"][:1].lower() + first["msg"][1:]
    return f"{what} cannot be read{place and f' at {place}'}: {said}"


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    name = host[: host.rfind(":")] if re.search(r":\d+$", host) else host
    return name.strip("[]").lower()
