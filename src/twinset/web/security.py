"""Which requests are allowed: their token, Host, Origin and size, and what a page may load.

The page runs on the user's own machine with the user's rights, so that every other page open in the
same browser is a possible attacker: it can send requests here (cross-site), and it can let its own
name point here (DNS rebinding). Each check below has a test that fails without it.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.exceptions import HTTPException

from twinset.spec.numerals import is_count
from twinset.web.settings import LOOPBACK, Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = ("/open", "/login")  # paths that need no token, besides static files
STATIC = "/static/"
SAFE = ("GET", "HEAD")
CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\"';\s]*)", re.IGNORECASE)
UPLOADS = "/upload"  # requests whose path ends so may be as large as an upload
DOCUMENTS = "/index/"  # and those whose path begins so as a document that an index is asked about
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # With "no-referrer" browsers would hide the Origin that is checked below.
    "referrer-policy": "same-origin",
}


class TooLargeError(HTTPException):
    """The body of a request exceeds its limit."""

    def __init__(self, most: int) -> None:
        super().__init__(*_too_large(most))


class Guard:
    """Checks every request before the page sees it, and adds the headers to every answer."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _with_headers(send, scope["path"].startswith(STATIC))
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(guarded, *refusal)
            return
        await self._app(scope, _bounded(receive, self._most(scope)), guarded)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        if not host_is_ours(headers.get("host", ""), self._settings):
            return 421, "This address is not one that the page was started for."
        origin = headers.get("origin")
        unsafe = scope["method"] not in SAFE
        if (origin is not None or unsafe) and origin != f"http://{headers['host']}":
            return 403, "This request comes from another site."
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-dest") not in (
            "document",
            None,
        ):
            return 403, "This request comes from another site."
        path = scope["path"]
        is_open = path in OPEN or path.startswith(STATIC)
        if not is_open and not self._knows(headers.get("cookie", "")):
            return 401, self._how_to_enter()
        length = headers.get("content-length", "0")
        if not is_count(length) or int(length) > self._most(scope):
            return _too_large(self._most(scope))
        if not _is_utf8(headers.get("content-type", "")):
            return 415, "This page takes forms in UTF-8 only."
        return None

    def _knows(self, cookies: str) -> bool:
        cookie = read_cookie(cookies, cookie_name(self._settings))
        return same(cookie, pass_of(self._settings))

    def _most(self, scope: Scope) -> int:
        if scope["path"].endswith(UPLOADS):
            return self._settings.upload_bytes
        if scope["path"].startswith(DOCUMENTS):
            return self._settings.document_bytes
        return self._settings.request_bytes

    def _how_to_enter(self) -> str:
        if self._settings.password is not None:
            return "login"
        return "Open the address that 'twinset ui' has printed: it carries the key to this page."


def host_is_ours(host: str, settings: Settings) -> bool:
    """Whether a Host header names this server, and not another name that points to it."""
    name, colon, port = host.rpartition(":")
    if not colon or not is_count(port) or int(port) != settings.port:
        return False
    name = name.strip("[]").lower()
    if settings.host in LOOPBACK:
        return name in LOOPBACK
    # Anybody can let a name point here; a number cannot be forged.
    return _is_number(name) or name in (settings.host.lower(), socket.gethostname().lower())


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def cookie_name(settings: Settings) -> str:
    """A name of its own for every port, since browsers share cookies between ports."""
    return f"twinset-{settings.port}"


def device_cookie(settings: Settings) -> str:
    """The cookie that marks a browser that has entered before."""
    return f"twinset-device-{settings.port}"


def pass_of(settings: Settings) -> str:
    """What the cookie holds: not the token itself, which stays in the browser's history."""
    return hashlib.sha256(f"cookie {settings.token}".encode()).hexdigest()


def read_cookie(cookies: str, name: str) -> str:
    """The value of a cookie; empty where there is none or the header is broken."""
    try:
        cookie = SimpleCookie(cookies).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def same(left: str, right: str) -> bool:
    """Compare secrets in a time that does not reveal how far they agree."""
    first, second = (text.encode("utf-8", "surrogatepass") for text in (left, right))
    return hmac.compare_digest(first, second)


def _is_utf8(content_type: str) -> bool:
    """Whether a body is declared as UTF-8, or not declared at all."""
    charset = CHARSET.search(content_type)
    return charset is None or charset[1].lower() in ("utf-8", "utf8", "us-ascii")


def _too_large(most: int) -> tuple[int, str]:
    return 413, f"This is more than the {most / (1 << 20):,.0f} MB that are taken at once."


def _bounded(receive: Receive, most: int) -> Receive:
    """A body that ends with an error where it is longer than allowed, whatever its header says."""
    received = 0

    async def next_message() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise TooLargeError(most)
        return message

    return next_message


def _with_headers(send: Send, is_static: bool) -> Send:
    caching = "public, max-age=86400" if is_static else "no-store"
    extra = [(k.encode(), v.encode()) for k, v in (HEADERS | {"cache-control": caching}).items()]

    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [
                (k, v) for k, v in message.get("headers", []) if k.lower() != b"cache-control"
            ]
            # A file that is shown as it is has a stricter policy of its own.
            own = {name.lower() for name, _ in headers}
            message["headers"] = [*headers, *(pair for pair in extra if pair[0] not in own)]
        await send(message)

    return send_on


async def _refuse(send: Send, status: int, reason: str) -> None:
    if reason == "login":
        headers, status, reason = [(b"location", b"/login")], 303, ""
    else:
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{reason}\n".encode()})
