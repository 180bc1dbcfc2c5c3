"""Templates and their values as responses, in the reader's language; faults as pages."""

from __future__ import annotations

import errno
import logging
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from twinset.errors import PlanError, TwinsetError
from twinset.pages import engine
from twinset.pages import language as languages
from twinset.web.settings import ForbiddenError

THEMES = ("auto", "light", "dark")
LOOKS = {name: f"twinset-{name}" for name in ("language", "theme")}
"""The cookies that keep what a reader has chosen."""
log = logging.getLogger("twinset.web")


class GoneError(TwinsetError):
    """Something that existed when the page was drawn and does not any more."""


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page or a fragment; templates know ``values``, what is here, and `engine.known`."""
    path, query = request.url.path, request.url.query
    always = {
        "theme": theme if (theme := request.cookies.get(LOOKS["theme"])) in THEMES else THEMES[0],
        "themes": THEMES,
        "path": path,
        "here": path + (f"?{query}" if query else ""),
    }
    text = engine.page(f"web/{template}", language_of(request), **always, **values)
    # A name of a file that is no UTF-8 may stand in a message.
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def address(path: str, **query: Any) -> str:
    """An address with what is asked for; None, empty texts and False are left out, and 0 is not."""
    given = {k: v for k, v in query.items() if v is not None and v is not False and v != ""}
    return path + (f"?{urlencode(given)}" if given else "")


async def _form(request: Request) -> dict[str, Any]:
    return dict(await request.form())


Filled = Annotated[dict[str, Any], Depends(_form)]
"""The values of a form, for handlers that run in threads."""


def language_of(request: Request) -> str:
    """The language that the reader has chosen, here or on an earlier visit, or the browser's."""
    chosen = request.cookies.get(LOOKS["language"], "")
    accepted = request.headers.get("accept-language", "")
    return chosen if chosen in languages.LANGUAGES else languages.preferred(accepted)


def in_language(language: str) -> list[str]:
    """The option that makes a command write its page in a language; English needs none."""
    return [] if language == "en" else ["--language", language]


def go(path: str) -> RedirectResponse:
    """Send the browser to another page of ours after a form was processed."""
    return RedirectResponse(local(path), 303)


def local(path: str) -> str:
    """A path on this server; anything that could lead elsewhere becomes the first page."""
    leads_out = not path.startswith("/") or path.startswith(("//", "/\\")) or "\n" in path
    return "/" if leads_out else path


def handle_faults(app: FastAPI) -> None:
    """Answer every exception with a page that explains it, never with a traceback."""
    for kind in (TwinsetError, OSError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _answer)


TITLES = {403: "forbidden", 404: "gone", 507: "full", 500: "unexpected"}


def _answer(request: Request, fault: Any) -> Response:
    status, sentences = _status_and_sentences(fault)
    if status == 500:
        log.error("%s %s failed", request.method, request.url.path, exc_info=fault)
    values = {"title": f"fault.{TITLES.get(status, 'refused')}", "sentences": sentences}
    if "hx-request" not in request.headers:
        return render(request, "fault.html", status=status, **values)
    # Shown in the line for messages, whatever the request was to change.
    answer = render(request, "fault_fragment.html", status=status, **values)
    answer.headers.update({"hx-retarget": "#messages", "hx-reswap": "innerHTML"})
    answer.headers.update({"hx-reselect": ".fault"})
    return answer


def _status_and_sentences(fault: Any) -> tuple[int, list[str]]:
    match fault:
        case PlanError():
            return 400, list(fault.faults)
        case ForbiddenError():
            return 403, [str(fault)]
        case GoneError():
            return 404, [str(fault)]
        case TwinsetError():
            return 400, [str(fault)]
        case HTTPException():
            return fault.status_code, [fault.detail] if fault.status_code == 413 else []
        case RequestValidationError():
            named = (".".join(str(part) for part in e["loc"][1:]) for e in fault.errors())
            return 400, [f"{name}: this value is missing or cannot be read" for name in named]
        case OSError():
            place = f"{fault.filename}: " if fault.filename else ""
            status = 507 if fault.errno in (errno.ENOSPC, errno.EDQUOT) else 400
            return status, [f"{place}{fault.strerror or fault}"]
    return 500, []
