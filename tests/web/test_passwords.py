"""Passwords that are tried: one wrong guess a second in all, and the owner gets in meanwhile."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from collections import Counter

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import visitor
from twinset.web import passwords
from twinset.web.passwords import ADDRESSES, CHANCES, WAITING, Guesses, Verdict, lane_of
from twinset.web.security import device_cookie
from twinset.web.settings import Settings

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second of the clock takes a tenth of one."""
    monkeypatch.setattr(passwords, "PAUSE", 0.1)


async def timed(
    asked: Guesses, guess: str, address: str, device: str = ""
) -> tuple[Verdict, float]:
    begun = time.monotonic()
    verdict = await asked.ask(guess, address, device)
    return verdict, time.monotonic() - begun


async def flood(asked: Guesses, addresses: list[str], seconds: float) -> Counter[Verdict]:
    """Ten wrong guesses at a time from each address, again and again; how they were answered."""
    end, verdicts = time.monotonic() + seconds, Counter[Verdict]()

    async def attack(address: str) -> None:
        while time.monotonic() < end:
            verdicts[await asked.ask("wrong", address)] += 1
            await asyncio.sleep(0.001)

    await asyncio.gather(*(attack(address) for address in addresses for _ in range(10)))
    return verdicts


def test_a_first_guess_is_answered_at_once() -> None:
    asked = Guesses(PASSWORD)
    for guess, verdict in (("wrong", "wrong"), (PASSWORD, "right")):
        answer, _ = asyncio.run(timed(asked, guess, "10.0.0.1"))
        assert answer == verdict


@pytest.mark.parametrize("attackers", [1, 7])
def test_no_flood_learns_more_than_one_guess_in_a_pause(attackers: int) -> None:
    async def run() -> Counter[Verdict]:
        return await flood(Guesses(PASSWORD), [f"10.0.0.{n}" for n in range(attackers)], 1.5)

    verdicts = asyncio.run(run())
    # Those in the queues at the end are still answered, at the same pace.
    assert verdicts["wrong"] <= 15 + 1 + attackers * WAITING
    assert verdicts["wrong"] >= 10
    assert verdicts["busy"] > 100
    assert verdicts["right"] == 0


def test_whether_a_refused_guess_was_right_is_not_reported() -> None:
    async def run() -> set[Verdict]:
        asked = Guesses(PASSWORD)
        full = [asyncio.create_task(asked.ask("wrong", "10.0.0.1")) for _ in range(WAITING + 1)]
        await asyncio.sleep(0)
        verdicts = {await asked.ask(guess, "10.0.0.1") for guess in (PASSWORD, "wrong")}
        await asyncio.gather(*full)
        return verdicts

    assert asyncio.run(run()) == {"busy"}


def test_the_owner_gets_in_from_another_address_during_a_flood() -> None:
    attackers = [f"10.0.0.{n}" for n in range(5)]

    async def run() -> tuple[Verdict, float]:
        asked = Guesses(PASSWORD)
        attack = asyncio.create_task(flood(asked, attackers, 1.0))
        await asyncio.sleep(0.4)
        timed_verdict = await timed(asked, PASSWORD, "192.168.1.7")
        await attack
        return timed_verdict

    verdict, seconds = asyncio.run(run())
    assert verdict == "right"
    assert seconds < (len(attackers) + 3) * passwords.PAUSE


def test_a_browser_that_has_entered_before_gets_in_at_once_during_a_flood() -> None:
    async def run() -> tuple[Verdict, float]:
        asked = Guesses(PASSWORD)
        attack = asyncio.create_task(flood(asked, ["10.0.0.1"], 0.6))
        await asyncio.sleep(0.35)
        timed_verdict = await timed(asked, PASSWORD, "10.0.0.1", "mine")
        await attack
        return timed_verdict

    verdict, seconds = asyncio.run(run())
    assert verdict == "right"
    assert seconds < passwords.PAUSE / 2


def test_a_known_browser_cannot_guess_faster_and_loses_its_rank() -> None:
    async def run() -> tuple[list[float], Verdict]:
        asked, begun, at = Guesses(PASSWORD), time.monotonic(), []
        for _ in range(CHANCES):
            assert await asked.ask("wrong", "10.0.0.1", "theirs") == "wrong"
            at.append(time.monotonic() - begun)
        full = [asyncio.create_task(asked.ask("wrong", "10.0.0.1")) for _ in range(WAITING)]
        await asyncio.sleep(0)
        last = await asked.ask(PASSWORD, "10.0.0.1", "theirs")
        await asyncio.gather(*full)
        return at, last

    at, last = asyncio.run(run())
    assert at[-1] >= (CHANCES - 1.5) * passwords.PAUSE
    assert last == "busy"


def test_queues_are_bounded() -> None:
    async def run() -> Verdict:
        asked = Guesses(PASSWORD)
        await asked.ask("wrong", "10.0.0.1")
        waiting = [
            asyncio.create_task(asked.ask(PASSWORD, f"10.0.1.{n}")) for n in range(ADDRESSES)
        ]
        await asyncio.sleep(0)
        verdict = await asked.ask("wrong", "10.0.2.1")
        assert set(await asyncio.gather(*waiting)) == {"right"}
        return verdict

    assert asyncio.run(run()) == "busy"


def test_one_network_is_one_sender() -> None:
    assert lane_of("2001:db8::1") == lane_of("2001:db8::ffff:2")
    assert lane_of("2001:db8::1") != lane_of("2001:db8:0:1::1")
    assert lane_of("::ffff:10.0.0.1") == lane_of("10.0.0.1") != lane_of("10.0.0.2")


def test_the_page_refuses_a_flood_and_lets_the_owner_in(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "PAUSE", 1.0)
    open_to_all = dataclasses.replace(settings, password=PASSWORD)
    with visitor(open_to_all) as client:
        client.post("/login", data={"password": PASSWORD}, follow_redirects=False)
        mark = client.cookies[device_cookie(settings)]
        client.cookies.clear()
        statuses: Counter[int] = Counter()
        begun = time.monotonic()
        enough = threading.Event()

        def attack() -> None:
            while not enough.is_set():
                answer = client.post("/login", data={"password": "wrong"})
                statuses[answer.status_code] += 1

        threads = [threading.Thread(target=attack) for _ in range(12)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        assert _enters(client, settings, {"cookie": f"{device_cookie(settings)}={mark}"}) == 303
        # A place in the queue is free for a moment each second: a stranger may be lucky at times.
        stranger = {"cookie": f"{device_cookie(settings)}=x.y"}
        assert 429 in {_enters(client, settings, stranger) for _ in range(20)}
        assert client.get("/open", params={"token": settings.token}).status_code == 200
        enough.set()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begun
    assert set(statuses) == {401, 429}
    assert statuses[401] <= seconds + 1


def _enters(client: TestClient, settings: Settings, headers: dict[str, str]) -> int:
    data = {"password": PASSWORD}
    answer = client.post("/login", data=data, headers=headers, follow_redirects=False)
    return answer.status_code
