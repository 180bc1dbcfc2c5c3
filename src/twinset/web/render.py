"""Templates and their values as responses, in the reader's language and colours."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from twinset.pages import engine
from twinset.pages import language as languages
from twinset.web.remembered import Choices, Remembered

THEMES = ("auto", "light", "dark")


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page or a fragment; besides ``values``, templates know `_always` and what
    every template of the engine knows."""
    text = engine.page(f"web/{template}", language_of(request), **_always(request), **values)
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
    for chosen in (request.cookies.get("language", ""), _choices(request).language):
        if chosen in languages.LANGUAGES:
            return chosen
    return languages.preferred(request.headers.get("accept-language", ""))


def in_language(language: str) -> list[str]:
    """The option that makes a command write its page in a language; English needs none."""
    return [] if language == "en" else ["--language", language]


def theme_of(request: Request) -> str:
    """Light, dark, or as the system is set."""
    for chosen in (request.cookies.get("theme", ""), _choices(request).theme):
        if chosen in THEMES:
            return chosen
    return "auto"


def _choices(request: Request) -> Choices:
    remembered: Remembered = request.app.state.remembered
    return remembered.choices


def go(path: str) -> RedirectResponse:
    """Send the browser to another page of ours after a form was processed."""
    return RedirectResponse(local(path), 303)


def local(path: str) -> str:
    """A path on this server; anything that could lead elsewhere becomes the first page."""
    leads_out = not path.startswith("/") or path.startswith(("//", "/\\")) or "\n" in path
    return "/" if leads_out else path


def _always(request: Request) -> dict[str, Any]:
    return {
        "theme": theme_of(request),
        "themes": THEMES,
        "path": request.url.path,
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    }
