"""The words in which two texts differ, in near-linear time.

Words that occur once in both texts, in the same order, are fixed points (as in patience diff); what
lies between is split again, and a short rest is compared in full. A long rest without a fixed point
counts as replaced: a diff that large is not read anyway.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MOST_WORDS = 50_000
SMALL = 60_000
Change = Literal["same", "left", "right"]


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words that both texts have, or only the left or the right one."""

    change: Change
    words: tuple[str, ...]


def word_diff(left: str, right: str) -> list[Run]:
    """Runs that spell the left text without the "right" ones, and the right one without the "left".

    Only the first ``MOST_WORDS`` words of each text are compared.
    """
    words = [_words(text) for text in (left, right)]
    joined: list[tuple[Change, list[str]]] = []
    for change, part in _compare(words[0], words[1]):
        if joined and joined[-1][0] == change:
            joined[-1][1].extend(part)
        elif part:
            joined.append((change, list(part)))
    return [Run(change, tuple(part)) for change, part in joined]


def _words(text: str) -> list[str]:
    return [match.group() for match, _ in zip(re.finditer(r"\S+", text), range(MOST_WORDS))]  # noqa: B905


Part = tuple[Change, Sequence[str]]


def _compare(left: Sequence[str], right: Sequence[str]) -> Iterator[Part]:
    head = _common(left, right)
    yield "same", left[:head]
    left, right = left[head:], right[head:]
    tail = _common(left[::-1], right[::-1])
    yield from _middle(left[: len(left) - tail], right[: len(right) - tail])
    yield "same", left[len(left) - tail :]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(left: Sequence[str], right: Sequence[str]) -> Iterator[Part]:
    if not left or not right:
        yield "left", left
        yield "right", right
        return
    points = _fixed_points(left, right)
    if not points:
        yield from _rest(left, right)
        return
    before = (0, 0)
    for at_left, at_right in points:
        yield from _compare(left[before[0] : at_left], right[before[1] : at_right])
        yield "same", left[at_left : at_left + 1]
        before = (at_left + 1, at_right + 1)
    yield from _compare(left[before[0] :], right[before[1] :])


def _rest(left: Sequence[str], right: Sequence[str]) -> Iterator[Part]:
    if len(left) * len(right) > SMALL:
        yield "left", left
        yield "right", right
        return
    for _, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if left[i:j] == right[k:m]:
            yield "same", left[i:j]
        else:
            yield "left", left[i:j]
            yield "right", right[k:m]


def _fixed_points(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The longest increasing sequence of positions of words that each text has once."""
    once = [
        {word for word, count in Counter(words).items() if count == 1} for words in (left, right)
    ]
    at_right = {word: place for place, word in enumerate(right) if word in once[1]}
    pairs = [(i, at_right[w]) for i, w in enumerate(left) if w in once[0] and w in at_right]
    return _increasing(pairs)


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    ends: list[int] = []
    rows: list[int] = []
    before: list[int | None] = []
    for row, (_, value) in enumerate(pairs):
        place = bisect_left(ends, value)
        before.append(rows[place - 1] if place else None)
        if place == len(ends):
            ends.append(value)
            rows.append(row)
        else:
            ends[place], rows[place] = value, row
    chain: list[tuple[int, int]] = []
    at = rows[-1] if rows else None
    while at is not None:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
