"""Entering with the token or the password, and the choice of language and colours."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response

from twinset.pages.language import LANGUAGES
from twinset.web.render import THEMES, go, local, render
from twinset.web.security import cookie_name, pass_of, same
from twinset.web.settings import Settings

router = APIRouter()
YEAR = 365 * 24 * 3600
PAUSE = 1.0  # seconds between two wrong guesses
WAITING = 16  # guesses that wait
LONGEST = 1024  # characters of a guess that are looked at
Verdict = Literal["right", "wrong", "busy"]


class Guesses:
    """Compares guesses with the password, after a wrong one none for a second, whoever asks.

    A few wait; where more come they are refused without being compared. The printed link needs no
    password, and the 256 bits of its key no clock, so that the owner can always enter.
    """

    def __init__(self, password: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._password, self._clock = password, clock
        self._free_at, self._waiting = clock(), 0
        self._turn = asyncio.Lock()

    async def ask(self, guess: str) -> Verdict:
        """Whether a guess is right."""
        if self._waiting >= WAITING:
            return "busy"
        self._waiting += 1
        try:
            async with self._turn:
                await asyncio.sleep(max(0.0, self._free_at - self._clock()))
                if len(guess) <= LONGEST and same(guess, self._password):
                    return "right"
                self._free_at = self._clock() + PAUSE
                return "wrong"
        finally:
            self._waiting -= 1


@router.get("/open")
async def enter(request: Request, token: str = "") -> Response:
    """Exchange the token in the printed address for a cookie, also where there is a password."""
    settings: Settings = request.app.state.settings
    if settings.password is not None and not token:
        return go("/login")
    if not same(token, settings.token):
        return render(
            request, "fault.html", status=401, title="fault.wrong_token", sentences=[], bare=True
        )
    # A page and not a redirect: a browser would not send the strict cookie on a redirect that began
    # on another site, say in a mail program.
    answer = render(request, "enter.html", first=settings.first)
    return _admitted(answer, settings)


@router.get("/login")
async def ask(request: Request) -> Response:
    """The form for the password, where one is needed."""
    settings: Settings = request.app.state.settings
    if settings.password is None:
        return go("/")
    return render(request, "login.html", verdict="")


@router.post("/login")
async def login(request: Request, password: Annotated[str, Form()] = "") -> Response:
    """Exchange the password for a cookie; one wrong password per second is answered."""
    settings: Settings = request.app.state.settings
    guesses: Guesses | None = request.app.state.guesses
    if guesses is None:
        return go("/")
    verdict = await guesses.ask(password)
    if verdict == "right":
        return _admitted(go(settings.first), settings)
    status = 401 if verdict == "wrong" else 429
    answer = render(request, "login.html", status=status, verdict=verdict)
    if verdict == "busy":
        answer.headers["retry-after"] = "2"
    return answer


@router.post("/look")
async def look(
    request: Request,
    back: Annotated[str, Form()] = "/",
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
) -> Response:
    """Keep the reader's language and colours, in cookies and for the next visit."""
    answer = go(local(back))
    known = {"language": language in LANGUAGES, "theme": theme in THEMES}
    chosen = {"language": language, "theme": theme}
    request.app.state.remembered.change(**{n: v for n, v in chosen.items() if known[n]})
    if language in LANGUAGES:
        answer.set_cookie("language", language, max_age=YEAR, samesite="strict", httponly=True)
    if theme in THEMES:
        answer.set_cookie("theme", theme, max_age=YEAR, samesite="strict", httponly=True)
    return answer


def _admitted(answer: Response, settings: Settings) -> Response:
    name, value = cookie_name(settings), pass_of(settings)
    answer.set_cookie(name, value, samesite="strict", httponly=True)
    return answer
