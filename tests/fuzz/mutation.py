"""Input for a target: its own well-formed seeds, cut, copied, joined and overwritten."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

# What the formats' own parsers turn at.
TOKENS = (
    *(b'"', b"\n", b"\0", b"\xff", b"<", b">", b"{", b"}", b"[", b"]", b",", b"&", b"-1", b"1e999"),
    *(b"</document>", b"WARC/", b"PK\x03\x04", b"PAR1", b" obj", b"stream\n", b"/Kids", b"null"),
    b"99999999999999999999",
)
PURE_CHANCE = 0.1
MOST_BYTES = 1 << 20


class Target(NamedTuple):
    """What is fed: ``function`` may raise TwinsetError; ``seeds`` are input that it takes."""

    name: str
    function: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]


def make_input(seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """A mutated seed; now and then bytes by pure chance, or a seed as it is."""
    if rng.random() < PURE_CHANCE:
        return rng.randbytes(rng.randrange(300))
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randrange(7)):
        _change(data, seeds, rng)
    times = rng.randrange(2, 200) if rng.random() < 0.02 else 1
    return bytes(data) * min(times, MOST_BYTES // max(len(data), 1) or 1)


def _change(data: bytearray, seeds: Sequence[bytes], rng: random.Random) -> None:
    at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    match rng.randrange(8):
        case 0:
            del data[at : min(to, at + 40)]
        case 1:
            data[at:at] = data[at : min(to, at + 200)]
        case 2:
            data[at:at] = rng.choice(TOKENS)
        case 3:
            data[at:at] = rng.randbytes(rng.randrange(5))
        case 4 if rng.random() < 0.3:  # a cut leaves little for the other changes
            del data[to:]
        case 5 if rng.random() < 0.3:
            data[at:at] = rng.choice(seeds)
        case 6 if at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        case 7 if at < len(data):
            data[at] = rng.randrange(256)
