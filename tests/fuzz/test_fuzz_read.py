"""A short turn of the fuzz targets, always the same one, as part of the ordinary tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.fuzz.fuzz_read import TARGETS, seeds
from twinset.errors import TwinsetError

TURNS = 60
TOKENS = [b'"', b"\n", b"\0", b"\xff", b"<", b"</document>", b"WARC/"]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few cuts, copies and changes."""
    raw = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, to = sorted(chance.randint(0, len(raw)) for _ in range(2))
        change = chance.randint(0, 4)
        if change == 0:
            del raw[at : min(to, at + 40)]
        elif change == 1:
            raw[at:at] = raw[at : min(to, at + 200)]
        elif change == 2:
            raw[at:at] = chance.choice(
                [b'"', b"\n", b"\0", b"\xff", b"<", b"</document>", b"WARC/"]
            )
        elif change == 3:
            del raw[to:]
        elif at < len(raw):
            raw[at] = chance.randrange(256)
    return bytes(raw)


@pytest.mark.parametrize(("name", "target"), TARGETS, ids=[name for name, _ in TARGETS])
def test_survives_mutations(name: str, target: Callable[[bytes], None]) -> None:
    chance = random.Random(name)
    for turn in range(TURNS):
        data = mutated(chance.choice(seeds(name)), chance) if turn % 4 else chance.randbytes(turn)
        with suppress(TwinsetError):  # a clear refusal is as good as reading on
            target(data)
