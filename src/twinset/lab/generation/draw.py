"""Random draws that depend on a key alone: never on order, threads, machine or hash seeds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def key_of(*parts: object) -> int:
    """64 bits that stand for the parts, numbers or strings, in their order."""
    encoded = json.dumps([str(part) for part in parts], ensure_ascii=True).encode()
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")


class Draw:
    """A stream of random numbers (SplitMix64 [Steele, Lea & Flood 2014]) that begins at a key."""

    def __init__(self, *key: object) -> None:
        self.key = self._state = key_of(*key)

    def bits(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count`` - 1, each equally likely."""
        unfair = (1 << 64) % count
        while True:
            product = self.bits() * count
            if product & _MASK >= unfair:
                return product >> 64

    def choice(self, values: Sequence[T]) -> T:
        """One of the values."""
        return values[self.below(len(values))]

    def sample(self, count: int, size: int) -> list[int]:
        """``size`` different numbers below ``count``, in ascending order."""
        swapped: dict[int, int] = {}
        for place in range(size):
            other = place + self.below(count - place)
            at_place, at_other = swapped.get(place, place), swapped.get(other, other)
            swapped[place], swapped[other] = at_other, at_place
        return sorted(swapped[place] for place in range(size))

    def cycle(self, count: int) -> list[int]:
        """A permutation in one cycle (Sattolo's): with two or more, every place changes."""
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last)
            places[last], places[other] = places[other], places[last]
        return places
