"""The diff of two texts, word by word: the one for commands, reports and pages.

Words that occur once in both texts, in the same order, are fixed points (as in patience diff); what
lies between is split again. Where no word occurs once, runs of some words do. A short rest is
compared in full; a long rest without a fixed point counts as replaced: a diff that large is not
read anyway. The time is near-linear: all work is counted and bounded, so that no pair of texts
takes long.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import Literal

from twinset.text.wording import VEIL, hidden

SHORTEST = 6
"""Words of a passage; shorter ones meet by chance."""
Gap = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MovedPassages:
    """Places (left, right, words) of the passages, and for both texts the order they stand in."""

    places: tuple[tuple[int, int, int], ...]
    orders: tuple[tuple[int, ...], tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.places)

    def span(self, side: int, link: int) -> Gap:
        """The words of a passage in the left (0) or right (1) text."""
        start, size = self.places[link][side], self.places[link][2]
        return start, start + size

    def within(self, side: int, first: int, last: int) -> Iterable[int]:
        """The passages that have words from first to before last, in order."""
        order = self.orders[side]
        at = bisect_left(order, first, key=lambda link: self.span(side, link)[1] - 1)
        while at < len(order) and self.places[order[at]][side] < last:
            yield order[at]
            at += 1


def moved_passages(
    left: Sequence[str], right: Sequence[str], left_gaps: Sequence[Gap], right_gaps: Sequence[Gap]
) -> MovedPassages:
    """The longest run at each place that both texts have in their gaps, each word used once."""
    known: dict[tuple[str, ...], int] = {}
    end_of: dict[int, int] = {}
    for first, last in right_gaps:
        for at in range(first, last - SHORTEST + 1):
            known.setdefault(tuple(right[at : at + SHORTEST]), at)
            end_of[at] = last
    used = bytearray(len(right))
    passages = []
    for first, last in left_gaps:
        at = first
        while at <= last - SHORTEST:
            there = known.get(tuple(left[at : at + SHORTEST]))
            size = 0
            if there is not None:
                room = min(last - at, end_of[there] - there)
                while size < room and left[at + size] == right[there + size]:
                    if used[there + size]:
                        break
                    size += 1
            if there is not None and size >= SHORTEST:
                passages.append((at, there, size))
                used[there : there + size] = b"\1" * size
                at += size
            else:
                at += 1
    links = range(len(passages))
    orders = (
        tuple(sorted(links, key=lambda link: passages[link][0])),
        tuple(sorted(links, key=lambda link: passages[link][1])),
    )
    return MovedPassages(tuple(passages), orders)


MOST_WORDS = 300_000
SMALL = 40_000
"""The largest product of two lengths that is compared in full."""
STEPS = 60
"""Steps a word: what lies too deep for them counts as replaced."""
GRAMS = (1, 4)
STRIDE = 32
"""Words that are compared at once where texts begin or end alike."""
LONE, LONG = 2, 4
"""Equal words between differences: up to `LONE` of them between `LONG` or more are chance."""
Change = Literal["same", "left", "right", "masked"]
Range = tuple[int, int, int, int]
"""Words from and to before in the left text, then in the right one."""


@dataclass(frozen=True, slots=True)
class DiffRun:
    """Consecutive words that both texts have, or only one, or that are left out of comparisons."""

    change: Change
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """``size`` equal words, from these places in both texts on."""

    left: int
    right: int
    size: int


NO_MASKS: Mapping[str, str] = {}
_VEILED = re.compile(f"{VEIL}+")


class ComparedText:
    """A text and its words between blanks, the first ``MOST_WORDS``, with their places.

    ``keys`` are what is compared of the words, and ``seen`` are the words that are compared: what a
    mask leaves out is one word, however long, and is compared with nothing.
    """

    def __init__(self, text: str, masks: Mapping[str, str] = NO_MASKS) -> None:
        seen = hidden(text, masks, VEIL) if masks else text
        matches = list(islice(re.finditer(r"\S+", seen), MOST_WORDS + 1))
        self.text = text
        self.cut = len(matches) > MOST_WORDS
        self.places = [match.span() for match in matches[:MOST_WORDS]]
        self.keys = self.words = [match.group() for match in matches[:MOST_WORDS]]
        if masks:
            self.keys = [
                VEIL if VEIL in key and not any(map(str.isalnum, key)) else _VEILED.sub(VEIL, key)
                for key in self.keys
            ]
            self.words = [text[begin:end] for begin, end in self.places]
        self.seen = [word for word, key in enumerate(self.keys) if not masks or key != VEIL]

    def pieces(self, first: int, last: int) -> list[tuple[bool, int, int]]:
        """The words from first to before last in runs, and whether a run is all masked."""
        if self.keys is self.words:
            return [(False, first, last)] if first < last else []
        runs = groupby(range(first, last), lambda word: self.keys[word] == VEIL)
        ends = [(masked, list(words)) for masked, words in runs]
        return [(masked, words[0], words[-1] + 1) for masked, words in ends]


@dataclass(frozen=True, slots=True)
class TextDiff:
    """Two texts, the blocks of words that both have in this order, and passages that have moved.

    Words are compared as they are written, capitals and marks included.
    """

    left: ComparedText
    right: ComparedText
    blocks: tuple[Block, ...]

    @property
    def cut(self) -> bool:
        """Whether a text has more words than were compared."""
        return self.left.cut or self.right.cut

    def gaps(self) -> Iterator[Range]:
        """What lies before, between and after the blocks; empty on one side or on both."""
        return gaps(self.blocks, len(self.left.words), len(self.right.words))

    def moved(self) -> MovedPassages:
        """The passages that stand in gaps of both texts."""
        gaps = list(self.gaps())
        return moved_passages(
            self.left.keys, self.right.keys, [gap[:2] for gap in gaps], [gap[2:] for gap in gaps]
        )

    def runs(self) -> list[DiffRun]:
        """All words in order: the left text without the "right" runs, the right without the "left".

        What is masked comes as the left text has it, then as the right one has it.
        """
        runs: list[DiffRun] = []
        ends = Block(len(self.left.words), len(self.right.words), 0)
        for (a, b, c, d), block in zip(self.gaps(), [*self.blocks, ends], strict=True):
            parts: tuple[tuple[Change, ComparedText, int, int], ...] = (
                ("left", self.left, a, b),
                ("right", self.right, c, d),
                ("same", self.left, block.left, block.left + block.size),
            )
            for change, text, begin, end in parts:
                for masked, first, last in text.pieces(begin, end):
                    words = tuple(text.words[first:last])
                    runs.append(DiffRun("masked" if masked else change, words))
        return runs


def gaps(blocks: Sequence[Block], left: int, right: int) -> Iterator[Range]:
    """What lies before, between and after the blocks of two texts of these lengths."""
    a = b = 0
    for block in blocks:
        yield a, block.left, b, block.right
        a, b = block.left + block.size, block.right + block.size
    yield a, left, b, right


def text_diff(left: str, right: str, masks: Mapping[str, str] = NO_MASKS) -> TextDiff:
    """Compare the first ``MOST_WORDS`` words of two texts; what ``masks`` match makes none differ.

    The masks are names with the expressions that they stand for.
    """
    first, second = ComparedText(left, masks), ComparedText(right, masks)
    left_seen, right_seen = first.seen, second.seen
    left_keys, right_keys = [first.keys[n] for n in left_seen], [second.keys[n] for n in right_seen]
    blocks = tidied(align(left_keys, right_keys), len(left_keys), len(right_keys))
    if masks:
        blocks = _joined(
            (left_seen[block.left + n], right_seen[block.right + n], 1)
            for block in blocks
            for n in range(block.size)
        )
    return TextDiff(first, second, tuple(blocks))


def align(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """The equal words of two texts as blocks that rise in both; neighbouring ones are joined."""
    blocks = _Alignment(left, right).blocks()
    return _joined(sorted(block for block in blocks if block[2]))


def _joined(blocks: Iterable[tuple[int, int, int]]) -> list[Block]:
    """Blocks that rise in both texts, neighbours as one."""
    joined: list[Block] = []
    begin = other = end = other_end = -1
    for left, right, size in (*blocks, (-1, -1, 0)):
        if (left, right) != (end, other_end):
            if end > begin:
                joined.append(Block(begin, other, end - begin))
            begin, other = left, right
        end, other_end = left + size, right + size
    return joined


def tidied(blocks: list[Block], left: int, right: int) -> list[Block]:
    """The blocks without the lone words that two long differences happen to have in common.

    ``left`` and ``right`` are the lengths of the texts. A reader sees one difference there.
    """
    kept: list[Block] = []
    before = (0, 0)
    for number, block in enumerate(blocks):
        after = blocks[number + 1] if number + 1 < len(blocks) else Block(left, right, 0)
        gaps = (
            max(block.left - before[0], block.right - before[1]),
            max(after.left - block.left - block.size, after.right - block.right - block.size),
        )
        if block.size > LONE or min(gaps) < LONG:
            kept.append(block)
            before = (block.left + block.size, block.right + block.size)
    return kept


class _Alignment:
    """The search: ranges still to be compared, and a budget of steps."""

    def __init__(self, left: Sequence[str], right: Sequence[str]) -> None:
        self.left, self.right = left, right
        self.budget = STEPS * (len(left) + len(right)) + 25 * SMALL
        self.matched: list[tuple[int, int, int]] = []
        self.open: list[Range] = [(0, len(left), 0, len(right))]

    def blocks(self) -> list[tuple[int, int, int]]:
        """All equal blocks, in no order; some are empty."""
        while self.open:
            self._compare(self.open.pop())
        return self.matched

    def _compare(self, where: Range) -> None:
        a, b, c, d = where
        left, right = self.left, self.right
        if b - a == d - c == 1 and left[a] != right[c]:  # most places: nothing more to be found
            self.budget -= 2 + (self.budget > 2)
            return
        while b - a >= STRIDE <= d - c and left[a : a + STRIDE] == right[c : c + STRIDE]:
            a, c = a + STRIDE, c + STRIDE
        while a < b and c < d and left[a] == right[c]:
            a, c = a + 1, c + 1
        if a > where[0]:
            self.matched.append((where[0], where[2], a - where[0]))
        end = b
        while b - a >= STRIDE <= d - c and left[b - STRIDE : b] == right[d - STRIDE : d]:
            b, d = b - STRIDE, d - STRIDE
        while a < b and c < d and left[b - 1] == right[d - 1]:
            b, d = b - 1, d - 1
        if b < end:
            self.matched.append((b, d, end - b))
        self.budget -= b - a + d - c
        if a < b and c < d and self.budget > 0:
            self._split((a, b, c, d))

    def _split(self, where: Range) -> None:
        a, b, c, d = where
        ours, theirs = self.left[a:b], self.right[c:d]
        sizes = GRAMS if not set(ours).isdisjoint(theirs) else ()
        points = next(filter(None, (fixed_points(ours, theirs, size) for size in sizes)), None)
        if points is None:
            self._in_full(where, bool(sizes))
            return
        begin = before = (a, c)
        for at_left, at_right in points:
            left, right = a + at_left, c + at_right
            if (left, right) != before:
                self.matched.append((*begin, before[0] - begin[0]))
                begin = (left, right)
            if left > before[0] and right > before[1]:
                self.open.append((before[0], left, before[1], right))
            before = (left + 1, right + 1)
        self.matched.append((*begin, before[0] - begin[0]))
        self.open.append((before[0], b, before[1], d))

    def _in_full(self, where: Range, is_alike: bool) -> None:
        a, b, c, d = where
        steps = (b - a) * (d - c)
        if steps > min(SMALL, self.budget):
            return
        self.budget -= steps
        if not is_alike:
            return
        matcher = SequenceMatcher(None, self.left[a:b], self.right[c:d], autojunk=False)
        for match in matcher.get_matching_blocks():
            self.matched.append((a + match.a, c + match.b, match.size))


def fixed_points(left: Sequence[str], right: Sequence[str], size: int) -> list[tuple[int, int]]:
    """The longest increasing sequence of places of runs of words that each text has once."""
    ours, theirs = (_grams(words, size) for words in (left, right))
    once = {gram for gram, count in Counter(ours).items() if count == 1}
    once &= {gram for gram, count in Counter(theirs).items() if count == 1}
    at_right = {gram: place for place, gram in enumerate(theirs) if gram in once}
    return _increasing([(i, at_right[gram]) for i, gram in enumerate(ours) if gram in once])


def _grams(words: Sequence[str], size: int) -> Sequence[Hashable]:
    if size == 1:
        return words
    return list(zip(*(words[shift:] for shift in range(size)), strict=False))


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    places = [place for _, place in pairs]
    if places == sorted(places):  # no place comes twice
        return pairs
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
