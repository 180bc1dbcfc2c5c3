"""Passages of two documents by their definition, with no index and no cleverness."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

CROWD, LOOKS, WINDOW = 8, 64, 16
Words = Sequence[Any]


class Run(NamedTuple):
    left: int
    right: int
    size: int

    @property
    def ends(self) -> tuple[int, int]:
        return self.left + self.size, self.right + self.size


class Passage(NamedTuple):
    left: int
    left_end: int
    right: int
    right_end: int
    runs: list[Run]


def shingles(words: Words, size: int) -> dict[Hashable, list[int]]:
    """Where each shingle stands."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at in range(len(words) - size + 1):
        places[tuple(words[at : at + size])].append(at)
    return places


def anchors(left: Words, right: Words, size: int, dropped: set[Hashable]) -> list[Run]:
    """Longest equal runs around the shingles that both have."""
    here, there = shingles(left, size), shingles(right, size)
    runs = set()
    for shingle in (here.keys() & there.keys()) - dropped:
        ours, theirs = here[shingle], there[shingle]
        crowded = max(len(ours), len(theirs)) > CROWD
        for a, b in zip(ours, theirs, strict=False) if crowded else product(ours, theirs):
            end = 0
            while a + end < len(left) and b + end < len(right) and left[a + end] == right[b + end]:
                end += 1
            back = 0
            while back < min(a, b) and left[a - back - 1] == right[b - back - 1]:
                back += 1
            runs.add(Run(a - back, b - back, back + end))
    return sorted(runs)


def lost(last: Run, run: Run) -> int:
    """Words of a run that the one before it has."""
    return max(0, last.ends[0] - run.left, last.ends[1] - run.right)


def between(last: Run, run: Run) -> int:
    return max(run.left - last.ends[0], run.right - last.ends[1])


def cut(run: Run, words: int) -> Run:
    return Run(run.left + words, run.right + words, run.size - words)


def chains(runs: list[Run], gap: int) -> Iterator[list[Run]]:
    """Chains from the best one on, each without what was used before."""
    worth: list[int] = []
    before: list[int | None] = []
    for number, run in enumerate(runs):
        best, link = 0, None
        for earlier in range(number - 1, max(-1, number - 1 - LOOKS), -1):
            last = runs[earlier]
            if last.ends[0] >= run.ends[0] or last.ends[1] >= run.ends[1]:
                continue
            if last.right > run.right:
                continue
            here = cut(run, lost(last, run))
            if between(last, here) > gap:
                continue
            value = worth[earlier] - between(last, here) - 2 * (run.size - here.size)
            if value > best:
                best, link = value, earlier
        worth.append(best + 2 * run.size)
        before.append(link)
    used: set[int] = set()
    for end in sorted(range(len(runs)), key=lambda number: -worth[number]):
        chain: list[Run] = []
        at: int | None = end
        while at is not None and at not in used:
            used.add(at)
            chain.insert(0, runs[at])
            at = before[at]
        for place in range(1, len(chain)):
            chain[place] = cut(chain[place], lost(chain[place - 1], chain[place]))
        if chain:
            yield chain


def lcs(a: Words, b: Words) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        last = 0
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], last + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def step(a: Words, b: Words) -> tuple[int, int]:
    """How far an end is moved over the words that follow on both sides."""
    best = (0, 0, 0, 0)
    for i, j in product(range(1, min(WINDOW, len(a)) + 1), range(1, min(WINDOW, len(b)) + 1)):
        best = min(best, (-(3 * lcs(a[:i], b[:j]) - i - j), i + j, i, j))
    return best[2:] if best[0] < 0 else (0, 0)


def passages(
    left: Words,
    right: Words,
    size: int,
    least: int,
    gap: int,
    dropped: set[Hashable] = frozenset(),  # type: ignore[assignment]
) -> list[Passage]:
    """All passages in the order of the left text."""
    if (len(right), tuple(right)) > (len(left), tuple(left)):
        found = passages(right, left, size, least, gap, dropped)
        turned = (
            Passage(
                p.right,
                p.right_end,
                p.left,
                p.left_end,
                [Run(r.right, r.left, r.size) for r in p.runs],
            )
            for p in found
        )
        return sorted(turned)
    need = max(size, min(least, len(right)))
    free = [True] * len(left), [True] * len(right)
    runs = anchors(left, right, size, dropped)
    taken: list[Passage] = []
    if 2 * sum(run.size for run in runs) < need:
        return []
    for chain in chains(runs, gap):
        for part in divided(chain, free, size, gap):
            if 2 * sum(run.size for run in part) < need:
                continue
            a, c = part[0][:2]
            b, d = part[-1].ends
            while (move := step(_free(left, free[0], b), _free(right, free[1], d))) != (0, 0):
                b, d = b + move[0], d + move[1]
            while (move := step(_free(left, free[0], a, -1), _free(right, free[1], c, -1))) != (
                0,
                0,
            ):
                a, c = a - move[0], c - move[1]
            if min(b - a, d - c) < need:
                continue
            free[0][a:b], free[1][c:d] = [False] * (b - a), [False] * (d - c)
            taken.append(Passage(a, b, c, d, part))
    return sorted(taken)


def _free(words: Words, free: list[bool], at: int, way: int = 1) -> Words:
    """The words from a place on up to the next that is taken."""
    run = []
    at = at if way > 0 else at - 1
    while 0 <= at < len(words) and free[at]:
        run.append(words[at])
        at += way
    return run


def divided(
    chain: list[Run], free: tuple[list[bool], list[bool]], size: int, gap: int
) -> Iterator[list[Run]]:
    """What is left of a chain."""
    part: list[Run] = []
    for run in chain:
        open_ = [free[0][run.left + i] and free[1][run.right + i] for i in range(run.size)]
        starts = [i for i in range(run.size) if open_[i] and not (i and open_[i - 1])]
        lengths = [
            next((j for j in range(i, run.size) if not open_[j]), run.size) - i for i in starts
        ]
        if not lengths:
            continue
        longest = max(lengths)
        first = starts[lengths.index(longest)]
        if longest < size and longest < run.size:
            continue
        run = Run(run.left + first, run.right + first, longest)
        if part:
            (a, c), (b, d) = part[-1].ends, run[:2]
            if not all(free[0][a:b] + free[1][c:d]) or between(part[-1], run) > gap:
                yield part
                part = []
        part.append(run)
    if part:
        yield part
