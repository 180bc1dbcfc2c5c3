"""Plain Python twins of the kernels: slow, obvious, and written without looking at the C++."""

from __future__ import annotations

import itertools

import numpy as np

from twinset.finding.candidates.base import TOP

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Stream:
    def __init__(self, seed: int) -> None:
        self.state = mix(seed ^ 0x6A09E667F3BCC909)

    def next(self) -> int:
        self.state = self.state + GOLDEN & MASK
        return mix(self.state)


class Fast:
    def __init__(self, stream: Stream) -> None:
        self.key = stream.next()

    def __call__(self, x: int) -> int:
        return mix(x ^ self.key)


def rank(columns: list[int]) -> int:
    basis: list[int] = []
    for column in columns:
        for b in basis:
            column = min(column, column ^ b)
        if column:
            basis.append(column)
    return len(basis)


class Matrix:
    def __init__(self, stream: Stream) -> None:
        self.columns = [stream.next() for _ in range(64)]
        while rank(self.columns) < 64:
            self.columns = [stream.next() for _ in range(64)]

    def __call__(self, x: int) -> int:
        y = 0
        for bit in range(64):
            if x >> bit & 1:
                y ^= self.columns[bit]
        return y


def oph(features: list[int], size: int, seed: int, family: type, rounds: bool) -> list[int]:
    first, probe = family(Stream(seed)), mix(seed + 0x51ED270B9F64A1D3 & MASK)
    bins: list[int | None] = [None] * size
    if not features:
        return [MASK] * size

    def throw(h: int, stage: int, where: int | None = None) -> None:
        at = (h >> 32) * size >> 32 if where is None else where
        value = stage << 32 | h & 0xFFFFFFFF
        if bins[at] is None or value < bins[at]:
            bins[at] = value

    for x in features:
        throw(first(x), 0)
    if rounds:
        for stage in itertools.count(1):
            empty = [i for i, b in enumerate(bins) if b is None]
            if not empty:
                break
            for x in features:
                h = mix(first(x) ^ (probe + stage * GOLDEN & MASK))
                if stage <= size:
                    throw(h, stage)
                elif stage - size - 1 in empty:
                    throw(h, stage, stage - size - 1)
        return [b for b in bins if b is not None]
    filled = list(bins)
    for at in range(size):
        for attempt in itertools.count(1):
            if bins[at] is not None:
                break
            start = (mix(probe ^ (at * GOLDEN + attempt & MASK)) >> 32) * size >> 32
            bins[at] = filled[start]
    return [b for b in bins if b is not None]


def minwise(features: list[int], size: int, seed: int, family: type) -> list[int]:
    if not features:
        return [MASK] * size
    stream = Stream(seed)
    if family is Matrix:
        functions = [Matrix(stream) for _ in range(size)]
        return [min(f(x) for x in features) for f in functions]
    base = stream.next()
    words = [stream.next() for _ in range(size)]
    short = [mix(x ^ base) >> 32 for x in features]
    return [min(h * (w & 0xFFFFFFFF | 1) + (w >> 32) & 0xFFFFFFFF for h in short) for w in words]


def shared(a: set[int], b: set[int]) -> int:
    return len(a & b)


def score(measure: int, common: int, a: int, b: int) -> float:
    if not a or not b:
        return 0.0
    return [
        common / (a + b - common),
        common / min(a, b),
        2 * common / (a + b),
        float(np.sqrt(common / a * (common / b))),
        float(common),
    ][measure]


def lists(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Feature lists as the kernels take them."""
    offsets = np.cumsum([0] + [len(r) for r in rows]).astype(np.int64)
    return np.array([x for r in rows for x in r], np.uint64), offsets


def count_features(features: np.ndarray, counters: int) -> np.ndarray:
    """How many lists have each feature, by its last bits, cut as the package does."""
    places = (features & np.uint64(counters - 1)).astype(np.int64)
    return np.minimum(np.bincount(places, minlength=counters), TOP).astype(np.uint16)
