"""From a template's name and values to an answer, in the reader's language and colours."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from twinset.review.shown import shown
from twinset.web import language as languages
from twinset.web import quantities

THEMES = ("auto", "light", "dark")


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page or a fragment; besides ``values``, templates know ``t`` and the rest of `_always`."""
    text = _templates().get_template(template).render(**_always(request), **values)
    return HTMLResponse(text, status)


async def _form(request: Request) -> dict[str, Any]:
    return dict(await request.form())


Filled = Annotated[dict[str, Any], Depends(_form)]
"""The values of a form, for handlers that run in threads."""


def language_of(request: Request) -> str:
    """The language that the reader has chosen, or else the browser's."""
    chosen = request.cookies.get("language", "")
    if chosen in languages.LANGUAGES:
        return chosen
    return languages.preferred(request.headers.get("accept-language", ""))


def theme_of(request: Request) -> str:
    """Light, dark, or as the system has it."""
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else "auto"


def go(path: str) -> RedirectResponse:
    """Send the browser to another page of ours after a form was taken."""
    return RedirectResponse(local(path), 303)


def local(path: str) -> str:
    """A path on this server; anything that could lead elsewhere becomes the first page."""
    leads_out = not path.startswith("/") or path.startswith(("//", "/\\")) or "\n" in path
    return "/" if leads_out else path


def _always(request: Request) -> dict[str, Any]:
    language = language_of(request)
    return {
        "t": languages.speaker(language),
        "number": partial(languages.number, language),
        "size": partial(quantities.size, language),
        "percent": partial(quantities.percent, language),
        "span": partial(quantities.span, language),
        "moment": quantities.moment,
        "language": language,
        "languages": languages.LANGUAGES,
        "theme": theme_of(request),
        "themes": THEMES,
        "path": request.url.path,
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "version": _version(),
    }


@cache
def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    made.tests["sentence"] = languages.sentences("en").__contains__
    return made


@cache
def _version() -> str:
    from importlib.metadata import version

    return version("twinset")
