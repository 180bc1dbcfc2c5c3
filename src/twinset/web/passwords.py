"""Guessing passwords: one wrong guess per second in all, while the owner can still enter.

An attacker may send any number of requests from any number of addresses, and learns from every
answer. So there is one clock for all: after a wrong guess no guess is compared for a second.
Guesses that come too soon wait in the queue of their sender's address, a few in each; where it is
full, they are refused (429) without being compared. The addresses take turns, so that somebody else
waits at most as many seconds as there are addresses that attack. A right password takes no time
from the clock.

Two ways in have no queue. The printed link with the key needs no password, and
its 256 bits need no clock. And a browser that has entered before shows a cookie that only this
page can have made: its guess is compared at once, a right one is answered at once, and a wrong one
takes the next turn from all others. After some wrong guesses such a browser is one of the others.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Literal

from twinset.web.security import same

PAUSE = 1.0  # seconds between two wrong guesses
WAITING = 4  # guesses of one address that wait
ADDRESSES = 64  # addresses with guesses that wait
CHANCES = 5  # wrong guesses of a browser that has entered before
DEVICES = 1000  # browsers whose wrong guesses are counted
LONGEST = 1024  # characters of a guess that are looked at
Verdict = Literal["right", "wrong", "busy"]


class Guesses:
    """Compares guesses with the password, at a bounded rate."""

    def __init__(self, password: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._password, self._clock = password, clock
        self._free_at = clock()
        self._queues: OrderedDict[str, deque[object]] = OrderedDict()
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    async def ask(self, guess: str, address: str, device: str = "") -> Verdict:
        """Whether a guess is right; ``device`` is a browser that has entered before."""
        if device:
            ahead = self._ahead(guess, device)
            if ahead is not None:
                verdict, seconds = ahead
                await asyncio.sleep(seconds)
                return verdict
        ticket = object()
        lane = lane_of(address)
        if not self._queue_up(lane, ticket):
            return "busy"
        try:
            while True:
                answer = self._in_turn(guess, lane, ticket)
                if not isinstance(answer, float):
                    return answer
                await asyncio.sleep(answer)
        finally:
            self._leave(lane, ticket)

    def _ahead(self, guess: str, device: str) -> tuple[Verdict, float] | None:
        """The answer to a known browser, and after how many seconds; None where it must queue."""
        with self._lock:
            left = max(0.0, self._free_at - self._clock())
            if left > PAUSE or self._wrong.get(device, 0) >= CHANCES:
                return None
            if self._is_right(guess):
                self._wrong.pop(device, None)
                return "right", 0.0
            self._wrong[device] = self._wrong.pop(device, 0) + 1
            while len(self._wrong) > DEVICES:
                self._wrong.popitem(last=False)
            self._free_at = self._clock() + left + PAUSE
            return "wrong", left

    def _queue_up(self, lane: str, ticket: object) -> bool:
        with self._lock:
            queue = self._queues.get(lane)
            if queue is None and len(self._queues) >= ADDRESSES:
                return False
            if queue is not None and len(queue) >= WAITING:
                return False
            self._queues.setdefault(lane, deque()).append(ticket)
            return True

    def _in_turn(self, guess: str, lane: str, ticket: object) -> Verdict | float:
        """The answer, or the seconds after which to ask again."""
        with self._lock:
            left = self._free_at - self._clock()
            first, queue = next(iter(self._queues.items()))
            if left > 0 or first != lane or queue[0] is not ticket:
                return max(left, PAUSE / 50)
            self._next_lane(lane)
            if self._is_right(guess):
                return "right"
            self._free_at = self._clock() + PAUSE
            return "wrong"

    def _next_lane(self, lane: str) -> None:
        """Take the first guess of an address out, and let the other addresses go before it."""
        queue = self._queues.pop(lane)
        queue.popleft()
        if queue:
            self._queues[lane] = queue

    def _leave(self, lane: str, ticket: object) -> None:
        """Give the place up, also where whoever asked has gone away."""
        with self._lock:
            queue = self._queues.get(lane)
            if queue is not None and ticket in queue:
                queue.remove(ticket)
                if not queue:
                    del self._queues[lane]

    def _is_right(self, guess: str) -> bool:
        return len(guess) <= LONGEST and same(guess, self._password)


def lane_of(address: str) -> str:
    """Whose queue a guess waits in; an IPv6 network counts as one sender: it has many addresses."""
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(number, ipaddress.IPv4Address):
        return str(number)
    if number.ipv4_mapped is not None:
        return str(number.ipv4_mapped)
    return str(ipaddress.ip_network((number, 64), strict=False))


def device_mark(secret: str) -> str:
    """A mark for a browser that has entered, which cannot be forged without the secret."""
    name = secrets.token_hex(8)
    return f"{name}.{_seal(name, secret)}"


def device_of(mark: str, secret: str) -> str:
    """The name of the browser that shows a mark; empty where the mark is not ours."""
    name, _, seal = mark.partition(".")
    return name if name and same(seal, _seal(name, secret)) else ""


def _seal(name: str, secret: str) -> str:
    text = name.encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
