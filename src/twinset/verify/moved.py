"""Passages that stand in both texts, at places that an alignment in order cannot join."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from twinset.lazy_dataclass import dataclass

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
