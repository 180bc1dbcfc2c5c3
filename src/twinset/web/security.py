"""Who may enter, and which requests are allowed: token, Host, Origin and size.

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
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twinset.pages.language import LANGUAGES
from twinset.plan.spec import is_count
from twinset.web.render import LOOKS, THEMES, go, render
from twinset.web.settings import LOOPBACK, Settings

OPEN = "/open"  # the path that needs no token, besides static files
STATIC = "/static/"
SAFE = ("GET", "HEAD")
KEPT = 365 * 24 * 3600  # seconds for which a browser keeps how the page looks
CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\"';\s]*)", re.IGNORECASE)
DOCUMENTS = "/index/"  # the paths that take a document which an index is asked about
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


class Guard:
    """Checks every request before the page sees it, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope)
            guarded = _with_headers(send, scope["path"].startswith(STATIC))
            refusal = self._refusal(request)
            if refusal is not None:
                await refusal(scope, receive, guarded)
                return
            await self._app(scope, _bounded(receive, self._most(scope["path"])), guarded)

    def _refusal(self, request: Request) -> Response | None:
        settings, headers, path = self._settings, request.headers, str(request.scope["path"])
        if not host_is_ours(headers.get("host", ""), settings):
            return _no(421, "This address is not one that the page was started for.")
        origin = headers.get("origin")
        is_told = origin is not None or request.method not in SAFE
        is_link = headers.get("sec-fetch-dest") in ("document", None)
        is_embedded = headers.get("sec-fetch-site") == "cross-site" and not is_link
        if is_embedded or (is_told and origin != f"http://{headers['host']}"):
            return _no(403, "This request comes from another site.")
        is_open = path == OPEN or path.startswith(STATIC)
        if not is_open and not same(
            request.cookies.get(cookie_name(settings), ""), pass_of(settings)
        ):
            how = "Open the address that 'twinset ui' has printed: it carries the key to this page."
            return _no(401, how)
        length, most = headers.get("content-length", "0"), self._most(path)
        if not is_count(length) or int(length) > most:
            return _no(413, _too_large(most))
        charset = CHARSET.search(headers.get("content-type", ""))
        if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
            return _no(415, "This page takes forms in UTF-8 only.")
        return None

    def _most(self, path: str) -> int:
        is_document = path.startswith(DOCUMENTS)
        return self._settings.document_bytes if is_document else self._settings.request_bytes


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


def pass_of(settings: Settings) -> str:
    """What the cookie holds: not the token itself, which stays in the browser's history."""
    return hashlib.sha256(f"cookie {settings.token}".encode()).hexdigest()


def same(left: str, right: str) -> bool:
    """Compare secrets in a time that does not reveal how far they agree."""
    first, second = (text.encode("utf-8", "surrogatepass") for text in (left, right))
    return hmac.compare_digest(first, second)


def _no(status: int, reason: str) -> Response:
    return PlainTextResponse(f"{reason}\n", status)


def _too_large(most: int) -> str:
    return f"This is more than the {most / (1 << 20):,.0f} MB that are taken at once."


def _bounded(receive: Receive, most: int) -> Receive:
    """A body that ends with an error where it is longer than allowed, whatever its header says."""
    received = 0

    async def next_message() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise HTTPException(413, _too_large(most))
        return message

    return next_message


def _with_headers(send: Send, is_static: bool) -> Send:
    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["cache-control"] = "public, max-age=86400" if is_static else "no-store"
            for name, value in HEADERS.items():
                # A file that is shown as it is has a stricter policy of its own.
                headers.setdefault(name, value)
        await send(message)

    return send_on


router = APIRouter()


@router.get("/open")
async def enter(request: Request, token: str = "") -> Response:
    """Exchange the token in the printed address for a cookie."""
    settings: Settings = request.app.state.settings
    if not same(token, settings.token):
        return render(
            request, "fault.html", status=401, title="fault.wrong_token", sentences=[], bare=True
        )
    # A page and not a redirect: a browser would not send the strict cookie on a redirect that began
    # on another site, say in a mail program.
    answer = render(request, "enter.html", first=settings.first)
    answer.set_cookie(cookie_name(settings), pass_of(settings), samesite="strict", httponly=True)
    return answer


@router.post("/look")
def look(
    request: Request,
    back: Annotated[str, Form()] = "/",
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
) -> Response:
    """Keep the reader's language and colours."""
    answer = go(back)
    for name, value, known in (("language", language, LANGUAGES), ("theme", theme, THEMES)):
        if value in known:
            cookie: dict[str, Any] = {"samesite": "strict", "httponly": True, "max_age": KEPT}
            answer.set_cookie(LOOKS[name], value, **cookie)
    return answer
