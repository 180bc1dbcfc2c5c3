"""The password of a page that others may reach: bounded guesses, and a way in for the owner."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import visitor
from twinset.web import security as login
from twinset.web.security import WAITING, Guesses
from twinset.web.settings import Settings

PASSWORD = "correct horse battery"


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(login, "PAUSE", 0.2)
    settings = Settings((tmp_path,), tmp_path / "home", password=PASSWORD, token="t" * 43)
    with visitor(settings) as client:
        yield client


def test_a_right_password_lets_in_and_a_wrong_one_does_not(stranger: TestClient) -> None:
    assert stranger.get("/").url.path == "/login"
    for wrong in ("", "nothing", PASSWORD * 100, "\ud800".encode("utf-8", "replace").decode()):
        answer = stranger.post("/login", data={"password": wrong})
        assert answer.status_code == 401
        assert stranger.get("/").url.path == "/login"
    assert stranger.post("/login", data={"password": PASSWORD}).url.path == "/"
    assert stranger.get("/").url.path == "/"


def test_the_printed_link_needs_no_password(stranger: TestClient) -> None:
    assert stranger.get("/open", params={"token": "t" * 43}).status_code == 200
    assert stranger.get("/").url.path == "/"


def test_one_wrong_guess_at_a_time_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "PAUSE", 0.05)

    async def attack() -> list[str]:
        guesses = Guesses(PASSWORD)
        return list(await asyncio.gather(*(guesses.ask(str(n)) for n in range(WAITING + 5))))

    begun = time.monotonic()
    verdicts = asyncio.run(attack())
    assert verdicts.count("busy") == 5, "none of these was compared"
    assert verdicts.count("wrong") == WAITING
    assert time.monotonic() - begun >= 0.05 * (WAITING - 1)


def test_a_right_guess_takes_no_time_and_waits_for_the_wrong_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(login, "PAUSE", 0.3)

    async def ask() -> None:
        guesses = Guesses(PASSWORD)
        begun = time.monotonic()
        for _ in range(100):
            assert await guesses.ask(PASSWORD) == "right"
        assert time.monotonic() - begun < login.PAUSE
        verdicts = await asyncio.gather(guesses.ask("x"), guesses.ask(PASSWORD))
        assert verdicts == ["wrong", "right"]
        assert time.monotonic() - begun >= login.PAUSE

    asyncio.run(ask())


def test_a_full_queue_is_said(stranger: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "WAITING", 0)
    answer = stranger.post("/login", data={"password": PASSWORD})
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "2"
    assert stranger.get("/").url.path == "/login"
