"""Exceptions as pages that explain them: never a traceback, and no work is lost."""

from __future__ import annotations

import errno
import logging
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from twinset.errors import PlanError, TwinsetError
from twinset.web.render import local, render
from twinset.web.settings import ForbiddenError

log = logging.getLogger("twinset.web")


class GoneError(TwinsetError):
    """Something that existed when the page was drawn and does not any more."""


def handle_faults(app: FastAPI) -> None:
    """Answer every exception of the app with a page."""
    for kind in (TwinsetError, OSError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _answer)


def _answer(request: Request, fault: Any) -> Response:
    status, sentences = _status_and_sentences(fault)
    if status == 500:
        log.error("%s %s failed", request.method, request.url.path, exc_info=fault)
    fragment = "hx-request" in request.headers
    template = "fault_fragment.html" if fragment else "fault.html"
    answer = render(
        request,
        template,
        status=status,
        title=_title(status),
        sentences=sentences,
        before=_before(request),
    )
    if fragment:  # shown in the line for messages, whatever the request was to change
        answer.headers["hx-retarget"] = "#messages"
        answer.headers["hx-reswap"] = "innerHTML"
    return answer


def _before(request: Request) -> str:
    """Our page that sent the request; empty where there is none to go back to."""
    try:
        referer = urlsplit(request.headers.get("referer", ""))
    except ValueError:  # not an address
        return ""
    is_same = request.method == "GET" and referer.path == request.url.path
    if referer.netloc != request.headers.get("host") or is_same:
        return ""
    return local(referer.path + (f"?{referer.query}" if referer.query else ""))


def _status_and_sentences(fault: Any) -> tuple[int, list[str]]:
    if isinstance(fault, PlanError):
        return 400, list(fault.faults)
    if isinstance(fault, TwinsetError):
        kinds: dict[type, int] = {ForbiddenError: 403, GoneError: 404}
        return kinds.get(type(fault), 400), [str(fault)]
    if isinstance(fault, HTTPException):
        return fault.status_code, [fault.detail] if fault.status_code == 413 else []
    if isinstance(fault, RequestValidationError):
        named = (".".join(str(part) for part in e["loc"][1:]) for e in fault.errors())
        return 400, [f"{name}: this value is missing or cannot be read" for name in named]
    if isinstance(fault, OSError):
        place = f"{fault.filename}: " if fault.filename else ""
        status = 507 if fault.errno in (errno.ENOSPC, errno.EDQUOT) else 400
        return status, [f"{place}{fault.strerror or fault}"]
    return 500, []


def _title(status: int) -> str:
    known = {403: "forbidden", 404: "gone", 507: "full", 500: "unexpected"}
    return f"fault.{known.get(status, 'refused')}"
